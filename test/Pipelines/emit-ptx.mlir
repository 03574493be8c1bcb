// REQUIRES: libdevice
// RUN: egg-opt %s --egg-lower-kernels | FileCheck %s --check-prefix=NVVM
// RUN: egg-opt %s --egg-lower-kernels --egg-emit-ptx='libdevice=%libdevice print=true' --egg-verify-ptx -o %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=BINARY < %t

// BINARY: gpu.binary @kernels [#gpu.object<#nvvm.target<{{.*}}chip = "sm_90a"{{.*}}>, assembly =

gpu.module @kernels attributes {egg.index_bits = 32} {
  // Bare pointers, 32-bit index arithmetic and the launch bound.
  // NVVM-LABEL: llvm.func @scale(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i32)
  // NVVM-SAME: nvvm.kernel
  // NVVM-SAME: nvvm.maxntid = array<i32: 128, 1, 1>
  // NVVM: llvm.mul %{{.*}}, %{{.*}} : i32
  // CHECK-LABEL: .visible .entry scale(
  // CHECK: .maxntid 128
  // CHECK: .loc
  // CHECK: ld.global.nc.b32
  // CHECK-NOT: .extern .func
  gpu.func @scale(%in: memref<4x128xf32>, %out: memref<4x128xf32>, %n: i64, %row: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %in[%row, %i] : memref<4x128xf32>
    %y = math.exp %x : f32
    memref.store %y, %out[%row, %i] : memref<4x128xf32>
    gpu.return
  }

  // Workgroup memory, barriers, shuffles, vectors of several dimensions.
  // CHECK-LABEL: .visible .entry tile(
  // CHECK: .shared .align
  // CHECK: ld.global.nc.v4
  // CHECK: bar.sync
  // CHECK: shfl.sync.bfly.b32
  gpu.func @tile(%in: memref<64x4xf32>, %out: memref<64x4xf32>) workgroup(%s: memref<64x4xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %v = vector.load %in[%i, %c0] {alignment = 16} : memref<64x4xf32>, vector<4xf32>
    vector.store %v, %s[%i, %c0] : memref<64x4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.barrier
    %w = vector.load %s[%i, %c0] : memref<64x4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %other, %valid = gpu.shuffle xor %sum, %offset, %width : f32
    %b = vector.broadcast %other : f32 to vector<4xf32>
    vector.store %b, %out[%i, %c0] {alignment = 16} : memref<64x4xf32>, vector<4xf32>
    gpu.return
  }
}
