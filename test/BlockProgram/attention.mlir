// Causal attention, streamed: head dimension 10, 12 queries in tiles of 4; the
// loop's end depends on the block. Against the plain three steps.
// RUN: cat %S/Inputs/harness.mlir %s | egg-opt --egg-verify-grid -o %t.mlir
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=reversed poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=shuffled poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-normalize-block-program --egg-verify-grid --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id1 = affine_map<(d0) -> (d0)>
#at = affine_map<(d0, d1)[s0, s1] -> (s0, s1 + d0, d1)>

func.func private @attention(%Q: tensor<2x12x10xf32>, %K: tensor<2x12x10xf32>, %V: tensor<2x12x10xf32>) -> tensor<2x12x10xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %init = tensor.empty() : tensor<2x12x10xf32>
  %r = scf.forall (%h, %i) = (0, 0) to (2, 12) step (1, 4) shared_outs(%o = %init) -> (tensor<2x12x10xf32>) {
    %q = egg.read %Q[%h, %i] map = #at : tensor<2x12x10xf32> -> tensor<4x10xf32>
    %qs = egg.place %q to shared copy = tma : tensor<4x10xf32>
    %eo = tensor.empty() : tensor<4x10xf32>
    %ev = tensor.empty() : tensor<4xf32>
    %es = tensor.empty() : tensor<4x4xf32>
    %o0 = linalg.fill ins(%z : f32) outs(%eo : tensor<4x10xf32>) -> tensor<4x10xf32>
    %l0 = linalg.fill ins(%z : f32) outs(%ev : tensor<4xf32>) -> tensor<4xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%ev : tensor<4xf32>) -> tensor<4xf32>
    %end = arith.addi %i, %c4 : index
    %st:3 = scf.for %k = %c0 to %end step %c4 iter_args(%oa = %o0, %l = %l0, %m = %m0) -> (tensor<4x10xf32>, tensor<4xf32>, tensor<4xf32>) {
      %kt = egg.read %K[%h, %k] map = #at : tensor<2x12x10xf32> -> tensor<4x10xf32>
      %vt = egg.read %V[%h, %k] map = #at : tensor<2x12x10xf32> -> tensor<4x10xf32>
      %ks = egg.place %kt to shared copy = tma depth = 2 : tensor<4x10xf32>
      %vs = egg.place %vt to shared copy = tma depth = 2 : tensor<4x10xf32>
      %s0 = linalg.fill ins(%z : f32) outs(%es : tensor<4x4xf32>) -> tensor<4x4xf32>
      %s = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {egg.contract = #egg.contract<wgmma m64n128k16, warps = 8>} ins(%qs, %ks : tensor<4x10xf32>, tensor<4x10xf32>) outs(%s0 : tensor<4x4xf32>) -> tensor<4x4xf32>
      %sm = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x4xf32>) outs(%es : tensor<4x4xf32>) {
      ^bb0(%x: f32, %u: f32):
        %r0 = linalg.index 0 : index
        %r1 = linalg.index 1 : index
        %gi = arith.addi %r0, %i : index
        %gk = arith.addi %r1, %k : index
        %ok = arith.cmpi uge, %gi, %gk : index
        %y = arith.mulf %x, %scale : f32
        %w = arith.select %ok, %y, %ninf : f32
        linalg.yield %w : f32
      } -> tensor<4x4xf32>
      %mn = linalg.reduce { arith.maximumf } ins(%sm : tensor<4x4xf32>) outs(%m : tensor<4xf32>) dimensions = [1]
      %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%sm, %mn : tensor<4x4xf32>, tensor<4xf32>) outs(%es : tensor<4x4xf32>) {
      ^bb0(%x: f32, %mm: f32, %u: f32):
        %d = arith.subf %x, %mm : f32
        %y = math.exp2 %d : f32
        linalg.yield %y : f32
      } -> tensor<4x4xf32>
      %al = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]} ins(%m, %mn : tensor<4xf32>, tensor<4xf32>) outs(%ev : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32, %u: f32):
        %d = arith.subf %x, %y : f32
        %e = math.exp2 %d : f32
        linalg.yield %e : f32
      } -> tensor<4xf32>
      %ls = linalg.mul ins(%l, %al : tensor<4xf32>, tensor<4xf32>) outs(%ev : tensor<4xf32>) -> tensor<4xf32>
      %ln = linalg.reduce { arith.addf } ins(%p : tensor<4x4xf32>) outs(%ls : tensor<4xf32>) dimensions = [1]
      %os = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%oa, %al : tensor<4x10xf32>, tensor<4xf32>) outs(%eo : tensor<4x10xf32>) {
      ^bb0(%x: f32, %mm: f32, %u: f32):
        %y = arith.mulf %x, %mm : f32
        linalg.yield %y : f32
      } -> tensor<4x10xf32>
      %pr = egg.place %p to registers : tensor<4x4xf32>
      %on = linalg.matmul ins(%pr, %vs : tensor<4x4xf32>, tensor<4x10xf32>) outs(%os : tensor<4x10xf32>) -> tensor<4x10xf32>
      scf.yield %on, %ln, %mn : tensor<4x10xf32>, tensor<4xf32>, tensor<4xf32>
    } {egg.roles = #egg.roles<producer = 1, consumers = 2>}
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%st#0, %st#1 : tensor<4x10xf32>, tensor<4xf32>) outs(%eo : tensor<4x10xf32>) {
    ^bb0(%x: f32, %l: f32, %u: f32):
      %d = arith.divf %x, %l : f32
      linalg.yield %d : f32
    } -> tensor<4x10xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%h, %i] map = #at : tensor<4x10xf32> into tensor<2x12x10xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>], egg.grid = #egg.grid<order = heavy_first>}
  return %r : tensor<2x12x10xf32>
}

func.func private @plain(%Q: tensor<2x12x10xf32>, %K: tensor<2x12x10xf32>, %V: tensor<2x12x10xf32>) -> tensor<2x12x10xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x12x12xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<2x12x12xf32>) -> tensor<2x12x12xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, d0, d1, d2) -> (b, d0, d2)>, affine_map<(b, d0, d1, d2) -> (b, d1, d2)>, affine_map<(b, d0, d1, d2) -> (b, d0, d1)>] ins(%Q, %K : tensor<2x12x10xf32>, tensor<2x12x10xf32>) outs(%f : tensor<2x12x12xf32>) -> tensor<2x12x12xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x12x12xf32>) outs(%es : tensor<2x12x12xf32>) {
  ^bb0(%x: f32, %u: f32):
    %half = arith.constant 0.5 : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi uge, %i, %j : index
    %y = arith.mulf %x, %half : f32
    %e = math.exp2 %y : f32
    %w = arith.select %ok, %e, %z : f32
    linalg.yield %w : f32
  } -> tensor<2x12x12xf32>
  %e1 = tensor.empty() : tensor<2x12xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<2x12xf32>) -> tensor<2x12xf32>
  %l = linalg.reduce { arith.addf } ins(%m : tensor<2x12x12xf32>) outs(%f1 : tensor<2x12xf32>) dimensions = [2]
  %eo = tensor.empty() : tensor<2x12x10xf32>
  %fo = linalg.fill ins(%z : f32) outs(%eo : tensor<2x12x10xf32>) -> tensor<2x12x10xf32>
  %o = linalg.batch_matmul ins(%m, %V : tensor<2x12x12xf32>, tensor<2x12x10xf32>) outs(%fo : tensor<2x12x10xf32>) -> tensor<2x12x10xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o, %l : tensor<2x12x10xf32>, tensor<2x12xf32>) outs(%eo : tensor<2x12x10xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<2x12x10xf32>
  return %y : tensor<2x12x10xf32>
}

func.func @main() {
  %n = arith.constant 240 : index
  %s1 = arith.constant 1 : index
  %s2 = arith.constant 2 : index
  %s3 = arith.constant 3 : index
  %tol = arith.constant 2.0e-6 : f32
  %f1 = func.call @numbers(%n, %s1) : (index, index) -> tensor<?xf32>
  %f2 = func.call @numbers(%n, %s2) : (index, index) -> tensor<?xf32>
  %f3 = func.call @numbers(%n, %s3) : (index, index) -> tensor<?xf32>
  %c1 = tensor.cast %f1 : tensor<?xf32> to tensor<240xf32>
  %c2 = tensor.cast %f2 : tensor<?xf32> to tensor<240xf32>
  %c3 = tensor.cast %f3 : tensor<?xf32> to tensor<240xf32>
  %q = tensor.expand_shape %c1 [[0, 1, 2]] output_shape [2, 12, 10] : tensor<240xf32> into tensor<2x12x10xf32>
  %k = tensor.expand_shape %c2 [[0, 1, 2]] output_shape [2, 12, 10] : tensor<240xf32> into tensor<2x12x10xf32>
  %v = tensor.expand_shape %c3 [[0, 1, 2]] output_shape [2, 12, 10] : tensor<240xf32> into tensor<2x12x10xf32>
  %a = func.call @attention(%q, %k, %v) : (tensor<2x12x10xf32>, tensor<2x12x10xf32>, tensor<2x12x10xf32>) -> tensor<2x12x10xf32>
  %b = func.call @plain(%q, %k, %v) : (tensor<2x12x10xf32>, tensor<2x12x10xf32>, tensor<2x12x10xf32>) -> tensor<2x12x10xf32>
  %ac = tensor.collapse_shape %a [[0, 1, 2]] : tensor<2x12x10xf32> into tensor<240xf32>
  %bc = tensor.collapse_shape %b [[0, 1, 2]] : tensor<2x12x10xf32> into tensor<240xf32>
  %ad = tensor.cast %ac : tensor<240xf32> to tensor<?xf32>
  %bd = tensor.cast %bc : tensor<240xf32> to tensor<?xf32>
  // CHECK: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}2{{[34][0-9]$}}
  func.call @compare(%ad, %bd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  return
}
