"""Payloads against the plain lowering: what looks as if it could be done in place,
what a branch that is not taken would do, empty tensors, and the ops that only the
plain lowering takes. They run where --backend=emulator runs, not on the CPU."""

import numpy as np

from case import INTEGERS, Case, draw, exact, rounded, seeded, ttype
from .payload import main

FAMILY = "plain"
INDEX = [f"%c{n} = arith.constant {n} : index" for n in range(8)]


def _case(name, inputs, results, lines, expected, more=""):
    """The inputs are %a, %b ...; `results` are (value, type)."""
    arguments = [(f"%{letter}", ttype(x)) for letter, x in zip("abcdefg", inputs)]
    return Case(FAMILY, f"plain.{name}", more + main(arguments, results, INDEX + lines),
                inputs, expected)


def _draw(name, t, *shape):
    return draw(seeded(name), t, shape)


def _gathers():
    for t in ("f32", "bf16", "i8", "i1"):
        for k in ("i32", "i64"):
            a = _draw(f"gather{t}{k}", t, 5, 3, 4)
            at = seeded(f"at{t}{k}").integers(0, 3, (2, 6, 2)).astype("int" + k[1:])
            source, index = ttype(a), ttype(at)
            # Dimensions 0 and 2 are gathered, the batch is 2 x 6.
            got = a[at[..., 0], :, at[..., 1]]
            small = f"tensor<2x6x3x{t}>"
            yield _case(f"gather_reduced-{t}-{k}", [a, at], [("%r", small)],
                        [f"%r = tensor.gather %a[%b] gather_dims([0, 2]) : ({source}, {index}) -> {small}"],
                        [exact(got)])
            full = f"tensor<2x6x1x3x1x{t}>"
            yield _case(f"gather-{t}-{k}", [a, at], [("%r", full)],
                        [f"%r = tensor.gather %a[%b] gather_dims([0, 2]) : ({source}, {index}) -> {full}"],
                        [exact(got.reshape(2, 6, 1, 3, 1))])
        rows = seeded("rows" + t).permutation(7)[:4].reshape(2, 2, 1)
        dest, source = _draw("dest" + t, t, 7, 3), _draw("source" + t, t, 2, 2, 3)
        want = dest.copy()
        want[rows[..., 0]] = source
        for reduced in (True, False):
            src = source if reduced else source.reshape(2, 2, 1, 3)
            yield _case(f"scatter{'_reduced' if reduced else ''}-{t}", [src, dest, rows],
                        [("%r", ttype(dest)), ("%b", ttype(dest))],
                        [f"%r = tensor.scatter %a into %b[%c] scatter_dims([0]) unique : "
                         f"({ttype(src)}, {ttype(dest)}, {ttype(rows)}) -> {ttype(dest)}"],
                        [exact(want), exact(dest)])
    a = _draw("empty_gather", "f32", 5, 3)
    at = np.zeros((0, 1), np.int64)
    yield _case("gather_nothing", [a, at], [("%r", "tensor<0x3xf32>")],
                [f"%r = tensor.gather %a[%b] gather_dims([0]) : ({ttype(a)}, {ttype(at)}) -> tensor<0x3xf32>"],
                [exact(np.zeros((0, 3), np.float32))])
    src = np.zeros((0, 3), np.float32)
    yield _case("scatter_nothing", [src, a, at], [("%r", ttype(a))],
                [f"%r = tensor.scatter %a into %b[%c] scatter_dims([0]) unique : "
                 f"({ttype(src)}, {ttype(a)}, {ttype(at)}) -> {ttype(a)}"], [exact(a)])


def _empty():
    """Tensors without elements, as sources, results and reduced dimensions."""
    none, a = np.zeros((0, 3), np.float32), _draw("empty", "f32", 4, 3)
    n, t = ttype(none), ttype(a)
    yield _case("from_elements_none", [], [("%r", "tensor<0xf32>")],
                ["%r = tensor.from_elements : tensor<0xf32>"], [exact(np.zeros(0, np.float32))])
    yield _case("concat_none", [none, a], [("%r", t), ("%s", n)],
                [f"%r = tensor.concat dim(0) %a, %b, %a : ({n}, {t}, {n}) -> {t}",
                 f"%s = tensor.concat dim(0) %a, %a : ({n}, {n}) -> {n}"], [exact(a), exact(none)])
    yield _case("pad_none", [none], [("%r", "tensor<2x5xf32>")],
                ["%v = arith.constant 7.0 : f32", "%r = tensor.pad %a low[2, 1] high[0, 1] {",
                 "^bb0(%i: index, %j: index):", "  tensor.yield %v : f32", f"}} : {n} to tensor<2x5xf32>"],
                [exact(np.full((2, 5), 7, np.float32))])
    yield _case("insert_none", [none, a], [("%r", t)],
                [f"%r = tensor.insert_slice %a into %b[2, 0] [0, 3] [1, 1] : {n} into {t}"], [exact(a)])
    yield _case("matmul_none", [np.zeros((4, 0), np.float32), none, a], [("%r", t)],
                [f"%r = linalg.matmul ins(%a, %b : tensor<4x0xf32>, {n}) outs(%c : {t}) -> {t}"],
                [exact(a)])
    # An output of two maps, so in memory, with no iterations.
    yield _case("diagonal_none", [np.zeros(0, np.float32), a[:3]], [("%r", "tensor<3x3xf32>")],
                ["%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, i)>],"
                 " iterator_types = [\"parallel\", \"reduction\"]} ins(%a : tensor<0xf32>) outs(%b : tensor<3x3xf32>) {",
                 "^bb0(%x: f32, %o: f32):", "  %s = arith.addf %x, %o : f32", "  linalg.yield %s : f32",
                 "} -> tensor<3x3xf32>"], [exact(a[:3])])
    yield _case("loop_none", [none, a], [("%r#0", n), ("%r#1", t)],
                [f"%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> ({n}, {t}) {{",
                 f"  %z = arith.addf %y, %y : {t}", f"  %w = arith.addf %x, %x : {n}",
                 f"  scf.yield %w, %z : {n}, {t}", "}"], [exact(none), exact(a * np.float32(8))])


def _branches():
    """What is not taken has no effect, though both sides are computed."""
    for t in INTEGERS:
        for flag in (False, True):
            a = np.array([9, -7, 100, np.iinfo("int" + t[1:]).min], "int" + t[1:])
            b = np.array([0, 2, -1, -1] if not flag else [3, 2, -5, 1], a.dtype)
            quotient = np.trunc(a.astype(float) / b) if flag else a
            want = a if not flag else np.array(
                [int(abs(int(x)) // abs(int(y))) * (1 if (x < 0) == (y < 0) else -1)
                 for x, y in zip(a, b)], a.dtype)
            yield _case(f"if_division-{t}-{flag}", [np.array(flag), a, b], [("%r", ttype(a))],
                        ["%f = tensor.extract %a[] : tensor<i1>", f"%r = scf.if %f -> {ttype(a)} {{",
                         f"  %q = arith.divsi %b, %c : {ttype(a)}", f"  scf.yield %q : {ttype(a)}",
                         "} else {", f"  scf.yield %b : {ttype(a)}", "}"], [exact(want)])
    a = _draw("if_reads", "f32", 4, 3)
    for where in (-5, 0, 3, 4, 1 << 40):
        taken = 0 <= where < 4
        row = a[where] if taken else np.zeros(3, np.float32)
        yield _case(f"if_reads-{where}", [a, np.array(where, np.int64)], [("%r", "tensor<3xf32>"), ("%s", "tensor<f32>")],
                    ["%k = tensor.extract %b[] : tensor<i64>", "%i = arith.index_cast %k : i64 to index",
                     "%c = arith.cmpi ult, %i, %c4 : index", "%v = arith.constant 0.0 : f32",
                     "%z = tensor.splat %v : tensor<3xf32>",
                     "%r = scf.if %c -> tensor<3xf32> {",
                     f"  %x = tensor.extract_slice %a[%i, 0] [1, 3] [1, 1] : {ttype(a)} to tensor<3xf32>",
                     "  scf.yield %x : tensor<3xf32>", "} else {", "  scf.yield %z : tensor<3xf32>", "}",
                     "%u = scf.if %c -> f32 {", f"  %x = tensor.extract %a[%i, %c2] : {ttype(a)}",
                     "  scf.yield %x : f32", "} else {", "  scf.yield %v : f32", "}",
                     "%s = tensor.from_elements %u : tensor<f32>"],
                    [exact(row), exact(np.asarray(row[2]))])
        want = a.copy()
        if taken:
            want[where] = 1.5
        yield _case(f"if_inserts-{where}", [a, np.array(where, np.int64)], [("%r", ttype(a))],
                    ["%k = tensor.extract %b[] : tensor<i64>", "%i = arith.index_cast %k : i64 to index",
                     "%c = arith.cmpi ult, %i, %c4 : index", "%v = arith.constant 1.5 : f32",
                     "%z = tensor.splat %v : tensor<1x3xf32>", f"%r = scf.if %c -> {ttype(a)} {{",
                     f"  %x = tensor.insert_slice %z into %a[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> into {ttype(a)}",
                     f"  scf.yield %x : {ttype(a)}", "} else {", f"  scf.yield %a : {ttype(a)}", "}"],
                    [exact(want)])
    # The region of a pad reads a tensor that has elements for the padding alone.
    x, edge = _draw("pad_reads", "f32", 5), _draw("edge", "f32", 2)
    yield _case("pad_reads", [x, edge], [("%r", "tensor<7xf32>")],
                ["%r = tensor.pad %a low[2] high[0] {", "^bb0(%i: index):",
                 "  %v = tensor.extract %b[%i] : tensor<2xf32>", "  tensor.yield %v : f32",
                 "} : tensor<5xf32> to tensor<7xf32>"], [exact(np.concatenate([edge, x]))])


def _in_place():
    """Values stay what they were, however a chain looks."""
    a, b = _draw("chain_a", "f32", 6), _draw("chain_b", "f32", 6)
    t = ttype(a)
    flip = ["linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} outs(",
            f" : {t}) {{", "^bb0(%o: f32):", "  %i = linalg.index 0 : index", "  %k = arith.subi %c5, %i : index"]
    yield _case("reads_its_init", [a], [("%r", t), ("%a", t)],
                ["%r = " + flip[0] + "%a" + flip[1], *flip[2:], f"  %x = tensor.extract %a[%k] : {t}",
                 "  %s = arith.addf %x, %o : f32", "  linalg.yield %s : f32", f"}} -> {t}"],
                [exact(a[::-1] + a), exact(a)])
    yield _case("result_three_times", [a], [("%r", t), ("%r", t), ("%m", "tensor<2x3xf32>"), ("%a", t)],
                [f"%r = arith.addf %a, %a : {t}",
                 f"%m = tensor.expand_shape %r [[0, 1]] output_shape [2, 3] : {t} into tensor<2x3xf32>"],
                [exact(a + a), exact(a + a), exact((a + a).reshape(2, 3)), exact(a)])
    yield _case("insert_into_read", [a], [("%s", t), ("%r", t)],
                [f"%x = tensor.extract_slice %a[0] [5] [1] : {t} to tensor<5xf32>",
                 f"%r = tensor.insert_slice %x into %a[1] [5] [1] : tensor<5xf32> into {t}",
                 f"%s = arith.addf %r, %a : {t}"],
                [exact(np.concatenate([a[:1], a[:5]]) + a), exact(np.concatenate([a[:1], a[:5]]))])
    x, y, z = a, b, a
    for _ in range(4):
        x, y, z = y, z, x + y
    yield _case("loop_rotates", [a, b], [(f"%r#{k}", t) for k in range(3)] + [("%a", t)],
                [f"%r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b, %z = %a) -> ({t}, {t}, {t}) {{",
                 f"  %s = arith.addf %x, %y : {t}", f"  scf.yield %y, %z, %s : {t}, {t}, {t}", "}"],
                [exact(x), exact(y), exact(z), exact(a)])
    yield _case("loop_yields_others", [a, b], [("%r#0", t), ("%r#1", t), ("%r#2", t)],
                ["%k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : " + t,
                 f"%r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a, %y = %a, %z = %b) -> ({t}, {t}, {t}) {{",
                 f"  scf.yield %k, %b, %x : {t}, {t}, {t}", "}"],
                [exact(np.arange(1, 7, dtype=np.float32)), exact(b), exact(np.arange(1, 7, dtype=np.float32))])
    m = a.reshape(2, 3)
    for _ in range(3):
        m = (m.reshape(3, 2).T + m)
    yield _case("loop_reshapes", [a.reshape(2, 3)], [("%r", "tensor<2x3xf32>")],
                ["%e = tensor.empty() : tensor<2x3xf32>",
                 "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> tensor<2x3xf32> {",
                 "  %f = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>",
                 "  %w = tensor.expand_shape %f [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>",
                 "  %u = linalg.transpose ins(%w : tensor<3x2xf32>) outs(%e : tensor<2x3xf32>) permutation = [1, 0]",
                 "  %s = arith.addf %u, %x : tensor<2x3xf32>", "  scf.yield %s : tensor<2x3xf32>", "}"], [exact(m)])
    x, y = a, b
    for i in range(3):
        p, q = x, y
        for j in range(2):
            p, q = q, p + x
        x, y = q, p
    yield _case("loop_in_loop", [a, b], [("%r#0", t), ("%r#1", t)],
                [f"%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> ({t}, {t}) {{",
                 f"  %q:2 = scf.for %j = %c0 to %c2 step %c1 iter_args(%p = %x, %q = %y) -> ({t}, {t}) {{",
                 f"    %s = arith.addf %p, %x : {t}", f"    scf.yield %q, %s : {t}, {t}", "  }",
                 f"  scf.yield %q#1, %q#0 : {t}, {t}", "}"], [exact(x), exact(y)])


def _loops():
    """Counters that are no index, signed and not."""
    a = np.zeros(3, np.int64)
    for unsigned, low, high, step, t in ((True, 3, -6, 10, "i8"), (False, -5, 4, 3, "i8"),
                                         (True, 120, -100, 1, "i8"), (False, 120, -100, 1, "i8"),
                                         (True, -3, -1, 1, "i16"), (False, -3, -1, 1, "i32")):
        bits = int(t[1:])
        view = (lambda v: v % (1 << bits)) if unsigned else (lambda v: v)
        total = 0
        for i in range(view(low), view(high), step):
            total += i if i < 1 << (bits - 1) else i - (1 << bits)
        yield _case(f"for_{'unsigned' if unsigned else 'signed'}-{t}-{low}-{high}", [a], [("%r", ttype(a))],
                    [f"%l = arith.constant {low} : {t}", f"%h = arith.constant {high} : {t}",
                     f"%s = arith.constant {step} : {t}",
                     f"%r = scf.for {'unsigned ' if unsigned else ''}%i = %l to %h step %s iter_args(%x = %a)"
                     f" -> ({ttype(a)}) : {t} {{", f"  %w = arith.extsi %i : {t} to i64",
                     f"  %f = tensor.splat %w : {ttype(a)}", f"  %n = arith.addi %x, %f : {ttype(a)}",
                     f"  scf.yield %n : {ttype(a)}", "}"], [exact(a + total)])


def _reductions():
    """Flags that a split must not keep, i1, index, and several outputs."""
    for t in INTEGERS:
        top = int(np.iinfo("int" + t[1:]).max)
        a = np.array([-top, top, top, -top, -top, top, 5], "int" + t[1:])
        for op, want in (("addi", 5), ("muli", None)):
            x = a if want is not None else np.array([1, -1, 3, -1, 0, 1, top], a.dtype)
            result = np.asarray(5 if want is not None else 0, a.dtype)
            yield _case(f"flagged_{op}-{t}", [x], [("%r", f"tensor<{t}>")],
                        [f"%z = arith.constant dense<{0 if op == 'addi' else 1}> : tensor<{t}>",
                         "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],"
                         f" iterator_types = [\"reduction\"]}} ins(%a : {ttype(x)}) outs(%z : tensor<{t}>) {{",
                         f"^bb0(%x: {t}, %o: {t}):", f"  %s = arith.{op} %x, %o overflow<nsw> : {t}",
                         f"  linalg.yield %s : {t}", f"}} -> tensor<{t}>"], [exact(result)])
    f = np.array([[-3.5, 2.0, -1.0, 7.25, 0.5], [-8.0, -2.0, -9.0, -4.0, -6.5]], np.float32)
    yield _case("flagged_maxnumf", [f], [("%r", "tensor<2xf32>")],
                ["%z = arith.constant dense<-1.0e30> : tensor<2xf32>",
                 "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],"
                 f" iterator_types = [\"parallel\", \"reduction\"]}} ins(%a : {ttype(f)}) outs(%z : tensor<2xf32>) {{",
                 "^bb0(%x: f32, %o: f32):", "  %s = arith.maxnumf %o, %x fastmath<nnan,ninf> : f32",
                 "  linalg.yield %s : f32", "} -> tensor<2xf32>"], [exact(f.max(1))])
    bits = seeded("bits").integers(0, 2, (3, 9)).astype(bool)
    yield _case("i1_outputs", [bits], [(f"%r#{k}", "tensor<3xi1>") for k in range(3)],
                ["%t = arith.constant dense<true> : tensor<3xi1>", "%f = arith.constant dense<false> : tensor<3xi1>",
                 "%k = arith.constant dense<[true, false, true]> : tensor<3xi1>",
                 "%r:3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,"
                 " affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", \"reduction\"]}"
                 f" ins(%a : {ttype(bits)}) outs(%t, %f, %k : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {{",
                 "^bb0(%x: i1, %p: i1, %q: i1, %s: i1):", "  %u = arith.andi %p, %x : i1",
                 "  %v = arith.ori %x, %q : i1", "  %w = arith.xori %s, %x : i1",
                 "  linalg.yield %u, %v, %w : i1, i1, i1", "} -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>)"],
                [exact(bits.all(1)), exact(bits.any(1)),
                 exact(np.logical_xor.reduce(bits, 1) ^ np.array([True, False, True]))])
    n = np.arange(10, dtype=np.int64)
    yield _case("index_sum", [n], [("%t", "tensor<i64>")],
                ["%k = arith.constant dense<[3, -1, 4, -1, 5, -9, 2, 6, 5, 3]> : tensor<10xindex>",
                 "%z = arith.constant dense<0> : tensor<index>",
                 "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],"
                 " iterator_types = [\"reduction\"]} ins(%a, %k : tensor<10xi64>, tensor<10xindex>) outs(%z : tensor<index>) {",
                 "^bb0(%x: i64, %y: index, %o: index):", "  %i = arith.index_cast %x : i64 to index",
                 "  %p = arith.muli %i, %y : index", "  %s = arith.addi %o, %p : index",
                 "  linalg.yield %s : index", "} -> tensor<index>",
                 "%v = tensor.extract %r[] : tensor<index>", "%w = arith.index_cast %v : index to i64",
                 "%t = tensor.from_elements %w : tensor<i64>"],
                [exact(np.asarray((n * np.array([3, -1, 4, -1, 5, -9, 2, 6, 5, 3])).sum()))])
    # A running sum beside the sum: one output along the loop, one across it.
    x = np.arange(1, 8, dtype=np.float32)
    yield _case("running_sum", [x], [("%r#0", "tensor<7xf32>"), ("%r#1", "tensor<f32>")],
                ["%z = arith.constant dense<0.5> : tensor<f32>", "%e = tensor.empty() : tensor<7xf32>",
                 "%r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],"
                 " iterator_types = [\"reduction\"]} ins(%a : tensor<7xf32>) outs(%e, %z : tensor<7xf32>, tensor<f32>) {",
                 "^bb0(%x: f32, %o: f32, %s: f32):", "  %n = arith.addf %s, %x : f32",
                 "  linalg.yield %n, %n : f32, f32", "} -> (tensor<7xf32>, tensor<f32>)"],
                [rounded("f32", 0.5 + np.cumsum(x)), rounded("f32", 0.5 + x.sum())])


def _wide_steps():
    """A loop of one thread that steps beyond 2^31 before it ends."""
    a = np.array([1, 2], np.int64)
    yield _case("for_wide_step", [a], [("%t", "tensor<i64>")],
                ["%h = arith.constant 2147483647 : index", "%s = arith.constant 1073741824 : index",
                 "%x = tensor.extract %a[%c1] : tensor<2xi64>",
                 "%r = scf.for %i = %c0 to %h step %s iter_args(%o = %x) -> i64 {",
                 "  %k = arith.index_cast %i : index to i64", "  %n = arith.addi %o, %k : i64",
                 "  scf.yield %n : i64", "}", "%t = tensor.from_elements %r : tensor<i64>"],
                [exact(np.asarray(a[1] + 1073741824))])


def cases():
    return [*_wide_steps(), *_gathers(), *_empty(), *_branches(), *_in_place(), *_loops(), *_reductions()]
