// Windows: max pooling and depthwise convolution over a halo box, a convolution
// as an implicit product that gathers and scatters through maps; against linalg.
// RUN: cat %S/Inputs/harness.mlir %s | egg-opt --egg-verify-grid -o %t.mlir
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=reversed poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=shuffled poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-normalize-block-program --egg-verify-grid --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s

// 4x4 windows, stride 1, pad 1, of 10x9 planes: 9x8. Tiles of 4x8 read a box of
// 7x11, -inf outside; the last tile computes all and writes what exists.
func.func private @pool(%x: tensor<2x10x9xf32>) -> tensor<2x9x8xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %init = tensor.empty() : tensor<2x9x8xf32>
  %r = scf.forall (%p, %i) = (0, 0) to (2, 9) step (1, 4) shared_outs(%o = %init) -> (tensor<2x9x8xf32>) {
    %b = egg.read %x[%p, %i] fill (%ninf : f32) map = affine_map<(d0, d1)[s0, s1] -> (s0, s1 + d0 - 1, d1 - 1)> : tensor<2x10x9xf32> -> tensor<7x11xf32>
    %bs = egg.place %b to shared pitch = 12 copy = cp_async : tensor<7x11xf32>
    %k = tensor.empty() : tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %f = linalg.fill ins(%ninf : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%bs, %k : tensor<7x11xf32>, tensor<4x4xf32>) outs(%f : tensor<4x8xf32>) {
    ^bb0(%a: f32, %u: f32, %c: f32):
      %v = arith.maximumf %a, %c : f32
      linalg.yield %v : f32
    } -> tensor<4x8xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%p, %i] map = affine_map<(d0, d1)[s0, s1] -> (s0, s1 + d0, d1)> : tensor<4x8xf32> into tensor<2x9x8xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<2x9x8xf32>
}

// 3x3, pad 1: whole planes of 6x5, 2 a block, weights by channel (3 of them).
func.func private @depthwise(%x: tensor<6x6x5xf32>, %w: tensor<3x3x3xf32>) -> tensor<6x6x5xf32> {
  %z = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<6x6x5xf32>
  %r = scf.forall (%p) = (0) to (6) step (2) shared_outs(%o = %init) -> (tensor<6x6x5xf32>) {
    %b = egg.read %x[%p] fill (%z : f32) map = affine_map<(d0, d1, d2)[s0] -> (s0 + d0, d1 - 1, d2 - 1)> : tensor<6x6x5xf32> -> tensor<2x8x7xf32>
    %bs = egg.place %b to shared pitch = 8 : tensor<2x8x7xf32>
    %k = egg.read %w[%p] map = affine_map<(d0, d1, d2)[s0] -> ((s0 + d0) mod 3, d1, d2)> : tensor<3x3x3xf32> -> tensor<2x3x3xf32>
    %e = tensor.empty() : tensor<2x6x5xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(c, i, j, a, b) -> (c, i + a, j + b)>, affine_map<(c, i, j, a, b) -> (c, a, b)>, affine_map<(c, i, j, a, b) -> (c, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%bs, %k : tensor<2x8x7xf32>, tensor<2x3x3xf32>) outs(%f : tensor<2x6x5xf32>) {
    ^bb0(%u: f32, %v: f32, %acc: f32):
      %q = arith.mulf %u, %v : f32
      %s = arith.addf %q, %acc : f32
      linalg.yield %s : f32
    } -> tensor<2x6x5xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%p] map = affine_map<(d0, d1, d2)[s0] -> (s0 + d0, d1, d2)> : tensor<2x6x5xf32> into tensor<6x6x5xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<6x6x5xf32>
}

// NCHW 3x3 pad 1, 3 images of 2 channels of 5x4, 4 filters: M = 4 filters, N = 60
// positions over all images, K = 18. Tiles of 16 positions straddle images: the
// read undoes it by its map, and so does the write.
func.func private @conv(%x: tensor<3x2x5x4xf32>, %w: tensor<4x18xf32>) -> tensor<3x4x5x4xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c18 = arith.constant 18 : index
  %init = tensor.empty() : tensor<3x4x5x4xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (4, 60) step (2, 16) shared_outs(%o = %init) -> (tensor<3x4x5x4xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 60, 16)>(%j)
    %e = tensor.empty(%n) : tensor<2x?xf32>
    %a0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x?xf32>) -> tensor<2x?xf32>
    %acc = scf.for %k = %c0 to %c18 step %c6 iter_args(%c = %a0) -> (tensor<2x?xf32>) {
      %a = egg.read %w[%i, %k] map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<4x18xf32> -> tensor<2x6xf32>
      %b = egg.read %x[%k, %j] sizes (%n) fill (%z : f32)
        map = affine_map<(d0, d1)[s0, s1] -> ((s1 + d1) floordiv 20, (s0 + d0) floordiv 9,
              ((s1 + d1) mod 20) floordiv 4 + ((s0 + d0) mod 9) floordiv 3 - 1, (s1 + d1) mod 4 + (s0 + d0) mod 3 - 1)>
        : tensor<3x2x5x4xf32> -> tensor<6x?xf32>
      %as = egg.place %a to shared depth = 3 : tensor<2x6xf32>
      %bs = egg.place %b to shared copy = cp_async depth = 3 : tensor<6x?xf32>
      %m = linalg.matmul ins(%as, %bs : tensor<2x6xf32>, tensor<6x?xf32>) outs(%c : tensor<2x?xf32>) -> tensor<2x?xf32>
      scf.yield %m : tensor<2x?xf32>
    }
    scf.forall.in_parallel {
      egg.write %acc into %o[%i, %j]
        map = affine_map<(d0, d1)[s0, s1] -> ((s1 + d1) floordiv 20, s0 + d0, ((s1 + d1) mod 20) floordiv 4, (s1 + d1) mod 4)>
        : tensor<2x?xf32> into tensor<3x4x5x4xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<3x4x5x4xf32>
}

func.func @main() {
  %n = arith.constant 180 : index
  %s1 = arith.constant 4 : index
  %s2 = arith.constant 9 : index
  %tol = arith.constant 2.0e-6 : f32
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %f = func.call @numbers(%n, %s1) : (index, index) -> tensor<?xf32>
  %g = func.call @numbers(%n, %s2) : (index, index) -> tensor<?xf32>
  %x = tensor.cast %f : tensor<?xf32> to tensor<180xf32>
  %y = tensor.cast %g : tensor<?xf32> to tensor<180xf32>

  %xp = tensor.expand_shape %x [[0, 1, 2]] output_shape [2, 10, 9] : tensor<180xf32> into tensor<2x10x9xf32>
  %pp = tensor.pad %xp low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %ninf : f32
  } : tensor<2x10x9xf32> to tensor<2x12x11xf32>
  %pk = tensor.empty() : tensor<4x4xf32>
  %pe = tensor.empty() : tensor<2x9x8xf32>
  %pf = linalg.fill ins(%ninf : f32) outs(%pe : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(c, i, j, a, b) -> (c, i + a, j + b)>, affine_map<(c, i, j, a, b) -> (a, b)>, affine_map<(c, i, j, a, b) -> (c, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%pp, %pk : tensor<2x12x11xf32>, tensor<4x4xf32>) outs(%pf : tensor<2x9x8xf32>) {
  ^bb0(%a: f32, %u: f32, %c: f32):
    %v = arith.maximumf %a, %c : f32
    linalg.yield %v : f32
  } -> tensor<2x9x8xf32>
  %pb = func.call @pool(%xp) : (tensor<2x10x9xf32>) -> tensor<2x9x8xf32>
  %pc = tensor.collapse_shape %p [[0, 1, 2]] : tensor<2x9x8xf32> into tensor<144xf32>
  %pbc = tensor.collapse_shape %pb [[0, 1, 2]] : tensor<2x9x8xf32> into tensor<144xf32>
  %pd = tensor.cast %pc : tensor<144xf32> to tensor<?xf32>
  %pbd = tensor.cast %pbc : tensor<144xf32> to tensor<?xf32>
  // CHECK: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}144{{$}}
  func.call @compare(%pbd, %pd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()

  %dx = tensor.expand_shape %x [[0, 1, 2]] output_shape [6, 6, 5] : tensor<180xf32> into tensor<6x6x5xf32>
  %w27 = tensor.extract_slice %y[0] [27] [1] : tensor<180xf32> to tensor<27xf32>
  %dw = tensor.expand_shape %w27 [[0, 1, 2]] output_shape [3, 3, 3] : tensor<27xf32> into tensor<3x3x3xf32>
  %dpad = tensor.pad %dx low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %z : f32
  } : tensor<6x6x5xf32> to tensor<6x8x7xf32>
  %d4 = tensor.expand_shape %dpad [[0, 1], [2], [3]] output_shape [2, 3, 8, 7] : tensor<6x8x7xf32> into tensor<2x3x8x7xf32>
  %de = tensor.empty() : tensor<2x3x6x5xf32>
  %df = linalg.fill ins(%z : f32) outs(%de : tensor<2x3x6x5xf32>) -> tensor<2x3x6x5xf32>
  %d = linalg.depthwise_conv_2d_nchw_chw ins(%d4, %dw : tensor<2x3x8x7xf32>, tensor<3x3x3xf32>) outs(%df : tensor<2x3x6x5xf32>) -> tensor<2x3x6x5xf32>
  %db = func.call @depthwise(%dx, %dw) : (tensor<6x6x5xf32>, tensor<3x3x3xf32>) -> tensor<6x6x5xf32>
  %dc = tensor.collapse_shape %d [[0, 1, 2, 3]] : tensor<2x3x6x5xf32> into tensor<180xf32>
  %dbc = tensor.collapse_shape %db [[0, 1, 2]] : tensor<6x6x5xf32> into tensor<180xf32>
  %dd = tensor.cast %dc : tensor<180xf32> to tensor<?xf32>
  %dbd = tensor.cast %dbc : tensor<180xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}1{{[78][0-9]$}}
  func.call @compare(%dbd, %dd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()

  %x120 = tensor.extract_slice %x[0] [120] [1] : tensor<180xf32> to tensor<120xf32>
  %cx = tensor.expand_shape %x120 [[0, 1, 2, 3]] output_shape [3, 2, 5, 4] : tensor<120xf32> into tensor<3x2x5x4xf32>
  %w72 = tensor.extract_slice %y[0] [72] [1] : tensor<180xf32> to tensor<72xf32>
  %cw = tensor.expand_shape %w72 [[0, 1, 2, 3]] output_shape [4, 2, 3, 3] : tensor<72xf32> into tensor<4x2x3x3xf32>
  %cm = tensor.expand_shape %w72 [[0, 1]] output_shape [4, 18] : tensor<72xf32> into tensor<4x18xf32>
  %cpad = tensor.pad %cx low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %e: index):
    tensor.yield %z : f32
  } : tensor<3x2x5x4xf32> to tensor<3x2x7x6xf32>
  %ce = tensor.empty() : tensor<3x4x5x4xf32>
  %cf = linalg.fill ins(%z : f32) outs(%ce : tensor<3x4x5x4xf32>) -> tensor<3x4x5x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%cpad, %cw : tensor<3x2x7x6xf32>, tensor<4x2x3x3xf32>) outs(%cf : tensor<3x4x5x4xf32>) -> tensor<3x4x5x4xf32>
  %cb = func.call @conv(%cx, %cm) : (tensor<3x2x5x4xf32>, tensor<4x18xf32>) -> tensor<3x4x5x4xf32>
  %cc = tensor.collapse_shape %c [[0, 1, 2, 3]] : tensor<3x4x5x4xf32> into tensor<240xf32>
  %cbc = tensor.collapse_shape %cb [[0, 1, 2, 3]] : tensor<3x4x5x4xf32> into tensor<240xf32>
  %cd = tensor.cast %cc : tensor<240xf32> to tensor<?xf32>
  %cbd = tensor.cast %cbc : tensor<240xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}2{{[34][0-9]$}}
  func.call @compare(%cbd, %cd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  return
}
