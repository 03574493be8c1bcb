// RUN: not egg-opt %s --egg-lower-kernels --egg-emit-ptx='chip=sm_77' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not egg-opt %s --egg-lower-kernels --egg-emit-ptx='chip=sm_90a ptx=78' -o /dev/null 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not egg-opt %s --egg-lower-kernels --egg-emit-ptx='chip=sm_90a ptx=99' -o /dev/null 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not egg-opt %s --egg-lower-kernels --egg-emit-ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not egg-opt %s --egg-lower-kernels --egg-emit-ptx='libdevice=%t.none' -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// RUN: not egg-opt %s --egg-lower-kernels --egg-emit-ptx='libdevice=%s' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BITCODE
// RUN: not egg-opt %s --egg-lower-kernels --egg-emit-ptx='opt-level=4' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEVEL

// CHIP: the chip "sm_77" is not one of sm_80
// OLD: sm_90a needs PTX version 8.0; the target asks for 7.8
// VERSION: PTX version 9.9 is not one that the back end writes: 7.0 to 9.0
// MISSING: calls __nv_expf, a function of libdevice, and no path of libdevice.10.bc is given
// UNREADABLE: the module kernels needs libdevice, and cannot read it at
// BITCODE: is not LLVM bitcode
// LEVEL: the optimisation level is 4; it must be 0 to 3
gpu.module @kernels {
  gpu.func @exp(%x: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<4xf32>
    %e = math.exp %v : f32
    memref.store %e, %x[%i] : memref<4xf32>
    gpu.return
  }
}
