// RUN: egg-opt %s --egg-expand-kernel-ops | FileCheck %s --check-prefix=EXPAND
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

  // Division is defined for every pair: a payload may divide first and select
  // afterwards.
  // EXPAND-LABEL: gpu.func @divide
  // EXPAND-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32,
  // EXPAND: %[[ISZERO:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i32
  // EXPAND: %[[ISLEAST:.*]] = arith.cmpi eq, %[[A]], %{{.*}} : i32
  // EXPAND: %[[ISMINUS:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i32
  // EXPAND: %[[BOTH:.*]] = arith.andi %[[ISLEAST]], %[[ISMINUS]] : i1
  // EXPAND: %[[BAD:.*]] = arith.ori %[[ISZERO]], %[[BOTH]] : i1
  // EXPAND: %[[D:.*]] = arith.select %[[BAD]], %{{.*}}, %[[B]] : i32
  // EXPAND: arith.divsi %[[A]], %[[D]] : i32
  // EXPAND-NOT: arith.select
  // EXPAND: arith.remui %{{.*}}, %{{.*}} : i32
  gpu.func @divide(%a: i32, %b: i32, %r: memref<2xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %seven = arith.constant 7 : i32
    %q = arith.divsi %a, %b : i32
    %m = arith.remui %a, %seven : i32
    memref.store %q, %r[%c0] : memref<2xi32>
    memref.store %m, %r[%c1] : memref<2xi32>
    gpu.return
  }
}
