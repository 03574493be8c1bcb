// RUN: egg-opt %s --egg-lower-kernels | FileCheck %s

gpu.module @k attributes {egg.index_bits = 32 : i64} {
  // A buffer of no elements is a pointer like any other.
  // CHECK-LABEL: llvm.func @empty
  // CHECK-SAME: !llvm.ptr
  // CHECK-SAME: !llvm.ptr
  gpu.func @empty(%a: memref<3x0xf32>, %b: memref<3xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %s = scf.for %k = %c0 to %c0 step %c1 iter_args(%acc = %zero) -> f32 {
      %x = memref.load %a[%c0, %k] : memref<3x0xf32>
      %y = arith.addf %acc, %x : f32
      scf.yield %y : f32
    }
    memref.store %s, %b[%c0] : memref<3xf32>
    gpu.return
  }
}
