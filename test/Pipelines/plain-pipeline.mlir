// RUN: egg-opt %s -split-input-file -egg-lower-to-plain-kernels | FileCheck %s
// RUN: egg-opt %s -split-input-file -egg-lower-to-plain-kernels=promote | FileCheck %s --check-prefix=GOLDEN

// The class of each result; i1 is a byte in memory.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: memref<4xf32> {egg.element_type = f32, egg.result_class = "accumulation", egg.result_index = 0 : i64}
// CHECK-SAME: memref<4x8xf32> {egg.element_type = f32, egg.result_class = "elementwise", egg.result_index = 1 : i64}
// CHECK-SAME: memref<4x8xi8> {egg.element_type = i1, egg.result_class = "exact", egg.result_index = 2 : i64}
// CHECK-SAME: memref<4xf32> {egg.element_type = f32, egg.result_class = "exact", egg.result_index = 3 : i64}
// CHECK: gpu.module @egg_kernels_32 attributes {egg.index_bits = 32 : i64}
// CHECK-NOT: egg.index_bits = 64

// GOLDEN-LABEL: func.func @main(
// GOLDEN-SAME: %{{.*}}: memref<4x8xf32> {egg.element_type = f32},
// GOLDEN-SAME: memref<4xf64> {egg.element_type = f64, egg.result_class = "accumulation", egg.result_index = 0 : i64}
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<4xf32>) {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %zz = arith.constant dense<0.0> : tensor<4x8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %e = math.exp %x : tensor<4x8xf32>
  %p = arith.cmpf ogt, %x, %zz : tensor<4x8xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %s, %e, %p, %m : tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<4xf32>
}

// -----

// Above 2^31 elements indices need 64 bits; the levels that join the partial
// sums do not.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.launch_func @egg_kernels_64::@main_reduce_part_0
// CHECK: gpu.launch_func @egg_kernels_32::@main_reduce_join_part_1
// CHECK: gpu.module @egg_kernels_64 attributes {egg.index_bits = 64 : i64}
// GOLDEN-LABEL: func.func @main(
func.func @main(%x: tensor<65536x65536xi8>) -> tensor<i8> {
  %z = arith.constant dense<0> : tensor<i8>
  %t = linalg.reduce { arith.addi } ins(%x : tensor<65536x65536xi8>) outs(%z : tensor<i8>) dimensions = [0, 1]
  return %t : tensor<i8>
}

// -----

// Without iterations the result is its initial value; no kernel takes the empty
// tensors, which have no lowering to PTX.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: gpu.launch_func
// CHECK: memref.copy
// CHECK-NOT: gpu.func
func.func @main(%a: tensor<4x0xf32>, %b: tensor<0x3xf32>, %c: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x0xf32>, tensor<0x3xf32>) outs(%c : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// A name that PTX cannot have.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.func @egg_entry_exp_0
func.func private @"egg.entry"(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @"egg.entry"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The last step of this loop leaves 32 bits.
// CHECK-LABEL: func.func @main(
// CHECK: gpu.launch_func @egg_kernels_64::@main_scalar_0
func.func @main(%x: tensor<i64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %high = arith.constant 2147483647 : index
  %step = arith.constant 1073741824 : index
  %v = tensor.extract %x[] : tensor<i64>
  %r = scf.for %i = %c0 to %high step %step iter_args(%o = %v) -> i64 {
    %k = arith.index_cast %i : index to i64
    %n = arith.addi %o, %k : i64
    scf.yield %n : i64
  }
  %t = tensor.from_elements %r : tensor<i64>
  return %t : tensor<i64>
}
