// RUN: egg-opt %s -split-input-file -egg-normalize-payload -egg-form-plain-kernels -canonicalize -cse | FileCheck %s

// An elementwise op: one thread an element, guarded where the last block is
// not full; the result is written in place.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: memref<33x65xf32> {egg.element_type = f32},
// CHECK-SAME: %[[R:.*]]: memref<33x65xf32> {{{.*}}egg.result_index = 0 : i64}
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch_func @{{.*}}::@main_erf_0 blocks in (%c9, %c1, %c1) threads in (%c256, %c1, %c1) args(%[[X]] : memref<33x65xf32>, %[[R]] : memref<33x65xf32>)
// CHECK: gpu.func @main_erf_0(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 9, 1, 1>
// CHECK: arith.cmpi ult, %{{.*}}, %c2145
// CHECK: scf.if
// CHECK: math.erf
// CHECK: memref.store
func.func @main(%x: tensor<33x65xf32>) -> tensor<33x65xf32> {
  %e = tensor.empty() : tensor<33x65xf32>
  %s = arith.constant 0.5 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<33x65xf32>) outs(%e : tensor<33x65xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = math.erf %0 : f32
    linalg.yield %1 : f32
  } -> tensor<33x65xf32>
  return %r : tensor<33x65xf32>
}

// -----

// A long reduction with few points: leaves of 512 in threads of their own, the
// last one short, then a kernel that joins them onto the initial value. An
// argument that is returned is copied.
// CHECK-LABEL: func.func @main(
// CHECK: %[[P:.*]] = memref.alloc() : memref<33x17x5xf32>
// CHECK: gpu.launch_func @{{.*}}::@main_matmul_part_0
// CHECK: gpu.launch_func @{{.*}}::@main_matmul_join_1
// CHECK: memref.dealloc %[[P]]
// CHECK: memref.copy
// CHECK: gpu.func @main_matmul_part_0(
// CHECK: %[[N:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c512
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c1 iter_args(%{{.*}} = %[[N]])
// CHECK: gpu.func @main_matmul_join_1(
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1 iter_args(%{{.*}} = %[[Z]])
func.func @main(%a: tensor<33x2050xf32>, %b: tensor<2050x17xf32>) -> (tensor<33x17xf32>, tensor<33x2050xf32>) {
  %z = arith.constant dense<0.0> : tensor<33x17xf32>
  %r = linalg.matmul ins(%a, %b : tensor<33x2050xf32>, tensor<2050x17xf32>) outs(%z: tensor<33x17xf32>) -> tensor<33x17xf32>
  return %r, %a : tensor<33x17xf32>, tensor<33x2050xf32>
}
