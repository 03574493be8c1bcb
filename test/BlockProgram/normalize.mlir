// RUN: egg-opt %s --egg-normalize-block-program | FileCheck %s

// Slices of arguments are reads, inserts are writes; rank-reduced dimensions,
// strides and constant offsets are in the map.
// CHECK-DAG: #[[$READ:.*]] = affine_map<(d0)[s0] -> (s0, d0 * 2 + 3)>
// CHECK-DAG: #[[$WRITE:.*]] = affine_map<(d0)[s0] -> (s0, d0)>
// CHECK-DAG: #[[$RAGGED:.*]] = affine_map<(d0)[s0] -> (d0 + s0)>

// CHECK-LABEL: @slices
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf32>
func.func @slices(%x: tensor<8x64xf32>) -> tensor<8x20xf32> {
  %init = tensor.empty() : tensor<8x20xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %init) -> (tensor<8x20xf32>) {
    // CHECK: %[[T:.*]] = egg.read %[[X]][%[[I:.*]]] map = #[[$READ]] : tensor<8x64xf32> -> tensor<20xf32>
    %s = tensor.extract_slice %x[%i, 3] [1, 20] [1, 2] : tensor<8x64xf32> to tensor<20xf32>
    // CHECK: scf.forall.in_parallel
    // CHECK-NEXT: egg.write %[[T]] into %{{.*}}[%[[I]]] map = #[[$WRITE]] : tensor<20xf32> into tensor<8x20xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 20] [1, 1] : tensor<20xf32> into tensor<8x20xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<8x20xf32>
}

// Sizes stay; named elementwise ops and generics become one; the slice of a
// shared_out stays a slice.
// CHECK-LABEL: @chain
func.func @chain(%x: tensor<100xf32>, %y: tensor<100xf32> {egg.inout = 0 : index}) -> tensor<100xf32> {
  %r = scf.forall (%i) = (0) to (100) step (32) shared_outs(%o = %y) -> (tensor<100xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 100, 32)>(%i)
    // CHECK: %[[S:.*]] = egg.read %{{.*}}[%{{.*}}] sizes(%[[N:.*]]) map = #[[$RAGGED]] : tensor<100xf32> -> tensor<?xf32>
    %s = tensor.extract_slice %x[%i] [%n] [1] : tensor<100xf32> to tensor<?xf32>
    // CHECK: %[[OLD:.*]] = tensor.extract_slice
    %old = tensor.extract_slice %o[%i] [%n] [1] : tensor<100xf32> to tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    // CHECK: linalg.generic {{.*}} ins(%[[S]], %[[OLD]] : tensor<?xf32>, tensor<?xf32>)
    // CHECK: arith.mulf
    // CHECK: math.exp
    // CHECK: arith.addf
    // CHECK: linalg.yield
    // CHECK-NOT: linalg.generic
    // CHECK: scf.forall.in_parallel
    %a = linalg.mul ins(%s, %s : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %b = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %c = linalg.add ins(%b, %old : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%i] [%n] [1] : tensor<?xf32> into tensor<100xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<100xf32>
}

// A reduction with work in it: the work is split off, the rest is linalg.reduce.
// A plain one needs no elementwise op.
// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %z = arith.constant 0.0 : f32
  %i0 = tensor.empty() : tensor<8xf32>
  %i1 = tensor.empty() : tensor<8xf32>
  %r:2 = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %i0, %p = %i1) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK: %[[T:.*]] = egg.read
    %s = tensor.extract_slice %x[%i, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
    %e = tensor.empty() : tensor<4xf32>
    // CHECK: %[[F:.*]] = linalg.fill
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[SQ:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[T]] : tensor<4x64xf32>)
    // CHECK: arith.mulf
    // CHECK: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[SQ]] : tensor<4x64xf32>) outs(%[[F]] : tensor<4xf32>) dimensions = [1]
    %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<4x64xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %m = arith.mulf %a, %a : f32
      %v = arith.addf %acc, %m : f32
      linalg.yield %v : f32
    } -> tensor<4xf32>
    // CHECK: linalg.reduce { arith.maximumf } ins(%[[T]] : tensor<4x64xf32>) outs(%[[SUM]] : tensor<4xf32>) dimensions = [1]
    %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<4x64xf32>) outs(%q : tensor<4xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %v = arith.maximumf %acc, %a : f32
      linalg.yield %v : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %t into %p[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Left alone: a contraction, a window, an op with an anchor, a value used twice,
// a row that would be computed once an element.
// CHECK-LABEL: @left_alone
func.func @left_alone(%x: tensor<4x64xf32>, %y: tensor<64x4xf32>) -> (tensor<4x4xf32>, tensor<4x61xf32>, tensor<4x64xf32>) {
  %z = arith.constant 0.0 : f32
  %i0 = tensor.empty() : tensor<4x4xf32>
  %i1 = tensor.empty() : tensor<4x61xf32>
  %i2 = tensor.empty() : tensor<4x64xf32>
  %r:3 = scf.forall (%i) in (1) shared_outs(%o = %i0, %p = %i1, %q = %i2) -> (tensor<4x4xf32>, tensor<4x61xf32>, tensor<4x64xf32>) {
    %f = linalg.fill ins(%z : f32) outs(%i0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
    %m = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<4x64xf32>, tensor<64x4xf32>) outs(%f : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %u = arith.mulf %a, %b : f32
      %v = arith.addf %c, %u : f32
      linalg.yield %v : f32
    } -> tensor<4x4xf32>
    %k = tensor.empty() : tensor<4xf32>
    %g = linalg.fill ins(%z : f32) outs(%i1 : tensor<4x61xf32>) -> tensor<4x61xf32>
    // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
    %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %k : tensor<4x64xf32>, tensor<4xf32>) outs(%g : tensor<4x61xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %v = arith.maximumf %a, %c : f32
      linalg.yield %v : f32
    } -> tensor<4x61xf32>
    // CHECK: linalg.exp {egg.name = "kept"}
    %e = linalg.exp {egg.name = "kept"} ins(%x : tensor<4x64xf32>) outs(%i2 : tensor<4x64xf32>) -> tensor<4x64xf32>
    %h = linalg.fill ins(%z : f32) outs(%k : tensor<4xf32>) -> tensor<4xf32>
    // CHECK: linalg.reduce
    %s = linalg.reduce { arith.addf } ins(%e : tensor<4x64xf32>) outs(%h : tensor<4xf32>) dimensions = [1]
    // CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
    // CHECK: math.sqrt
    %t = linalg.sqrt ins(%s : tensor<4xf32>) outs(%k : tensor<4xf32>) -> tensor<4xf32>
    // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
    // CHECK-NEXT: ^bb0
    // CHECK-NEXT: arith.divf
    %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%e, %t : tensor<4x64xf32>, tensor<4xf32>) outs(%i2 : tensor<4x64xf32>) {
    ^bb0(%a: f32, %b: f32, %u: f32):
      %v = arith.divf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<4x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32>
      tensor.parallel_insert_slice %w into %p[0, 0] [4, 61] [1, 1] : tensor<4x61xf32> into tensor<4x61xf32>
      tensor.parallel_insert_slice %d into %q[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<4x64xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1, %r#2 : tensor<4x4xf32>, tensor<4x61xf32>, tensor<4x64xf32>
}

// Not in a grid: untouched.
// CHECK-LABEL: @outside
// CHECK: tensor.extract_slice
// CHECK: linalg.mul
func.func @outside(%x: tensor<100xf32>) -> tensor<10xf32> {
  %s = tensor.extract_slice %x[0] [10] [1] : tensor<100xf32> to tensor<10xf32>
  %e = tensor.empty() : tensor<10xf32>
  %a = linalg.mul ins(%s, %s : tensor<10xf32>, tensor<10xf32>) outs(%e : tensor<10xf32>) -> tensor<10xf32>
  return %a : tensor<10xf32>
}
