#!/usr/bin/env python3
"""The order of scf.forall: a legal loop gives one result in every order, an
illegal one shows itself, and what no iteration writes shows the poison.

usage: forall_order.py COMMAND (a child that reads order, seed and poison)
"""

import shlex
import sys

import numpy as np

from backends import CpuBackend
from case import Case

# Each iteration adds its place to 3 times what it finds: order matters.
CARRIED = """func.func @main() -> tensor<1xi64> {
  %z = arith.constant dense<0> : tensor<1xi64>
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i64
  %r = scf.forall (%i) in (5) shared_outs(%o = %z) -> (tensor<1xi64>) {
    %x = tensor.extract %o[%c0] : tensor<1xi64>
    %m = arith.muli %x, %three : i64
    %k = arith.index_cast %i : index to i64
    %s = arith.addi %m, %k : i64
    %t = tensor.from_elements %s : tensor<1xi64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0] [1] [1] : tensor<1xi64> into tensor<1xi64>
    }
  }
  return %r : tensor<1xi64>
}
"""

# Iteration i writes element 2 i: the odd ones keep what they had.
HOLES = """func.func @main(%a: tensor<5xf32>) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<10xf32>
  %r = scf.forall (%i) in (5) shared_outs(%o = %e) -> (tensor<10xf32>) {
    %t = tensor.extract_slice %a[%i] [1] [1] : tensor<5xf32> to tensor<1xf32>
    %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%k] [1] [1] : tensor<1xf32> into tensor<10xf32>
    }
  }
  return %r : tensor<10xf32>
}
"""


def carried(order):
    value = 0
    for i in order:
        value = 3 * value + i
    return value


def main() -> int:
    def run(text, inputs, **fields):
        backend = CpuBackend(shlex.split(sys.argv[1]), {"promote": "none", **fields})
        result, = backend.run(Case("order", "order", text, inputs, []))
        backend.close()
        return result

    assert run(CARRIED, [])[0] == carried(range(5))
    assert run(CARRIED, [], order="reversed")[0] == carried(reversed(range(5)))
    seen = {int(run(CARRIED, [], order="shuffled", seed=seed)[0]) for seed in range(8)}
    assert len(seen) > 3, f"eight seeds gave {len(seen)} orders"
    again = {int(run(CARRIED, [], order="shuffled", seed=seed)[0]) for seed in range(8)}
    assert again == seen, "a seed gave two orders"
    from itertools import permutations
    assert seen <= {carried(p) for p in permutations(range(5))}, "no permutation gives this"

    a = np.arange(5, dtype=np.float32)
    for fields in ({}, {"order": "reversed"}, {"order": "shuffled", "seed": 3}):
        result = run(HOLES, [a], **fields)
        assert (result[::2] == a).all(), result
        assert np.isnan(result[1::2]).all(), f"the holes hold {result[1::2]}"
    other = run(HOLES, [a], poison=0x7f)
    assert (other[1::2] == np.frombuffer(b"\x7f" * 4, np.float32)[0]).all(), other
    print("orders and poison as they must be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
