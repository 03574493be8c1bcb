// RUN: egg-opt %s -split-input-file -egg-normalize-payload | FileCheck %s
// RUN: egg-opt %s -split-input-file -egg-normalize-payload | not grep -E "overflow<|fastmath<| exact :"

// Calls are inlined; kernels are named after the function and the op.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: call
// CHECK: linalg.generic {{.*}}egg.name = "helper_exp"
// CHECK-NOT: func.func
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Pad: reads outside the source stand behind a branch.
// CHECK-LABEL: func.func @main(
// CHECK: linalg.generic
// CHECK: scf.if
// CHECK: tensor.extract
// CHECK-NOT: tensor.pad
func.func @main(%x: tensor<4x5xf32>) -> tensor<7x6xf32> {
  %c = arith.constant 1.0 : f32
  %0 = tensor.pad %x low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x5xf32> to tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}

// -----

// A branch that depends on data: both sides, then a select.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: scf.if
// CHECK: linalg.generic {{.*}}egg.name = "main_exp"
// CHECK: linalg.generic {{.*}}egg.name = "main_select"
// CHECK: tensor.extract
// CHECK: arith.select
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %c = tensor.extract %p[] : tensor<i1>
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = math.exp %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Scalars that a loop carries become tensors of rank 0.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<f32>
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<f32>)
// CHECK: return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<f32>
func.func @main(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x, %u = %s) -> (tensor<4xf32>, f32) {
    %f = tensor.splat %u : tensor<4xf32>
    %a = arith.addf %t, %f : tensor<4xf32>
    %v = arith.mulf %u, %u : f32
    scf.yield %a, %v : tensor<4xf32>, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, f32
}

// -----

// No undefined arithmetic: flags are dropped, and a division by what may be 0
// or -1 gets another divisor and a selected result. One by 7 stays as it is.
// CHECK-LABEL: func.func @main(
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B:.*]], %{{.*}} : i32
// CHECK: %[[D:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[B]] : i32
// CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i32
// CHECK: %[[D1:.*]] = arith.select %[[MINUS]], %{{.*}}, %[[D]] : i32
// CHECK: %[[Q:.*]] = arith.divsi %{{.*}}, %[[D1]] : i32
// CHECK: arith.select %[[MINUS]], %{{.*}}, %[[Q]] : i32
// CHECK: arith.select %[[ZERO]]
// CHECK: arith.divui %{{.*}}, %c7{{.*}} : i32
// CHECK: arith.remui
// CHECK: return
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>, %f: tensor<4xf32>, %g: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x, %y, %f : tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) outs(%e, %g : tensor<4xf32>, tensor<i32>) {
  ^bb0(%a: i32, %b: i32, %v: f32, %o: f32, %sum: i32):
    %c7 = arith.constant 7 : i32
    %q = arith.divsi %a, %b exact : i32
    %u = arith.divui %q, %c7 : i32
    %r = arith.remui %u, %b : i32
    %w = arith.uitofp %r : i32 to f32
    %z = arith.mulf %w, %v fastmath<contract,nnan> : f32
    %s = arith.addi %sum, %r overflow<nsw, nuw> : i32
    linalg.yield %z, %s : f32, i32
  } -> (tensor<4xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<i32>
}

// -----

// An unsigned counter of 8 bits reaches 250.
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 250 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[HIGH]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %c250 = arith.constant -6 : i8
  %r = scf.for unsigned %i = %c0 to %c250 step %c1 iter_args(%t = %x) -> (tensor<4xf32>) : i8 {
    %a = arith.addf %t, %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
