"""Block programs: egg's own ops in grid loops, which the CPU runs in sequence."""

import numpy as np

from case import Case, draw, exact, seeded

FAMILY = "block"

COPY = """func.func @main(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (28, 30) step (7, 16) shared_outs(%o = %e) -> (tensor<28x30xf32>) {
    %w = affine.min affine_map<(d0) -> (-d0 + 30, 16)>(%j)
    %t = egg.read %x[%i, %j] sizes (%w) map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<28x30xf32> -> tensor<7x?xf32>
    %p = egg.place %t to shared : tensor<7x?xf32>
    scf.forall.in_parallel {
      egg.write %p into %o[%i, %j] map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<7x?xf32> into tensor<28x30xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<28x30xf32>
}
"""

# 3x3 windows with a border of one; the last tile of rows is ragged, and what
# lies outside the source is the fill.
POOL = """func.func @main(%x: tensor<2x7x6xf32>) -> tensor<2x7x6xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %init = tensor.empty() : tensor<2x7x6xf32>
  %r = scf.forall (%p, %i) = (0, 0) to (2, 7) step (1, 4) shared_outs(%o = %init) -> (tensor<2x7x6xf32>) {
    %b = egg.read %x[%p, %i] fill (%ninf : f32) map = affine_map<(d0, d1)[s0, s1] -> (s0, s1 + d0 - 1, d1 - 1)> : tensor<2x7x6xf32> -> tensor<6x8xf32>
    %k = tensor.empty() : tensor<3x3xf32>
    %e = tensor.empty() : tensor<4x6xf32>
    %f = linalg.fill ins(%ninf : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%b, %k : tensor<6x8xf32>, tensor<3x3xf32>) outs(%f : tensor<4x6xf32>) {
    ^bb0(%a: f32, %u: f32, %c: f32):
      %v = arith.maximumf %a, %c : f32
      linalg.yield %v : f32
    } -> tensor<4x6xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%p, %i] map = affine_map<(d0, d1)[s0, s1] -> (s0, s1 + d0, d1)> : tensor<4x6xf32> into tensor<2x7x6xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<2x7x6xf32>
}
"""


def _pooled(a):
    wide = np.pad(a, ((0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    views = [wide[:, i:i + 7, j:j + 6] for i in range(3) for j in range(3)]
    return np.max(views, axis=0).astype(np.float32)


def cases():
    a = draw(seeded("block copy"), "f32", (28, 30))
    b = draw(seeded("block pool"), "f32", (2, 7, 6))
    return [Case(FAMILY, "block.copy-f32", COPY, [a], [exact(a)]),
            Case(FAMILY, "block.max_pool-f32", POOL, [b], [exact(_pooled(b))])]
