// RUN: egg-opt %s --split-input-file --egg-assign-layouts | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#at = affine_map<(d0, d1)[s0] -> (s0 + d0, d1)>

// 16 bytes a thread along the row, then lanes, then warps; the row statistics
// have the same lanes and warps, as copies.
// CHECK-DAG: #[[$TILE:.*]] = #egg.layout<[2, 128], register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}1, 0]]>
// CHECK-DAG: #[[$ROW:.*]] = #egg.layout<[2], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1]]>
// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %init = tensor.empty() : tensor<8x128xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%b) = (0) to (8) step (2) shared_outs(%o = %init) -> (tensor<8x128xf32>) {
    // CHECK: %[[T:.*]] = egg.read {{.*}} -> tensor<2x128xf32, #[[$TILE]]>
    %t = egg.read %x[%b] map = #at : tensor<8x128xf32> -> tensor<2x128xf32>
    %e1 = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
    // CHECK: linalg.reduce {{.*}} outs(%{{.*}} : tensor<2xf32, #[[$ROW]]>)
    %s = linalg.reduce { arith.addf } ins(%t : tensor<2x128xf32>) outs(%f : tensor<2xf32>) dimensions = [1]
    %e2 = tensor.empty() : tensor<2x128xf32>
    // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x128xf32, #[[$TILE]]>, tensor<2xf32, #[[$ROW]]>)
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %s : tensor<2x128xf32>, tensor<2xf32>) outs(%e2 : tensor<2x128xf32>) {
    ^bb0(%a: f32, %c: f32, %u: f32):
      %d = arith.divf %a, %c : f32
      linalg.yield %d : f32
    } -> tensor<2x128xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%b] map = #at : tensor<2x128xf32> into tensor<8x128xf32>
    }
  } {egg.grid = #egg.grid<threads = 64>}
  return %r : tensor<8x128xf32>
}

// -----

#at = affine_map<(d0, d1)[s0] -> (s0, d0, d1)>
#turned = affine_map<(d0, d1)[s0] -> (s0, d1, d0)>

// A fixed layout is kept; where the value meets another one, a conversion. Rows
// of 33 are not aligned: one element a thread.
// CHECK-DAG: #[[$FIXED:.*]] = #egg.layout<[32, 64], register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 32]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
// CHECK-LABEL: func.func @fixed
func.func @fixed(%x: tensor<4x32x33xf32>) -> tensor<4x32x33xf32> {
  %init = tensor.empty() : tensor<4x32x33xf32>
  %r = scf.forall (%b) in (4) shared_outs(%o = %init) -> (tensor<4x32x33xf32>) {
    // CHECK: %[[T:.*]] = egg.read {{.*}} -> tensor<32x33xf32, #[[$FIXED]]>
    %t = egg.read %x[%b] map = #at : tensor<4x32x33xf32> -> tensor<32x33xf32>
    // CHECK: egg.place %{{.*}} to registers
    %p = egg.place %t to registers layout = <[32, 64], register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]> : tensor<32x33xf32>
    scf.forall.in_parallel {
      egg.write %p into %o[%b] map = #at : tensor<32x33xf32> into tensor<4x32x33xf32>
    }
  } {egg.grid = #egg.grid<threads = 32>}
  return %r : tensor<4x32x33xf32>
}

// -----

#at = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)>

// Operands of a contraction go to shared memory; its accumulator has patches of
// 4 x 4 a thread.
// CHECK-DAG: #[[$ACC:.*]] = #egg.layout<[32, 32], register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = {{\[\[}}16, 0]]>
// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<64x16xf32>, %y: tensor<16x64xf32>) -> tensor<64x64xf32> {
  %init = tensor.empty() : tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %r = scf.forall (%i, %j) = (0, 0) to (64, 64) step (32, 32) shared_outs(%o = %init) -> (tensor<64x64xf32>) {
    %a = egg.read %x[%i, %c0] map = #at : tensor<64x16xf32> -> tensor<32x16xf32>
    %b = egg.read %y[%c0, %j] map = #at : tensor<16x64xf32> -> tensor<16x32xf32>
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
    // CHECK: %[[A:.*]] = egg.place %{{.*}} to shared
    // CHECK: %[[B:.*]] = egg.place %{{.*}} to shared
    // CHECK: linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<32x32xf32, #[[$ACC]]>)
    %u = linalg.matmul ins(%a, %b : tensor<32x16xf32>, tensor<16x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.forall.in_parallel {
      egg.write %u into %o[%i, %j] map = #at : tensor<32x32xf32> into tensor<64x64xf32>
    }
  } {egg.grid = #egg.grid<threads = 64>}
  return %r : tensor<64x64xf32>
}
