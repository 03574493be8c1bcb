#!/usr/bin/env python3
"""What a run on the CPU must refuse or survive, each with its kind of error.

usage: refusals.py COMMAND (a child that answers run-cpu requests)
"""

import shlex
import sys

import numpy as np

from backends import CpuBackend, Refused
from case import Case
from families.payload import main as payload

F = "tensor<4xf32>"
ZEROS = np.zeros(4, np.float32)
ONE = np.zeros((), np.int64)

# name, payload, inputs, kind, what the sentence holds
CASES = [
    ("declares system",
     "func.func private @system(memref<1xi8>) -> i32\n" + payload([("%a", F)], [("%a", F)], []),
     [ZEROS], "verify unsupported lower", "@system"),
    ("declares puts, which the symbol map has",
     "func.func private @puts(i64) -> i32\n" + payload(
         [("%a", F)], [("%a", F)], ["%c = arith.constant 1 : i64",
                                    "%r = func.call @puts(%c) : (i64) -> i32"]),
     [ZEROS], "verify unsupported lower", "@puts"),
    ("is LLVM's dialect",
     "llvm.func @system(!llvm.ptr) -> i32\n" + payload([("%a", F)], [("%a", F)], []),
     [ZEROS], "parse unsupported", "llvm"),
    ("reads past the end",
     payload([("%a", F), ("%i", "tensor<i64>")], [("%r", "tensor<f32>")],
             ["%n = tensor.extract %i[] : tensor<i64>", "%x = arith.index_cast %n : i64 to index",
              f"%v = tensor.extract %a[%x] : {F}", "%r = tensor.from_elements %v : tensor<f32>"]),
     [ZEROS, ONE + 4], "illegal-access", "out-of-bounds"),
    ("writes before the start",
     payload([("%a", F), ("%i", "tensor<i64>")], [("%r", F)],
             ["%n = tensor.extract %i[] : tensor<i64>", "%x = arith.index_cast %n : i64 to index",
              "%v = arith.constant 1.0 : f32", f"%r = tensor.insert %v into %a[%x] : {F}"]),
     [ZEROS, ONE - 1], "illegal-access", "out-of-bounds"),
    ("slices past the end",
     payload([("%a", F), ("%i", "tensor<i64>")], [("%r", "tensor<2xf32>")],
             ["%n = tensor.extract %i[] : tensor<i64>", "%x = arith.index_cast %n : i64 to index",
              f"%r = tensor.extract_slice %a[%x] [2] [1] : {F} to tensor<2xf32>"]),
     [ZEROS, ONE + 3], "illegal-access", "out-of-bounds"),
    ("needs a terabyte",
     payload([], [("%r", "tensor<f32>")],
             ["%c = arith.constant 1.0 : f32", "%z = arith.constant 0 : index",
              "%e = tensor.empty() : tensor<274877906944xf32>",
              "%f = linalg.fill ins(%c : f32) outs(%e : tensor<274877906944xf32>) -> tensor<274877906944xf32>",
              "%v = tensor.extract %f[%z] : tensor<274877906944xf32>",
              "%r = tensor.from_elements %v : tensor<f32>"]),
     [], "out-of-memory", "4294967296"),
    ("returns a terabyte",
     payload([], [("%e", "tensor<274877906944xf32>")],
             ["%e = tensor.empty() : tensor<274877906944xf32>"]), [], "limit", "1099511627776"),
    ("has more bytes than 64 bits count",
     payload([], [("%e", "tensor<4294967296x4294967296x8xf32>")],
             ["%e = tensor.empty() : tensor<4294967296x4294967296x8xf32>"]), [], "limit", "size"),
    ("recurses without end",
     "func.func private @f(%x: i64) -> i64 {\n  %r = func.call @f(%x) : (i64) -> i64\n"
     "  %s = arith.addi %r, %x : i64\n  return %s : i64\n}\n" + payload(
         [("%a", "tensor<i64>")], [("%r", "tensor<i64>")],
         ["%n = tensor.extract %a[] : tensor<i64>", "%m = func.call @f(%n) : (i64) -> i64",
          "%r = tensor.from_elements %m : tensor<i64>"]),
     [ONE], "illegal-access builder-died lower", ""),
    ("has a dynamic argument", payload([("%a", "tensor<?xf32>")], [("%a", "tensor<?xf32>")], []),
     [ZEROS], "unsupported", "tensor<?xf32>"),
    ("has an element type of its own", payload([("%a", "tensor<4xi3>")], [("%a", "tensor<4xi3>")], []),
     [ZEROS], "unsupported", "i3"),
    ("gets another shape", payload([("%a", "tensor<5xf32>")], [("%a", "tensor<5xf32>")], []),
     [ZEROS], "verify", "5xf32"),
    ("gets another type", payload([("%a", "tensor<4xi32>")], [("%a", "tensor<4xi32>")], []),
     [ZEROS], "verify", "4xi32"),
    ("gets too few inputs", payload([("%a", F), ("%b", F)], [("%a", F)], []), [ZEROS], "verify", "2"),
    ("reads a tile past the end",
     "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %c = arith.constant 1 : index\n"
     "  %r = egg.read %a[%c] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<4xf32> -> tensor<4xf32>\n"
     "  return %r : tensor<4xf32>\n}\n", [ZEROS], "illegal-access", "outside its source"),
    ("launches a kernel",
     payload([("%a", F)], [("%a", F)], ["gpu.barrier"]), [ZEROS], "unsupported", "gpu.barrier"),
    ("has no function", "module {}", [], "verify unsupported", "function"),
    ("is no text", "\x00\xff(", [], "parse", ""),
]


def main() -> int:
    backend = CpuBackend(shlex.split(sys.argv[1]), {"promote": "none"})
    passed = 0
    for name, text, inputs, kinds, words in CASES:
        try:
            backend.run(Case("refusals", name, text, inputs, []))
            print(f"FAIL {name}: it ran")
        except Refused as error:
            if error.kind in kinds.split() and words in str(error):
                passed += 1
            else:
                print(f"FAIL {name}: {error}")
    backend.close()
    print(f"{passed} of {len(CASES)} refused")
    return 0 if passed == len(CASES) else 1


if __name__ == "__main__":
    sys.exit(main())
