"""Block programs through egg's own CPU runner, against NumPy.

usage: numpy_check.py COMMAND   (a child that answers run-cpu requests)
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Numerics"))

import numpy as np  # noqa: E402
from backends import CpuBackend  # noqa: E402
from case import Case  # noqa: E402

SCALE_AND_FLIP = """
func.func @main(%x: tensor<13x30xf32>) -> tensor<13x30xf32> {
  %init = tensor.empty() : tensor<13x30xf32>
  %r = scf.forall (%i) = (0) to (13) step (4) shared_outs(%o = %init) -> (tensor<13x30xf32>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 13, 4)>(%i)
    %s = egg.read %x[%i] sizes (%h) map = affine_map<(d0, d1)[s0] -> (s0 + d0, 29 - d1)> : tensor<13x30xf32> -> tensor<?x30xf32>
    %p = egg.place %s to registers : tensor<?x30xf32>
    %e = tensor.empty(%h) : tensor<?x30xf32>
    %y = linalg.add ins(%p, %p : tensor<?x30xf32>, tensor<?x30xf32>) outs(%e : tensor<?x30xf32>) -> tensor<?x30xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%i] map = affine_map<(d0, d1)[s0] -> (s0 + d0, d1)> : tensor<?x30xf32> into tensor<13x30xf32>
    }
  } {mapping = [#gpu.block<x>], egg.grid = #egg.grid<threads = 64>}
  return %r : tensor<13x30xf32>
}
"""

SCAN = """
func.func @main(%x: tensor<5x17xi32>) -> (tensor<5x17xi32>, tensor<5xi32>) {
  %i0 = tensor.empty() : tensor<5x17xi32>
  %i1 = tensor.empty() : tensor<5xi32>
  %r:2 = scf.forall (%i) in (5) shared_outs(%o = %i0, %p = %i1) -> (tensor<5x17xi32>, tensor<5xi32>) {
    %s = egg.read %x[%i] map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<5x17xi32> -> tensor<17xi32>
    %c, %t = egg.scan %s dim = 0 {
    ^bb0(%a: i32, %b: i32):
      %q = arith.addi %a, %b : i32
      egg.yield %q : i32
    } : tensor<17xi32> -> tensor<17xi32>, tensor<i32>
    scf.forall.in_parallel {
      egg.write %c into %o[%i] map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<17xi32> into tensor<5x17xi32>
      tensor.parallel_insert_slice %t into %p[%i] [1] [1] : tensor<i32> into tensor<5xi32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1 : tensor<5x17xi32>, tensor<5xi32>
}
"""

CONVOLUTION = """
func.func @main(%x: tensor<11xf32>, %w: tensor<3xf32>) -> tensor<11xf32> {
  %z = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<11xf32>
  %r = scf.forall (%i) = (0) to (11) step (4) shared_outs(%o = %init) -> (tensor<11xf32>) {
    %s = egg.read %x[%i] fill (%z : f32) map = affine_map<(d0)[s0] -> (s0 + d0 - 1)> : tensor<11xf32> -> tensor<6xf32>
    %b = egg.place %s to shared pitch = 8 : tensor<6xf32>
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %y = linalg.conv_1d ins(%b, %w : tensor<6xf32>, tensor<3xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<4xf32> into tensor<11xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<11xf32>
}
"""

LEAVES = """
func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
  %i = arith.constant 5 : index
  %t = egg.read %x[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> -> tensor<4xf32>
  return %t : tensor<4xf32>
}
"""


def main() -> int:
    rng = np.random.default_rng(1)
    x = rng.integers(-50, 50, (13, 30)).astype(np.float32)
    n = rng.integers(-50, 50, (5, 17)).astype(np.int32)
    v = rng.integers(-8, 8, 11).astype(np.float32)
    w = np.array([1, 3, -2], np.float32)
    cases = [
        ("flip", SCALE_AND_FLIP, [x], [2 * x[:, ::-1]]),
        ("scan", SCAN, [n], [np.cumsum(n, 1, dtype=np.int32), n.sum(1, dtype=np.int32)]),
        ("convolution", CONVOLUTION, [v, w], [np.convolve(np.pad(v, 1), w[::-1], "valid")]),
    ]
    backend = CpuBackend(sys.argv[1:], {"promote": "none"})
    failed = 0
    for name, text, inputs, expected in cases:
        got = backend.run(Case("block", name, text, inputs, []))
        good = len(got) == len(expected) and all(map(np.array_equal, got, expected))
        print(name, "ok" if good else "FAIL")
        failed += not good
    try:
        backend.run(Case("block", "leaves", LEAVES, [v[:8]], []))
        print("leaves FAIL")
        failed += 1
    except Exception as refused:  # the child's answer, of kind illegal-access
        print("leaves", refused)
    backend.close()
    return failed


if __name__ == "__main__":
    sys.exit(main())
