"""linalg.generic with every kind of map, and structured control flow."""

import numpy as np

from case import DTYPES, Case, draw, draw_bits, exact, rounded, seeded, summed, tensor, type_of
from .payload import main

FAMILY = "generic"
TYPES = ("f32", "f16", "bf16", "f64", "i32", "i8", "i64", "i1")


def generic(name, loops, maps, iterators, arrays, outs, body, expected, prefix=(), yields="%x"):
    """One generic: `maps` and `outs` [(type, shape or array)] in order; the
    block's arguments are %x, %y, %z ... for inputs and %o0, %o1 for outputs. An
    output that is an array is the last inputs of @main and initialises it."""
    inits = [v for _, v in outs if isinstance(v, np.ndarray)]
    every = [*arrays, *inits]
    names = [f"%a{i}" for i in range(len(every))]
    arguments = [(n, tensor(type_of(v), v.shape)) for n, v in zip(names, every)]
    lines, values, kinds = list(prefix), [], []
    given = iter(names[len(arrays):])
    for i, (t, v) in enumerate(outs):
        shape = v.shape if isinstance(v, np.ndarray) else v
        kinds.append(tensor(t, shape))
        if isinstance(v, np.ndarray):
            values.append(next(given))
        else:
            values.append(f"%e{i}")
            lines.append(f"%e{i} = tensor.empty() : {kinds[-1]}")
    texts = ", ".join(f"affine_map<({loops}) -> ({m})>" for m in maps)
    kind = ", ".join('"parallel"' if c == "p" else '"reduction"' for c in iterators)
    block = ", ".join([f"%{'xyzuvw'[i]}: {type_of(a)}" for i, a in enumerate(arrays)]
                      + [f"%o{i}: {t}" for i, (t, _) in enumerate(outs)])
    inputs = ", ".join(names[:len(arrays)])
    ins = f"ins({inputs} : {', '.join(k for _, k in arguments[:len(arrays)])}) " if arrays else ""
    count = len(outs)
    joined = ", ".join(kinds)
    lines += [f"%r{f':{count}' if count > 1 else ''} = linalg.generic {{indexing_maps = [{texts}], "
              f"iterator_types = [{kind}]}} {ins}outs({', '.join(values)} : {joined}) {{",
              f"^bb0({block}):", *[f"  {line}" for line in body],
              f"  linalg.yield {yields} : {', '.join(t for t, _ in outs)}",
              f"}} -> {f'({joined})' if count > 1 else joined}"]
    results = [(f"%r#{i}" if count > 1 else "%r", k) for i, k in enumerate(kinds)]
    return Case(FAMILY, name, main(arguments, results, lines), every, expected)


def _maps():
    for t in TYPES:
        rng = seeded(f"maps-{t}")
        a, row, scalar = (draw_bits(rng, t, s) for s in ((5, 7), (7,), ()))
        copy = []
        yield generic(f"generic.transposed-{t}", "d0, d1", ["d1, d0", "d0, d1"], "pp", [a],
                      [(t, (7, 5))], copy, [exact(a.T.copy())])
        yield generic(f"generic.row-{t}", "d0, d1", ["d1", "d0, d1"], "pp", [row], [(t, (3, 7))],
                      copy, [exact(np.broadcast_to(row, (3, 7)).copy())])
        yield generic(f"generic.column-{t}", "d0, d1", ["d0", "d0, d1"], "pp", [row], [(t, (7, 3))],
                      copy, [exact(np.broadcast_to(row[:, None], (7, 3)).copy())])
        yield generic(f"generic.scalar-{t}", "d0, d1", ["", "d0, d1"], "pp", [np.asarray(scalar)],
                      [(t, (2, 3))], copy, [exact(np.full((2, 3), scalar, DTYPES[t]))])
        yield generic(f"generic.constant-{t}", "d0", ["3, d0", "d0"], "p", [a], [(t, (7,))],
                      copy, [exact(a[3].copy())])
        yield generic(f"generic.reversed-{t}", "d0, d1", ["d0, 6 - d1", "d0, d1"], "pp", [a],
                      [(t, (5, 7))], copy, [exact(a[:, ::-1].copy())])
        yield generic(f"generic.strided-{t}", "d0, d1", ["d0 * 2, d1 * 3 + 1", "d0, d1"], "pp", [a],
                      [(t, (3, 2))], copy, [exact(a[::2, 1::3].copy())])
        yield generic(f"generic.diagonal-{t}", "d0", ["d0, d0", "d0"], "p",
                      [a[:, :5].copy()], [(t, (5,))], copy, [exact(np.diagonal(a).copy())])
        yield generic(f"generic.rank0-{t}", "", ["", ""], "", [np.asarray(scalar)], [(t, ())],
                      copy, [exact(np.asarray(scalar))])
        yield generic(f"generic.two_results-{t}", "d0, d1", ["d0, d1", "d1, d0", "d0, d1"], "pp",
                      [a], [(t, (7, 5)), (t, (5, 7))], copy, [exact(a.T.copy()), exact(a)],
                      yields="%x, %x")
        yield from _gather(t, a)


def _gather(t, a):
    index = np.array([4, 0, 2, 2, 1, 3], np.int64)
    body = ["%i = arith.index_cast %x : i64 to index", "%j = linalg.index 1 : index",
            f"%v = tensor.extract %t[%i, %j] : {tensor(t, a.shape)}"]
    case = generic(f"generic.gather-{t}", "d0, d1", ["d0", "d0, d1"], "pp", [index],
                   [(t, (6, 7))], body, [exact(a[index])], yields="%v")
    case.text = case.text.replace("@main(", f"@main(%t: {tensor(t, a.shape)}, ", 1)
    case.inputs = [a, *case.inputs]
    yield case


def _reductions():
    for t in ("f32", "f16", "i32", "i64"):
        rng = seeded(f"sums-{t}")
        a, init = draw(rng, t, (5, 13)), draw(rng, t, (5,))
        add = "addf" if t[0] == "f" else "addi"
        value = init.astype(np.float64) + a.astype(np.float64).sum(1)
        scale = np.abs(init.astype(np.float64)) + np.abs(a.astype(np.float64)).sum(1)
        want = summed(t, value, scale, 13) if t[0] == "f" else exact(
            (init + a.sum(1)).astype(DTYPES[t]))
        yield generic(f"generic.row_sum-{t}", "d0, d1", ["d0, d1", "d0"], "pr", [a], [(t, init)],
                      [f"%s = arith.{add} %o0, %x : {t}"], [want], yields="%s")
        yield generic(f"generic.column_sum-{t}", "d0, d1", ["d0, d1", "d1"], "rp", [a],
                      [(t, np.zeros(13, DTYPES[t]))], [f"%s = arith.{add} %x, %o0 : {t}"],
                      [summed(t, a.astype(np.float64).sum(0), np.abs(a.astype(np.float64)).sum(0), 5)
                       if t[0] == "f" else exact(a.sum(0).astype(DTYPES[t]))], yields="%s")
    index = np.indices((4, 3, 5))
    yield generic("generic.index-i64", "d0, d1, d2", ["d0, d1, d2"], "ppp", [], [("i64", (4, 3, 5))],
                  ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index",
                   "%k = linalg.index 2 : index", "%m = arith.muli %i, %j : index",
                   "%s = arith.subi %m, %k : index", "%v = arith.index_cast %s : index to i64"],
                  [exact(index[0] * index[1] - index[2])], yields="%v")
    a = draw(seeded("causal"), "f32", (7, 7))
    yield generic("generic.causal-f32", "d0, d1", ["d0, d1", "d0, d1"], "pp", [a], [("f32", (7, 7))],
                  ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index",
                   "%m = arith.constant 0xFF800000 : f32", "%c = arith.cmpi sle, %j, %i : index",
                   "%v = arith.select %c, %x, %m : f32"],
                  [exact(np.where(np.tri(7, dtype=bool), a, np.float32(-np.inf)))], yields="%v")
    a, init = draw(seeded("inplace"), "f32", (3, 5)), draw(seeded("inplace2"), "f32", (3, 5))
    yield generic("generic.uses_init-f32", "d0, d1", ["d0, d1", "d0, d1"], "pp", [a],
                  [("f32", init)], ["%v = arith.subf %o0, %x : f32"], [rounded("f32", init.astype(
                      np.float64) - a)], yields="%v")


def cases():
    return [*_maps(), *_reductions()]
