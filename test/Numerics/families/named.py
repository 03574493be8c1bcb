"""linalg's named elementwise ops, fill, copy, map, reduce, transpose, broadcast
and softmax, over ranks 0 to 6 and extents of one, zero, odd and prime."""

import math

import numpy as np

from case import (DTYPES, FLOATS, INTEGERS, Case, draw, draw_bits, exact, near, rounded,
                  seeded, summed, tensor)
from .arith_float import maximum, minimum
from .payload import main

FAMILY = "named"
SHAPES = [(), (1,), (7,), (0,), (5, 3), (2, 0, 3), (3, 1, 5), (2, 3, 1, 5), (2, 1, 3, 2, 3),
          (2, 1, 2, 3, 1, 2)]
REDUCED = [((7,), (0,)), ((5, 3), (0,)), ((5, 3), (1,)), ((4, 0), (1,)), ((3, 1, 5), (0, 2)),
           ((2, 3, 2, 5), (1, 3)), ((2, 3, 2, 2, 3), (0, 1, 2, 3, 4)), ((1, 1), (0,))]


def named(name, op, arrays, out, want, attributes=""):
    """`linalg.op` on arrays into an empty tensor (type, shape)."""
    types = [tensor(t, s) for t, s in ((_t(a), a.shape) for a in arrays)]
    result = tensor(*out)
    values = ", ".join(f"%a{i}" for i in range(len(arrays)))
    lines = [f"%e = tensor.empty() : {result}",
             f"%r = linalg.{op} {attributes}ins({values} : {', '.join(types)})"
             f" outs(%e : {result}) -> {result}"]
    text = main([(f"%a{i}", t) for i, t in enumerate(types)], [("%r", result)], lines)
    return Case(FAMILY, name, text, arrays, [want])


def _t(array):
    from case import type_of
    return type_of(array)


UNARY = {
    "exp": (np.exp, 2), "log": (np.log, 2), "abs": (np.abs, 0), "ceil": (np.ceil, 0),
    "floor": (np.floor, 0), "negf": (np.negative, 0), "reciprocal": (lambda x: 1 / x, 0),
    "round": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), 0), "sqrt": (np.sqrt, 0),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2), "square": (lambda x: x * x, 0),
    "tanh": (np.tanh, 2), "erf": (np.vectorize(math.erf, otypes=[np.float64]), 3),
}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
          "max": maximum, "min": minimum}


def _elementwise():
    shapes = iter(SHAPES * 20)
    for t in FLOATS:
        for op, (f, ulp) in UNARY.items():
            name, shape = f"linalg.{op}-{t}", next(shapes)
            a = draw(seeded(name), t, shape)
            if op in ("log", "sqrt", "rsqrt"):
                a = np.asarray(np.abs(a) + DTYPES[t].type(0.25))
            value = np.asarray(f(a.astype(np.float64)))
            want = rounded(t, value) if ulp == 0 else \
                near(t, value, 2 if t == "f64" else 1, max(ulp, 2))
            yield named(name, op, [a], (t, shape), want)
        for op, f in BINARY.items():
            name, shape = f"linalg.{op}-{t}", next(shapes)
            rng = seeded(name)
            a, b = draw(rng, t, shape), draw(rng, t, shape)
            want = rounded(t, f(a.astype(np.float64), b.astype(np.float64)))
            yield named(name, op, [a, b], (t, shape), want)
        name, shape = f"linalg.powf-{t}", (5, 3)
        rng = seeded(name)
        a, b = np.abs(draw(rng, t, shape)), draw(rng, t, shape)
        yield named(name, "powf", [a, b], (t, shape),
                    near(t, np.power(a.astype(np.float64), b.astype(np.float64)), 2, 4))
    for t in INTEGERS:
        for op in ("add", "sub", "mul", "max", "min"):
            name, shape = f"linalg.{op}-{t}", next(shapes)
            rng = seeded(name)
            a, b = draw(rng, t, shape), draw(rng, t, shape)
            f = {"max": np.maximum, "min": np.minimum}.get(op) or BINARY[op]
            yield named(name, op, [a, b], (t, shape), exact(np.asarray(f(a, b))))
    for t in ("f32", "i32", "i1"):
        name, shape = f"linalg.select-{t}", (3, 1, 5)
        rng = seeded(name)
        c, a, b = draw(rng, "i1", shape), draw_bits(rng, t, shape), draw_bits(rng, t, shape)
        yield named(name, "select", [c, a, b], (t, shape), exact(np.where(c, a, b)))


def _movement():
    types = (*FLOATS, *INTEGERS, "i1")
    for number, shape in enumerate(SHAPES):
        t = types[number % len(types)]
        name = f"linalg.copy-{t}-{number}"
        a = draw_bits(seeded(name), t, shape)
        yield named(name, "copy", [a], (t, shape), exact(a))
    for number, (shape, order) in enumerate((((7,), (0,)), ((5, 3), (1, 0)), ((0, 3), (1, 0)),
                                             ((3, 1, 5), (2, 0, 1)), ((2, 3, 4, 5), (3, 1, 0, 2)),
                                             ((2, 1, 3, 2, 3), (4, 2, 0, 1, 3)),
                                             ((2, 1, 2, 3, 1, 2), (5, 0, 4, 1, 3, 2)),
                                             ((67, 129), (1, 0)))):
        for t in (types[number % 9], types[(number + 4) % 9]):
            name = f"linalg.transpose-{t}-{number}"
            a = draw_bits(seeded(name), t, shape)
            result = np.ascontiguousarray(a.transpose(order))
            yield _with_dims(name, "transpose", a, result, f"permutation = {list(order)}")
    for number, (shape, full, added) in enumerate((((), (5,), (0,)), ((3,), (3, 5), (1,)),
                                                   ((3,), (5, 3), (0,)), ((), (2, 3, 2), (0, 1, 2)),
                                                   ((2, 3), (4, 2, 1, 3), (0, 2)),
                                                   ((3,), (0, 3), (0,)),
                                                   ((2, 2), (2, 3, 1, 2, 2, 1), (1, 2, 4, 5)))):
        for t in (types[number % 9], types[(number + 5) % 9]):
            name = f"linalg.broadcast-{t}-{number}"
            a = draw_bits(seeded(name), t, shape)
            kept = a.reshape([1 if d in added else full[d] for d in range(len(full))])
            result = np.ascontiguousarray(np.broadcast_to(kept, full))
            yield _with_dims(name, "broadcast", a, result, f"dimensions = {list(added)}")
    for t in types:
        shape = (3, 5)
        constant = "true" if t == "i1" else "3" if t in INTEGERS else "0.7"
        value = DTYPES[t].type({"i1": True, "0.7": 0.7}.get(t, 3 if t in INTEGERS else 0.7))
        result = tensor(t, shape)
        lines = [f"%c = arith.constant {constant}" + ("" if t == "i1" else f" : {t}"),
                 f"%e = tensor.empty() : {result}",
                 f"%r = linalg.fill ins(%c : {t}) outs(%e : {result}) -> {result}"]
        yield Case(FAMILY, f"linalg.fill-{t}", main([], [("%r", result)], lines), [],
                   [exact(np.full(shape, value))])


def _with_dims(name, op, a, result, attribute):
    source, target = tensor(_t(a), a.shape), tensor(_t(result), result.shape)
    lines = [f"%e = tensor.empty() : {target}",
             f"%r = linalg.{op} ins(%a : {source}) outs(%e : {target}) {attribute}"]
    return Case(FAMILY, name, main([("%a", source)], [("%r", target)], lines), [a],
                [exact(result)])


def _reduce():
    for t in ("f32", "f16", "bf16", "f64", "i32", "i64", "i8", "i1"):
        operations = {"addf": np.add, "maximumf": np.maximum} if t in FLOATS else \
            {"addi": np.add, "minsi": np.minimum} if t != "i1" else \
            {"andi": np.logical_and, "ori": np.logical_or}
        for op, f in operations.items():
            for number, (shape, dims) in enumerate(REDUCED[:8 if t in ("f32", "i32") else 3]):
                yield _reduction(t, op, f, shape, dims, number)


def _reduction(t, op, f, shape, dims, number):
    name = f"linalg.reduce_{op}-{t}-{number}"
    rng = seeded(name)
    a = draw(rng, t, shape)
    init = draw(rng, t, [d for i, d in enumerate(shape) if i not in dims])
    if t in FLOATS and op == "addf":
        x, z = a.astype(np.float64), init.astype(np.float64)
        terms = int(np.prod([shape[d] for d in dims]))
        want = summed(t, z + x.sum(dims), np.abs(z) + np.abs(x).sum(dims), terms)
    else:
        value = init
        moved = np.moveaxis(a, dims, range(len(dims))).reshape(-1, *init.shape)
        for part in moved:
            value = f(value, part).astype(DTYPES[t])
        want = exact(np.asarray(value))
    source, target = tensor(t, shape), tensor(t, init.shape)
    lines = [f"%r = linalg.reduce ins(%a : {source}) outs(%i : {target}) "
             f"dimensions = {list(dims)}",
             f"  (%x: {t}, %acc: {t}) {{",
             f"    %s = arith.{op} %acc, %x : {t}",
             f"    linalg.yield %s : {t}", "  }"]
    return Case(FAMILY, name, main([("%a", source), ("%i", target)], [("%r", target)], lines),
                [a, init], [want])


def _softmax():
    for t in FLOATS:
        for number, (shape, dim) in enumerate((((7,), 0), ((5, 13), 1), ((5, 13), 0),
                                               ((2, 3, 5), 1), ((3, 1), 1))):
            name = f"linalg.softmax-{t}-{number}"
            a = draw(seeded(name), t, shape)
            x = a.astype(np.float64) * 3
            a = x.astype(DTYPES[t])
            x = a.astype(np.float64)
            e = np.exp(x - x.max(dim, keepdims=True))
            value = e / e.sum(dim, keepdims=True)
            source = tensor(t, shape)
            lines = [f"%e = tensor.empty() : {source}",
                     f"%r = linalg.softmax dimension({dim}) ins(%a : {source})"
                     f" outs(%e : {source}) -> {source}"]
            # The difference rounds, exp scales that by its argument.
            extra = float(np.abs(x - x.max(dim, keepdims=True)).max()) + 4
            yield Case(FAMILY, name, main([("%a", source)], [("%r", source)], lines), [a],
                       [summed(t, value, value, shape[dim], extra)])


def _argmax():
    """A reduce with two results: the value and its place, the first of equals."""
    for shape in ((7,), (5, 13), (3, 1)):
        a = np.round(draw(seeded(f"argmax-{shape}"), "f32", shape))
        source, value, place = (tensor(t, s) for t, s in
                                (("f32", shape), ("f32", shape[:-1]), ("i64", shape[:-1])))
        rank = len(shape)
        loops = [f"d{i}" for i in range(rank)]
        outer = f"affine_map<({', '.join(loops)}) -> ({', '.join(loops[:-1])})>"
        full = f"affine_map<({', '.join(loops)}) -> ({', '.join(loops)})>"
        iterators = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
        lines = ["%ninf = arith.constant 0xFF800000 : f32", "%z = arith.constant 0 : i64",
                 f"%ev = tensor.empty() : {value}", f"%ei = tensor.empty() : {place}",
                 f"%fv = linalg.fill ins(%ninf : f32) outs(%ev : {value}) -> {value}",
                 f"%fi = linalg.fill ins(%z : i64) outs(%ei : {place}) -> {place}",
                 f"%r:2 = linalg.generic {{indexing_maps = [{full}, {outer}, {outer}], "
                 f"iterator_types = [{iterators}]}} ins(%a : {source}) "
                 f"outs(%fv, %fi : {value}, {place}) {{",
                 "^bb0(%x: f32, %v: f32, %i: i64):",
                 f"  %n = linalg.index {rank - 1} : index",
                 "  %k = arith.index_cast %n : index to i64",
                 "  %c = arith.cmpf ogt, %x, %v : f32",
                 "  %nv = arith.select %c, %x, %v : f32",
                 "  %ni = arith.select %c, %k, %i : i64",
                 "  linalg.yield %nv, %ni : f32, i64", f"}} -> ({value}, {place})"]
        yield Case(FAMILY, f"generic.argmax-{rank}-{shape[-1]}",
                   main([("%a", source)], [("%r#0", value), ("%r#1", place)], lines), [a],
                   [exact(np.asarray(a.max(-1))), exact(np.asarray(a.argmax(-1), np.int64))])


def cases():
    return [*_elementwise(), *_movement(), *_reduce(), *_softmax(), *_argmax()]
