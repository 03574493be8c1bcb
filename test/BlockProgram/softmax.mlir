// Softmax three ways, against the plain form, in every order of the grid.
// RUN: cat %S/Inputs/harness.mlir %s | egg-opt --egg-verify-grid -o %t.mlir
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=reversed poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=shuffled poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-normalize-block-program --egg-verify-grid --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id1 = affine_map<(d0) -> (d0)>
#sc = affine_map<(d0) -> ()>

func.func private @plain(%x: tensor<9x100xf32>) -> tensor<9x100xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<9xf32>
  %e2 = tensor.empty() : tensor<9x100xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<9xf32>) -> tensor<9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x100xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<9x100xf32>, tensor<9xf32>) outs(%e2 : tensor<9x100xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %d = arith.subf %a, %b : f32
    %q = math.exp %d : f32
    linalg.yield %q : f32
  } -> tensor<9x100xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e1 : tensor<9xf32>) -> tensor<9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x100xf32>) outs(%s0 : tensor<9xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %l : tensor<9x100xf32>, tensor<9xf32>) outs(%e2 : tensor<9x100xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<9x100xf32>
  return %y : tensor<9x100xf32>
}

// A block has 4 rows (the last one, 1), each held in registers.
func.func private @fits(%x: tensor<9x100xf32>) -> tensor<9x100xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<9x100xf32>
  %r = scf.forall (%b) = (0) to (9) step (4) shared_outs(%o = %init) -> (tensor<9x100xf32>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 9, 4)>(%b)
    %s = egg.read %x[%b] sizes (%h) map = affine_map<(d0, d1)[s0] -> (s0 + d0, d1)> : tensor<9x100xf32> -> tensor<?x100xf32>
    %t = egg.place %s to registers
      layout = <[4, 128], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]]> : tensor<?x100xf32>
    %e1 = tensor.empty(%h) : tensor<?xf32>
    %e2 = tensor.empty(%h) : tensor<?x100xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %m = linalg.reduce { arith.maximumf } ins(%t : tensor<?x100xf32>) outs(%m0 : tensor<?xf32>) dimensions = [1]
    %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %m : tensor<?x100xf32>, tensor<?xf32>) outs(%e2 : tensor<?x100xf32>) {
    ^bb0(%a: f32, %c: f32, %u: f32):
      %d = arith.subf %a, %c : f32
      %q = math.exp %d : f32
      linalg.yield %q : f32
    } -> tensor<?x100xf32>
    %s0 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %l = linalg.reduce { arith.addf } ins(%p : tensor<?x100xf32>) outs(%s0 : tensor<?xf32>) dimensions = [1]
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %l : tensor<?x100xf32>, tensor<?xf32>) outs(%e2 : tensor<?x100xf32>) {
    ^bb0(%a: f32, %c: f32, %u: f32):
      %d = arith.divf %a, %c : f32
      linalg.yield %d : f32
    } -> tensor<?x100xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%b] map = affine_map<(d0, d1)[s0] -> (s0 + d0, d1)> : tensor<?x100xf32> into tensor<9x100xf32>
    }
  } {mapping = [#gpu.block<x>], egg.grid = #egg.grid<threads = 128>}
  return %r : tensor<9x100xf32>
}

// Rows too long to hold: online, in chunks of 25, merged at the end by a
// reduction of pairs; the second sweep writes the row chunk by chunk.
func.func private @chunks(%x: tensor<9x100xf32>) -> tensor<9x100xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c25 = arith.constant 25 : index
  %c100 = arith.constant 100 : index
  %init = tensor.empty() : tensor<9x100xf32>
  %r = scf.forall (%b) in (9) shared_outs(%o = %init) -> (tensor<9x100xf32>) {
    %ev = tensor.empty() : tensor<25xf32>
    %es = tensor.empty() : tensor<f32>
    %vm0 = linalg.fill ins(%ninf : f32) outs(%ev : tensor<25xf32>) -> tensor<25xf32>
    %vl0 = linalg.fill ins(%z : f32) outs(%ev : tensor<25xf32>) -> tensor<25xf32>
    %v:2 = scf.for %k = %c0 to %c100 step %c25 iter_args(%m = %vm0, %l = %vl0) -> (tensor<25xf32>, tensor<25xf32>) {
      %s = egg.read %x[%b, %k] map = affine_map<(d0)[s0, s1] -> (s0, s1 + d0)> : tensor<9x100xf32> -> tensor<25xf32>
      %t = egg.place %s to registers depth = 2 : tensor<25xf32>
      %n:2 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]} ins(%t : tensor<25xf32>) outs(%m, %l : tensor<25xf32>, tensor<25xf32>) {
      ^bb0(%a: f32, %mm: f32, %ll: f32):
        %m2 = arith.maximumf %a, %mm : f32
        %d1 = arith.subf %mm, %m2 : f32
        %d2 = arith.subf %a, %m2 : f32
        %e1 = math.exp %d1 : f32
        %e2 = math.exp %d2 : f32
        %q = arith.mulf %ll, %e1 : f32
        %q2 = arith.addf %q, %e2 : f32
        linalg.yield %m2, %q2 : f32, f32
      } -> (tensor<25xf32>, tensor<25xf32>)
      scf.yield %n#0, %n#1 : tensor<25xf32>, tensor<25xf32>
    }
    %ms0 = linalg.fill ins(%ninf : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %ls0 = linalg.fill ins(%z : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %m:2 = linalg.reduce ins(%v#0, %v#1 : tensor<25xf32>, tensor<25xf32>) outs(%ms0, %ls0 : tensor<f32>, tensor<f32>) dimensions = [0] {egg.neutral = [0xFF800000 : f32, 0.0 : f32]}
      (%ma: f32, %la: f32, %mb: f32, %lb: f32) {
        %m2 = arith.maximumf %ma, %mb : f32
        %d1 = arith.subf %ma, %m2 : f32
        %d2 = arith.subf %mb, %m2 : f32
        %e1 = math.exp %d1 : f32
        %e2 = math.exp %d2 : f32
        %q1 = arith.mulf %la, %e1 : f32
        %q2 = arith.mulf %lb, %e2 : f32
        %q = arith.addf %q1, %q2 : f32
        linalg.yield %m2, %q : f32, f32
      }
    %orow = tensor.extract_slice %o[%b, 0] [1, 100] [1, 1] : tensor<9x100xf32> to tensor<100xf32>
    %w = scf.for %k = %c0 to %c100 step %c25 iter_args(%acc = %orow) -> (tensor<100xf32>) {
      %s = egg.read %x[%b, %k] map = affine_map<(d0)[s0, s1] -> (s0, s1 + d0)> : tensor<9x100xf32> -> tensor<25xf32>
      %y = linalg.generic {indexing_maps = [#id1, #sc, #sc, #id1], iterator_types = ["parallel"]} ins(%s, %m#0, %m#1 : tensor<25xf32>, tensor<f32>, tensor<f32>) outs(%ev : tensor<25xf32>) {
      ^bb0(%a: f32, %mm: f32, %ll: f32, %u: f32):
        %d = arith.subf %a, %mm : f32
        %e = math.exp %d : f32
        %q = arith.divf %e, %ll : f32
        linalg.yield %q : f32
      } -> tensor<25xf32>
      %i = tensor.insert_slice %y into %acc[%k] [25] [1] : tensor<25xf32> into tensor<100xf32>
      scf.yield %i : tensor<100xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%b, 0] [1, 100] [1, 1] : tensor<100xf32> into tensor<9x100xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<9x100xf32>
}

// One iteration is a cluster of four blocks: the layout has two block bits, and
// the hull of 128 has elements that do not exist.
func.func private @cluster(%x: tensor<9x100xf32>) -> tensor<9x100xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<9x100xf32>
  %r = scf.forall (%b) in (9) shared_outs(%o = %init) -> (tensor<9x100xf32>) {
    %s = egg.read %x[%b] map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<9x100xf32> -> tensor<100xf32>
    %t = egg.place %s to registers layout = <[128], lane = [[1], [2], [4], [8], [16]], block = [[32], [64]]> : tensor<100xf32>
    %es = tensor.empty() : tensor<f32>
    %ev = tensor.empty() : tensor<100xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %m = linalg.reduce { arith.maximumf } ins(%t : tensor<100xf32>) outs(%m0 : tensor<f32>) dimensions = [0]
    %p = linalg.generic {indexing_maps = [#id1, #sc, #id1], iterator_types = ["parallel"]} ins(%t, %m : tensor<100xf32>, tensor<f32>) outs(%ev : tensor<100xf32>) {
    ^bb0(%a: f32, %c: f32, %u: f32):
      %d = arith.subf %a, %c : f32
      %q = math.exp %d : f32
      linalg.yield %q : f32
    } -> tensor<100xf32>
    %l0 = linalg.fill ins(%z : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %l = linalg.reduce { arith.addf } ins(%p : tensor<100xf32>) outs(%l0 : tensor<f32>) dimensions = [0]
    %y = linalg.generic {indexing_maps = [#id1, #sc, #id1], iterator_types = ["parallel"]} ins(%p, %l : tensor<100xf32>, tensor<f32>) outs(%ev : tensor<100xf32>) {
    ^bb0(%a: f32, %c: f32, %u: f32):
      %d = arith.divf %a, %c : f32
      linalg.yield %d : f32
    } -> tensor<100xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%b] hint = stream map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<100xf32> into tensor<9x100xf32>
    }
  } {mapping = [#gpu.block<x>], egg.grid = #egg.grid<cluster = 4, threads = 32>}
  return %r : tensor<9x100xf32>
}

func.func @main() {
  %n = arith.constant 900 : index
  %seed = arith.constant 1 : index
  %tol = arith.constant 1.0e-6 : f32
  %f = func.call @numbers(%n, %seed) : (index, index) -> tensor<?xf32>
  %c = tensor.cast %f : tensor<?xf32> to tensor<900xf32>
  %x = tensor.expand_shape %c [[0, 1]] output_shape [9, 100] : tensor<900xf32> into tensor<9x100xf32>
  %a = func.call @plain(%x) : (tensor<9x100xf32>) -> tensor<9x100xf32>
  %ac = tensor.collapse_shape %a [[0, 1]] : tensor<9x100xf32> into tensor<900xf32>
  %ad = tensor.cast %ac : tensor<900xf32> to tensor<?xf32>
  %b1 = func.call @fits(%x) : (tensor<9x100xf32>) -> tensor<9x100xf32>
  %b1c = tensor.collapse_shape %b1 [[0, 1]] : tensor<9x100xf32> into tensor<900xf32>
  %b1d = tensor.cast %b1c : tensor<900xf32> to tensor<?xf32>
  // CHECK: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}900{{$}}
  func.call @compare(%b1d, %ad, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  %b2 = func.call @chunks(%x) : (tensor<9x100xf32>) -> tensor<9x100xf32>
  %b2c = tensor.collapse_shape %b2 [[0, 1]] : tensor<9x100xf32> into tensor<900xf32>
  %b2d = tensor.cast %b2c : tensor<900xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}900{{$}}
  func.call @compare(%b2d, %ad, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  %b3 = func.call @cluster(%x) : (tensor<9x100xf32>) -> tensor<9x100xf32>
  %b3c = tensor.collapse_shape %b3 [[0, 1]] : tensor<9x100xf32> into tensor<900xf32>
  %b3d = tensor.cast %b3c : tensor<900xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}900{{$}}
  func.call @compare(%b3d, %ad, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  return
}
