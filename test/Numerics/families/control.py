"""scf, several functions and results, chains that look as if in place, and
affine: payloads as a model would write them."""

import numpy as np

from case import Case, draw, exact, near, seeded
from .payload import main

FAMILY = "control"
INDEX = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
         "%c2 = arith.constant 2 : index", "%c3 = arith.constant 3 : index",
         "%c7 = arith.constant 7 : index"]
T = "tensor<7xf32>"
M = "tensor<7x3xf32>"


def _inputs(name, *shapes, t="f32"):
    rng = seeded(name)
    return [draw(rng, t, s) for s in shapes]


def _case(name, arguments, results, lines, inputs, expected, more=""):
    return Case(FAMILY, name, more + main(arguments, results, INDEX + lines), inputs, expected)


def _loops():
    a, = _inputs("for_sum", (7, 3))
    total = np.zeros(3, np.float32)
    for row in a:
        total = total + row
    yield _case("scf.for_rows-f32", [("%a", M)], [("%r", "tensor<3xf32>")],
                ["%z = arith.constant dense<0.0> : tensor<3xf32>",
                 "%r = scf.for %i = %c0 to %c7 step %c1 iter_args(%s = %z) -> tensor<3xf32> {",
                 "  %row = tensor.extract_slice %a[%i, 0] [1, 3] [1, 1] : tensor<7x3xf32> to tensor<3xf32>",
                 "  %n = linalg.add ins(%s, %row : tensor<3xf32>, tensor<3xf32>) outs(%z : tensor<3xf32>) -> tensor<3xf32>",
                 "  scf.yield %n : tensor<3xf32>", "}"], [a], [exact(total)])
    a, = _inputs("prefix", (7,))
    prefix = np.cumsum(a, dtype=np.float32)
    yield _case("scf.for_prefix-f32", [("%a", T)], [("%r", T)],
                ["%r = scf.for %i = %c1 to %c7 step %c1 iter_args(%s = %a) -> " + T + " {",
                 "  %p = arith.subi %i, %c1 : index", f"  %x = tensor.extract %s[%p] : {T}",
                 f"  %y = tensor.extract %s[%i] : {T}", "  %v = arith.addf %x, %y : f32",
                 f"  %n = tensor.insert %v into %s[%i] : {T}", f"  scf.yield %n : {T}", "}"],
                [a], [exact(prefix)])
    # Two values that change places: each iteration needs both old ones.
    a, b = _inputs("swap", (7,), (7,))
    yield _case("scf.for_swap-f32", [("%a", T), ("%b", T)], [("%r#0", T), ("%r#1", T)],
                [f"%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> ({T}, {T}) {{",
                 f"  scf.yield %y, %x : {T}, {T}", "}"], [a, b], [exact(b), exact(a)])
    x, y = np.float32(1.0), np.float32(1.0)
    for _ in range(7):
        x, y = y, np.float32(x + y)
    yield _case("scf.for_scalars-f32", [], [("%t", "tensor<f32>")],
                ["%one = arith.constant 1.0 : f32",
                 "%r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %one, %y = %one) -> (f32, f32) {",
                 "  %s = arith.addf %x, %y : f32", "  scf.yield %y, %s : f32, f32", "}",
                 "%t = tensor.from_elements %r#0 : tensor<f32>"], [], [exact(np.asarray(x))])
    yield _case("scf.for_zero_trips-f32", [("%a", T)], [("%r", T)],
                [f"%r = scf.for %i = %c3 to %c1 step %c1 iter_args(%s = %a) -> {T} {{",
                 f"  %v = arith.constant 5.0 : f32", f"  %n = tensor.insert %v into %s[%i] : {T}",
                 f"  scf.yield %n : {T}", "}"], [a], [exact(a)])
    m, = _inputs("nest", (7, 3))
    out = m.copy()
    for i in range(0, 7, 2):
        for j in range(3):
            out[i, j] = out[i, j] * np.float32(2) + (out[i - 1, j] if i else np.float32(0))
    yield _case("scf.for_nest_if-f32", [("%a", M)], [("%r", M)],
                ["%two = arith.constant 2.0 : f32", "%zero = arith.constant 0.0 : f32",
                 f"%r = scf.for %i = %c0 to %c7 step %c2 iter_args(%s = %a) -> {M} {{",
                 f"  %q = scf.for %j = %c0 to %c3 step %c1 iter_args(%u = %s) -> {M} {{",
                 f"    %x = tensor.extract %u[%i, %j] : {M}", "    %first = arith.cmpi eq, %i, %c0 : index",
                 "    %y = scf.if %first -> f32 {", "      scf.yield %zero : f32", "    } else {",
                 "      %p = arith.subi %i, %c1 : index", f"      %v = tensor.extract %u[%p, %j] : {M}",
                 "      scf.yield %v : f32", "    }", "    %d = arith.mulf %x, %two : f32",
                 "    %w = arith.addf %d, %y : f32", f"    %n = tensor.insert %w into %u[%i, %j] : {M}",
                 f"    scf.yield %n : {M}", "  }", f"  scf.yield %q : {M}", "}"], [m], [exact(out)])


def _branches():
    for flag in (False, True):
        a, b = _inputs("if", (7,), (7,))
        yield _case(f"scf.if_tensor-{flag}", [("%c", "tensor<i1>"), ("%a", T), ("%b", T)], [("%r", T)],
                    ["%f = tensor.extract %c[] : tensor<i1>", f"%r = scf.if %f -> {T} {{",
                     f"  %s = linalg.add ins(%a, %b : {T}, {T}) outs(%a : {T}) -> {T}",
                     f"  scf.yield %s : {T}", "} else {",
                     f"  %s = tensor.extract_slice %b[0] [7] [1] : {T} to {T}",
                     f"  scf.yield %s : {T}", "}"],
                    [np.array(flag), a, b], [exact(a + b if flag else b)])
    for start in (0, 1, 27):
        n, steps = start, 0
        while n > 1:
            n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
        yield _case(f"scf.while_collatz-{start}", [("%a", "tensor<i64>")], [("%t", "tensor<i64>")],
                    ["%n0 = tensor.extract %a[] : tensor<i64>", "%z = arith.constant 0 : i64",
                     "%one = arith.constant 1 : i64", "%two = arith.constant 2 : i64",
                     "%three = arith.constant 3 : i64",
                     "%r:2 = scf.while (%n = %n0, %s = %z) : (i64, i64) -> (i64, i64) {",
                     "  %c = arith.cmpi sgt, %n, %one : i64", "  scf.condition(%c) %n, %s : i64, i64",
                     "} do {", "^bb0(%n: i64, %s: i64):", "  %m = arith.remsi %n, %two : i64",
                     "  %even = arith.cmpi eq, %m, %z : i64", "  %h = arith.divsi %n, %two : i64",
                     "  %t3 = arith.muli %n, %three : i64", "  %o = arith.addi %t3, %one : i64",
                     "  %next = arith.select %even, %h, %o : i64", "  %k = arith.addi %s, %one : i64",
                     "  scf.yield %next, %k : i64, i64", "}",
                     "%t = tensor.from_elements %r#1 : tensor<i64>"],
                    [np.array(start, np.int64)], [exact(np.array(steps, np.int64))])
    a = np.array([5.0, 100.0, 3.0, 0.5, 0.25, 8.0, 1.0], np.float32)
    b = a.copy()
    while b.max() > 1:
        b = b * np.float32(0.5)
    yield _case("scf.while_tensor-f32", [("%a", T)], [("%r", T)],
                ["%half = arith.constant 5.0e-01 : f32", "%one = arith.constant 1.0 : f32",
                 "%ninf = arith.constant 0xFF800000 : f32",
                 f"%r = scf.while (%s = %a) : ({T}) -> {T} {{", "  %e = tensor.empty() : tensor<f32>",
                 "  %f = linalg.fill ins(%ninf : f32) outs(%e : tensor<f32>) -> tensor<f32>",
                 f"  %m = linalg.reduce {{ arith.maximumf }} ins(%s : {T}) outs(%f : tensor<f32>) dimensions = [0]",
                 "  %x = tensor.extract %m[] : tensor<f32>", "  %c = arith.cmpf ogt, %x, %one : f32",
                 f"  scf.condition(%c) %s : {T}", "} do {", f"^bb0(%s: {T}):",
                 f"  %e = tensor.empty() : {T}",
                 f"  %h = linalg.fill ins(%half : f32) outs(%e : {T}) -> {T}",
                 f"  %n = linalg.mul ins(%s, %h : {T}, {T}) outs(%e : {T}) -> {T}",
                 f"  scf.yield %n : {T}", "}"], [a], [exact(b)])


def _functions():
    a, b = _inputs("call", (7,), (7,))
    square = ("func.func private @square(%x: tensor<7xf32>) -> tensor<7xf32> {\n"
              "  %r = linalg.mul ins(%x, %x : tensor<7xf32>, tensor<7xf32>) outs(%x : tensor<7xf32>)"
              " -> tensor<7xf32>\n  return %r : tensor<7xf32>\n}\n")
    yield _case("func.call_twice-f32", [("%a", T), ("%b", T)], [("%r", T), ("%a", T)],
                [f"%x = func.call @square(%a) : ({T}) -> {T}", f"%y = func.call @square(%b) : ({T}) -> {T}",
                 f"%r = linalg.add ins(%x, %y : {T}, {T}) outs(%x : {T}) -> {T}"], [a, b],
                [exact(a * a + b * b), exact(a)], square)
    for name in ("malloc", "expf", "memcpy", "free", "egg.entry", "_mlir_ciface_main"):
        yield _case(f"func.named_{name}-f32", [("%a", T)], [("%r", T)],
                    [f"%s = func.call @\"{name}\"(%a) : ({T}) -> {T}", f"%e = tensor.empty() : {T}",
                     f"%r = linalg.exp ins(%s : {T}) outs(%e : {T}) -> {T}"], [a],
                    [near("f32", np.exp(a.astype(np.float64) ** 2), 4)],
                    square.replace("@square", f"@\"{name}\""))
    yield _case("func.no_arguments-f32", [], [("%r", T)],
                ["%v = arith.constant 2.0 : f32", f"%r = tensor.splat %v : {T}"], [],
                [exact(np.full(7, 2, np.float32))])
    yield Case(FAMILY, "func.only_public-f32", main([("%a", T)], [("%a", T)], []).replace(
        "@main", "@other"), [a], [exact(a)])


def _in_place():
    """Whatever looks like an update must leave what it was made from."""
    a, b = _inputs("chain", (7,), (7,))
    one = a.copy()
    one[2] = 5
    two = one.copy()
    two[3] = 6
    other = a.copy()
    other[3] = 6
    yield _case("chain.insert-f32", [("%a", T)],
                [("%a", T), ("%x", T), ("%y", T), ("%z", T)],
                ["%v = arith.constant 5.0 : f32", "%w = arith.constant 6.0 : f32",
                 f"%x = tensor.insert %v into %a[%c2] : {T}", f"%y = tensor.insert %w into %x[%c3] : {T}",
                 f"%z = tensor.insert %w into %a[%c3] : {T}"], [a],
                [exact(a), exact(one), exact(two), exact(other)])
    yield _case("chain.outs_is_argument-f32", [("%a", T), ("%b", T)], [("%x", T), ("%y", T), ("%a", T)],
                [f"%x = linalg.add ins(%a, %b : {T}, {T}) outs(%a : {T}) -> {T}",
                 f"%y = linalg.sub ins(%a, %b : {T}, {T}) outs(%a : {T}) -> {T}"], [a, b],
                [exact(a + b), exact(a - b), exact(a)])
    yield _case("chain.accumulate_argument-f32", [("%a", "tensor<3x3xf32>"), ("%c", "tensor<3x3xf32>")],
                [("%x", "tensor<3x3xf32>"), ("%c", "tensor<3x3xf32>")],
                ["%x = linalg.add ins(%a, %c : tensor<3x3xf32>, tensor<3x3xf32>) outs(%c : tensor<3x3xf32>) -> tensor<3x3xf32>"],
                [m := _inputs("acc", (3, 3))[0], n := _inputs("acc2", (3, 3))[0]],
                [exact(m + n), exact(n)])
    shifted = a.copy()
    shifted[1:] = a[:-1]
    yield _case("chain.overlapping_slices-f32", [("%a", T)], [("%r", T), ("%a", T)],
                [f"%s = tensor.extract_slice %a[0] [6] [1] : {T} to tensor<6xf32>",
                 f"%r = tensor.insert_slice %s into %a[1] [6] [1] : tensor<6xf32> into {T}"], [a],
                [exact(shifted), exact(a)])
    yield _case("chain.reverse_in_place-f32", [("%a", T)], [("%r", T), ("%a", T)],
                ["%c6 = arith.constant 6 : index",
                 f"%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %a) -> {T} {{",
                 "  %j = arith.subi %c6, %i : index", f"  %x = tensor.extract %s[%i] : {T}",
                 f"  %y = tensor.extract %s[%j] : {T}", f"  %u = tensor.insert %y into %s[%i] : {T}",
                 f"  %n = tensor.insert %x into %u[%j] : {T}", f"  scf.yield %n : {T}", "}"], [a],
                [exact(a[::-1].copy()), exact(a)])


def _affine():
    a, = _inputs("affine", (7, 3))
    yield _case("affine.apply-f32", [("%a", M)], [("%r", "tensor<3x7xf32>")],
                ["%r = tensor.generate {", "^bb0(%i: index, %j: index):",
                 "  %k = affine.apply affine_map<(d0, d1) -> ((d0 * 2 + d1) mod 7)>(%i, %j)",
                 "  %l = affine.min affine_map<(d0) -> (d0 floordiv 2, 2)>(%j)",
                 "  %m = affine.max affine_map<(d0) -> (d0 - 1, 0)>(%l)",
                 "  %v = tensor.extract %a[%k, %m] : tensor<7x3xf32>", "  tensor.yield %v : f32",
                 "} : tensor<3x7xf32>"], [a],
                [exact(np.array([[a[(2 * i + j) % 7, max(min(j // 2, 2) - 1, 0)] for j in range(7)]
                                 for i in range(3)], np.float32))])


FORALL = """func.func @main(%a: tensor<7x10xf32>) -> tensor<7x10xf32> {
  %e = tensor.empty() : tensor<7x10xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (7, 10) step (3, 4) shared_outs(%o = %e) -> (tensor<7x10xf32>) {
    %h = affine.min affine_map<(d0) -> (3, 7 - d0)>(%i)
    %w = affine.min affine_map<(d0) -> (4, 10 - d0)>(%j)
    %t = tensor.extract_slice %a[%i, %j] [%h, %w] [1, 1] : tensor<7x10xf32> to tensor<?x?xf32>
    %q = tensor.extract_slice %o[%i, %j] [%h, %w] [1, 1] : tensor<7x10xf32> to tensor<?x?xf32>
    %s = linalg.square ins(%t : tensor<?x?xf32>) outs(%q : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, %j] [%h, %w] [1, 1] : tensor<?x?xf32> into tensor<7x10xf32>
    }
  }
  return %r : tensor<7x10xf32>
}
"""


def _forall():
    a, = _inputs("forall", (7, 10))
    yield Case(FAMILY, "scf.forall_tiles-f32", FORALL, [a], [exact(a * a)])
    text = FORALL.replace("(%i, %j) = (0, 0) to (7, 10) step (3, 4)",
                          "(%i, %j) = (0, 0) to (7, 0) step (3, 4)").replace(
        "%e = tensor.empty() : tensor<7x10xf32>", "%e = arith.constant dense<2.0> : tensor<7x10xf32>")
    yield Case(FAMILY, "scf.forall_no_iterations-f32", text, [a],
               [exact(np.full((7, 10), 2, np.float32))])


def cases():
    return [*_loops(), *_branches(), *_functions(), *_in_place(), *_affine(), *_forall()]
