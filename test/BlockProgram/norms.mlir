// Reductions over grid stages: layer norm in two stages joined by a barrier,
// column sums of ragged columns, a full sum whose last block merges, and running
// means updated in place; against plain forms.
// RUN: cat %S/Inputs/harness.mlir %s | egg-opt --egg-verify-grid -o %t.mlir
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=reversed poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=shuffled poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-normalize-block-program --egg-verify-grid --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#sc = affine_map<(d0) -> ()>
#at2 = affine_map<(d0)[s0, s1] -> (s0, s1 + d0)>

// 3 rows of 160: 4 blocks a row, each in steps of 20. Stage one leaves sums and
// sums of squares, stage two reads those of its row.
func.func private @layernorm(%x: tensor<3x160xf32>, %g: tensor<160xf32>) -> tensor<3x160xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %pe = tensor.empty() : tensor<3x4x2xf32>
  %part = scf.forall (%b, %c) in (3, 4) shared_outs(%o = %pe) -> (tensor<3x4x2xf32>) {
    %ev = tensor.empty() : tensor<20xf32>
    %es = tensor.empty() : tensor<f32>
    %v0 = linalg.fill ins(%z : f32) outs(%ev : tensor<20xf32>) -> tensor<20xf32>
    %base = affine.apply affine_map<(d0) -> (d0 * 40)>(%c)
    %n:2 = scf.for %k = %c0 to %c40 step %c20 iter_args(%s1 = %v0, %s2 = %v0) -> (tensor<20xf32>, tensor<20xf32>) {
      %off = arith.addi %base, %k : index
      %s = egg.read %x[%b, %off] map = #at2 : tensor<3x160xf32> -> tensor<20xf32>
      %t = egg.place %s to registers depth = 4 hint = keep : tensor<20xf32>
      %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%t : tensor<20xf32>) outs(%s1, %s2 : tensor<20xf32>, tensor<20xf32>) {
      ^bb0(%a: f32, %u: f32, %v: f32):
        %p = arith.addf %a, %u : f32
        %sq = arith.mulf %a, %a : f32
        %p2 = arith.addf %sq, %v : f32
        linalg.yield %p, %p2 : f32, f32
      } -> (tensor<20xf32>, tensor<20xf32>)
      scf.yield %r#0, %r#1 : tensor<20xf32>, tensor<20xf32>
    }
    %f = linalg.fill ins(%z : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %sum:2 = linalg.reduce ins(%n#0, %n#1 : tensor<20xf32>, tensor<20xf32>) outs(%f, %f : tensor<f32>, tensor<f32>) dimensions = [0]
      (%a: f32, %b2: f32, %u: f32, %v: f32) {
        %p = arith.addf %a, %u : f32
        %p2 = arith.addf %b2, %v : f32
        linalg.yield %p, %p2 : f32, f32
      }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum#0 into %o[%b, %c, 0] [1, 1, 1] [1, 1, 1] : tensor<f32> into tensor<3x4x2xf32>
      egg.write %sum#1 into %o[%b, %c] map = affine_map<()[s0, s1] -> (s0, s1, 1)> : tensor<f32> into tensor<3x4x2xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  %init = tensor.empty() : tensor<3x160xf32>
  %r = scf.forall (%b, %c) in (3, 4) shared_outs(%o = %init) -> (tensor<3x160xf32>) {
    %p = egg.read %part[%b] map = affine_map<(d0, d1)[s0] -> (s0, d0, d1)> : tensor<3x4x2xf32> -> tensor<4x2xf32>
    %e2 = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%z : f32) outs(%e2 : tensor<2xf32>) -> tensor<2xf32>
    %st = linalg.reduce { arith.addf } ins(%p : tensor<4x2xf32>) outs(%f : tensor<2xf32>) dimensions = [0]
    %sum = tensor.extract_slice %st[0] [1] [1] : tensor<2xf32> to tensor<f32>
    %sq = tensor.extract_slice %st[1] [1] [1] : tensor<2xf32> to tensor<f32>
    %base = affine.apply affine_map<(d0) -> (d0 * 40)>(%c)
    %orow = tensor.extract_slice %o[%b, %base] [1, 40] [1, 1] : tensor<3x160xf32> to tensor<40xf32>
    %ev = tensor.empty() : tensor<20xf32>
    %w1 = scf.for %k = %c0 to %c40 step %c20 iter_args(%acc = %orow) -> (tensor<40xf32>) {
      %off = arith.addi %base, %k : index
      %s = egg.read %x[%b, %off] map = #at2 : tensor<3x160xf32> -> tensor<20xf32>
      %gg = egg.read %g[%off] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<160xf32> -> tensor<20xf32>
      %y = linalg.generic {indexing_maps = [#id, #id, #sc, #sc, #id], iterator_types = ["parallel"]} ins(%s, %gg, %sum, %sq : tensor<20xf32>, tensor<20xf32>, tensor<f32>, tensor<f32>) outs(%ev : tensor<20xf32>) {
      ^bb0(%a: f32, %w: f32, %s1: f32, %s2: f32, %u: f32):
        %inv = arith.constant 6.25e-3 : f32
        %mean = arith.mulf %s1, %inv : f32
        %ms = arith.mulf %s2, %inv : f32
        %mm = arith.mulf %mean, %mean : f32
        %var = arith.subf %ms, %mm : f32
        %eps = arith.constant 1.0e-5 : f32
        %ve = arith.addf %var, %eps : f32
        %sd = math.sqrt %ve : f32
        %d = arith.subf %a, %mean : f32
        %q = arith.divf %d, %sd : f32
        %v = arith.mulf %q, %w : f32
        linalg.yield %v : f32
      } -> tensor<20xf32>
      %i = tensor.insert_slice %y into %acc[%k] [20] [1] : tensor<20xf32> into tensor<40xf32>
      scf.yield %i : tensor<40xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w1 into %o[%b, %base] [1, 40] [1, 1] : tensor<40xf32> into tensor<3x160xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>], egg.join = #egg.join<grid_barrier>}
  return %r : tensor<3x160xf32>
}

func.func private @plain_layernorm(%x: tensor<3x160xf32>, %g: tensor<160xf32>) -> tensor<3x160xf32> {
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<3x160xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<3x160xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<3x160xf32>, tensor<3xf32>) outs(%e : tensor<3x160xf32>) {
  ^bb0(%a: f32, %m: f32, %u: f32):
    %n = arith.constant 160.0 : f32
    %mean = arith.divf %m, %n : f32
    %v = arith.subf %a, %mean : f32
    linalg.yield %v : f32
  } -> tensor<3x160xf32>
  %sq = linalg.mul ins(%d, %d : tensor<3x160xf32>, tensor<3x160xf32>) outs(%e : tensor<3x160xf32>) -> tensor<3x160xf32>
  %q = linalg.reduce { arith.addf } ins(%sq : tensor<3x160xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%d, %q, %g : tensor<3x160xf32>, tensor<3xf32>, tensor<160xf32>) outs(%e : tensor<3x160xf32>) {
  ^bb0(%a: f32, %m: f32, %w: f32, %u: f32):
    %n = arith.constant 160.0 : f32
    %var = arith.divf %m, %n : f32
    %eps = arith.constant 1.0e-5 : f32
    %ve = arith.addf %var, %eps : f32
    %sd = math.sqrt %ve : f32
    %v = arith.divf %a, %sd : f32
    %r = arith.mulf %v, %w : f32
    linalg.yield %r : f32
  } -> tensor<3x160xf32>
  return %y : tensor<3x160xf32>
}

// 12 rows in steps of 4, 40 columns in tiles of 16: the last has 8.
func.func private @columns(%x: tensor<12x40xf32>) -> tensor<40xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %init = tensor.empty() : tensor<40xf32>
  %r = scf.forall (%j) = (0) to (40) step (16) shared_outs(%o = %init) -> (tensor<40xf32>) {
    %w = affine.min affine_map<(d0) -> (-d0 + 40, 16)>(%j)
    %e = tensor.empty(%w) : tensor<4x?xf32>
    %a0 = linalg.fill ins(%z : f32) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
    %acc = scf.for %k = %c0 to %c12 step %c4 iter_args(%a = %a0) -> (tensor<4x?xf32>) {
      %s = egg.read %x[%k, %j] sizes (%w) map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<12x40xf32> -> tensor<4x?xf32>
      %t = egg.place %s to registers depth = 2 : tensor<4x?xf32>
      %u = linalg.add ins(%t, %a : tensor<4x?xf32>, tensor<4x?xf32>) outs(%a : tensor<4x?xf32>) -> tensor<4x?xf32>
      scf.yield %u : tensor<4x?xf32>
    }
    %e1 = tensor.empty(%w) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.reduce { arith.addf } ins(%acc : tensor<4x?xf32>) outs(%f : tensor<?xf32>) dimensions = [0]
    scf.forall.in_parallel {
      egg.write %s into %o[%j] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<?xf32> into tensor<40xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<40xf32>
}

func.func private @full(%x: tensor<480xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %pe = tensor.empty() : tensor<8xf32>
  %part = scf.forall (%b) in (8) shared_outs(%o = %pe) -> (tensor<8xf32>) {
    %base = affine.apply affine_map<(d0) -> (d0 * 60)>(%b)
    %s = egg.read %x[%base] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<480xf32> -> tensor<60xf32>
    %es = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %t = linalg.reduce { arith.addf } ins(%s : tensor<60xf32>) outs(%f : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      egg.write %t into %o[%b] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<8xf32>
    }
  } {mapping = [#gpu.block<x>]}
  %init = tensor.empty() : tensor<f32>
  %r = scf.forall (%b) in (1) shared_outs(%o = %init) -> (tensor<f32>) {
    %f = linalg.fill ins(%z : f32) outs(%o : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%part : tensor<8xf32>) outs(%f : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[] [] [] : tensor<f32> into tensor<f32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<last_block>}
  return %r : tensor<f32>
}

// means = 0.9 means + 0.1 sums, in place: an iteration reads the slice that it
// writes, through the shared_out.
func.func private @running(%x: tensor<12x40xf32>, %means: tensor<12xf32> {egg.inout = 1 : index}) -> (tensor<12xf32>, tensor<12xf32>) {
  %z = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<12xf32>
  %r:2 = scf.forall (%c) in (12) shared_outs(%o = %init, %m = %means) -> (tensor<12xf32>, tensor<12xf32>) {
    %s = egg.read %x[%c] map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<12x40xf32> -> tensor<40xf32>
    %es = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %t = linalg.reduce { arith.addf } ins(%s : tensor<40xf32>) outs(%f : tensor<f32>) dimensions = [0]
    %old = egg.read %m[%c] map = affine_map<()[s0] -> (s0)> : tensor<12xf32> -> tensor<f32>
    %new = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%t, %old : tensor<f32>, tensor<f32>) outs(%es : tensor<f32>) {
    ^bb0(%a: f32, %b: f32, %u: f32):
      %c1 = arith.constant 0.1 : f32
      %c9 = arith.constant 0.9 : f32
      %p = arith.mulf %a, %c1 : f32
      %q = arith.mulf %b, %c9 : f32
      %w = arith.addf %p, %q : f32
      linalg.yield %w : f32
    } -> tensor<f32>
    scf.forall.in_parallel {
      egg.write %t into %o[%c] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<12xf32>
      egg.write %new into %m[%c] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<12xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1 : tensor<12xf32>, tensor<12xf32>
}

func.func @main() {
  %n = arith.constant 480 : index
  %s1 = arith.constant 3 : index
  %tol = arith.constant 1.0e-5 : f32
  %z = arith.constant 0.0 : f32
  %f = func.call @numbers(%n, %s1) : (index, index) -> tensor<?xf32>
  %x = tensor.cast %f : tensor<?xf32> to tensor<480xf32>
  %x3 = tensor.expand_shape %x [[0, 1]] output_shape [3, 160] : tensor<480xf32> into tensor<3x160xf32>
  %x12 = tensor.expand_shape %x [[0, 1]] output_shape [12, 40] : tensor<480xf32> into tensor<12x40xf32>
  %g = tensor.extract_slice %x[100] [160] [1] : tensor<480xf32> to tensor<160xf32>

  %lp = func.call @plain_layernorm(%x3, %g) : (tensor<3x160xf32>, tensor<160xf32>) -> tensor<3x160xf32>
  %lb = func.call @layernorm(%x3, %g) : (tensor<3x160xf32>, tensor<160xf32>) -> tensor<3x160xf32>
  %lpc = tensor.collapse_shape %lp [[0, 1]] : tensor<3x160xf32> into tensor<480xf32>
  %lbc = tensor.collapse_shape %lb [[0, 1]] : tensor<3x160xf32> into tensor<480xf32>
  %lpd = tensor.cast %lpc : tensor<480xf32> to tensor<?xf32>
  %lbd = tensor.cast %lbc : tensor<480xf32> to tensor<?xf32>
  // CHECK: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}4{{[0-9][0-9]$}}
  func.call @compare(%lbd, %lpd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()

  %e40 = tensor.empty() : tensor<40xf32>
  %z40 = linalg.fill ins(%z : f32) outs(%e40 : tensor<40xf32>) -> tensor<40xf32>
  %cp = linalg.reduce { arith.addf } ins(%x12 : tensor<12x40xf32>) outs(%z40 : tensor<40xf32>) dimensions = [0]
  %cb = func.call @columns(%x12) : (tensor<12x40xf32>) -> tensor<40xf32>
  %cpd = tensor.cast %cp : tensor<40xf32> to tensor<?xf32>
  %cbd = tensor.cast %cb : tensor<40xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}{{39|40}}{{$}}
  func.call @compare(%cbd, %cpd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()

  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %fp = linalg.reduce { arith.addf } ins(%x : tensor<480xf32>) outs(%z0 : tensor<f32>) dimensions = [0]
  %fb = func.call @full(%x) : (tensor<480xf32>) -> tensor<f32>
  %fpe = tensor.expand_shape %fp [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %fbe = tensor.expand_shape %fb [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %fpd = tensor.cast %fpe : tensor<1xf32> to tensor<?xf32>
  %fbd = tensor.cast %fbe : tensor<1xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}1{{$}}
  func.call @compare(%fbd, %fpd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()

  // Twice over, from 1.
  %one = arith.constant 1.0 : f32
  %e12 = tensor.empty() : tensor<12xf32>
  %m0 = linalg.fill ins(%one : f32) outs(%e12 : tensor<12xf32>) -> tensor<12xf32>
  %r:2 = func.call @running(%x12, %m0) : (tensor<12x40xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
  %q:2 = func.call @running(%x12, %r#1) : (tensor<12x40xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
  %z12 = linalg.fill ins(%z : f32) outs(%e12 : tensor<12xf32>) -> tensor<12xf32>
  %sp = linalg.reduce { arith.addf } ins(%x12 : tensor<12x40xf32>) outs(%z12 : tensor<12xf32>) dimensions = [1]
  %mp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%sp : tensor<12xf32>) outs(%e12 : tensor<12xf32>) {
  ^bb0(%a: f32, %u: f32):
    %c19 = arith.constant 0.19 : f32
    %c81 = arith.constant 0.81 : f32
    %p = arith.mulf %a, %c19 : f32
    %v = arith.addf %p, %c81 : f32
    linalg.yield %v : f32
  } -> tensor<12xf32>
  %mpd = tensor.cast %mp : tensor<12xf32> to tensor<?xf32>
  %mbd = tensor.cast %q#1 : tensor<12xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}12{{$}}
  func.call @compare(%mbd, %mpd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  return
}
