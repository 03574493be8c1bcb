"""The tensor dialect: movement keeps every bit, whatever the type."""

import numpy as np

from case import (DTYPES, FLOATS, INTEGERS, Case, draw_bits, exact, seeded, tensor, type_of)
from .payload import main

FAMILY = "tensor"
TYPES = (*FLOATS, *INTEGERS, "i1")


def one(name, lines, a, result):
    """%a in, %r out."""
    a = [a] if isinstance(a, np.ndarray) else a
    arguments = [(f"%{'abcdef'[i]}", tensor(type_of(v), v.shape)) for i, v in enumerate(a)]
    target = tensor(type_of(result), result.shape)
    return Case(FAMILY, name, main(arguments, [("%r", target)], lines), a,
                [exact(np.asarray(result))])


def types(number, count=3):
    """Some types, others for each number."""
    return [TYPES[(number * 4 + i * 2) % len(TYPES)] for i in range(count)]


def literal(t):
    return ("true", True) if t == "i1" else ("-7", -7) if t in INTEGERS else ("0.7", 0.7)


def constant(t, name="%pad"):
    text, value = literal(t)
    return f"{name} = arith.constant {text}" + ("" if t == "i1" else f" : {t}"), \
        DTYPES[t].type(value)


PADS = [((5,), (2,), (3,)), ((0,), (2,), (1,)), ((3, 5), (0, 1), (2, 0)), ((3, 5), (1, 1), (1, 1)),
        ((1, 1), (0, 0), (0, 0)), ((2, 3, 5), (0, 2, 1), (0, 0, 2)), ((2, 1, 3, 2), (1, 0, 0, 3),
                                                                       (0, 1, 0, 0))]


def _pad():
    for number, (shape, low, high) in enumerate(PADS):
        for t in types(number):
            name = f"tensor.pad-{t}-{number}"
            a = draw_bits(seeded(name), t, shape)
            line, value = constant(t)
            result = np.pad(a, list(zip(low, high)), constant_values=value).astype(DTYPES[t])
            indices = ", ".join(f"%i{d}: index" for d in range(len(shape)))
            yield one(name, [line, f"%r = tensor.pad %a low{list(low)} high{list(high)} {{",
                             f"^bb0({indices}):", f"  tensor.yield %pad : {t}",
                             f"}} : {tensor(t, shape)} to {tensor(t, result.shape)}"], a, result)
    # The value may depend on the place.
    a = draw_bits(seeded("pad_index"), "i64", (3, 2))
    rows, columns = np.indices((6, 4))
    result = rows * 10 + columns
    result[2:5, 1:3] = a
    yield one("tensor.pad_index-i64",
              ["%ten = arith.constant 10 : index", "%r = tensor.pad %a low[2, 1] high[1, 1] {",
               "^bb0(%i: index, %j: index):", "  %m = arith.muli %i, %ten : index",
               "  %s = arith.addi %m, %j : index", "  %v = arith.index_cast %s : index to i64",
               "  tensor.yield %v : i64", "} : tensor<3x2xi64> to tensor<6x4xi64>"],
              a, result.astype(np.int64))


def _concat():
    for number, (shapes, dim) in enumerate((
            (((3,), (5,)), 0), (((2, 3), (2, 1), (2, 4)), 1), (((1, 3), (4, 3)), 0),
            (((2, 0), (2, 3)), 1), (((2, 3, 2), (2, 5, 2)), 1), (((1, 2, 1, 3),) * 3, 2))):
        for t in types(number):
            name = f"tensor.concat-{t}-{number}"
            rng = seeded(name)
            parts = [draw_bits(rng, t, s) for s in shapes]
            result = np.concatenate(parts, dim)
            values = ", ".join(f"%{'abcdef'[i]}" for i in range(len(parts)))
            kinds = ", ".join(tensor(t, p.shape) for p in parts)
            yield one(name, [f"%r = tensor.concat dim({dim}) {values} : ({kinds}) -> "
                             f"{tensor(t, result.shape)}"], parts, result)


def _reshape():
    for number, (short, groups, long) in enumerate((
            ((6,), [[0, 1]], (2, 3)), ((6, 5), [[0, 1], [2]], (3, 2, 5)),
            ((4, 6), [[0], [1, 2, 3]], (4, 1, 6, 1)), ((0, 3), [[0, 1], [2]], (2, 0, 3)),
            ((), [], (1, 1)), ((12, 10), [[0, 1], [2, 3, 4]], (3, 4, 5, 1, 2)),
            ((60,), [[0, 1, 2, 3, 4, 5]], (1, 3, 2, 2, 1, 5)))):
        for t in types(number):
            for op, source, target in (("collapse_shape", long, short),
                                       ("expand_shape", short, long)):
                name = f"tensor.{op}-{t}-{number}"
                a = draw_bits(seeded(name), t, source)
                shape = f" output_shape {list(long)}" if op == "expand_shape" else ""
                yield one(name, [f"%r = tensor.{op} %a {groups}{shape} : {tensor(t, source)} "
                                 f"into {tensor(t, target)}"], a, a.reshape(target))
    a = draw_bits(seeded("reshape"), "f32", (4, 6))
    yield one("tensor.reshape-f32",
              ["%s = arith.constant dense<[2, 3, 4]> : tensor<3xi64>",
               "%r = tensor.reshape %a(%s) : (tensor<4x6xf32>, tensor<3xi64>) -> "
               "tensor<2x3x4xf32>"], a, a.reshape(2, 3, 4))
    # A reshape of a slice is not contiguous.
    a = draw_bits(seeded("slice_collapse"), "f16", (4, 7, 3))
    yield one("tensor.collapse_of_slice-f16",
              ["%s = tensor.extract_slice %a[0, 1, 0] [4, 5, 3] [1, 1, 1] : tensor<4x7x3xf16> "
               "to tensor<4x5x3xf16>",
               "%r = tensor.collapse_shape %s [[0, 1], [2]] : tensor<4x5x3xf16> into "
               "tensor<20x3xf16>"], a, a[:, 1:6].reshape(20, 3))


# shape, offsets, sizes, strides, kept shape (None: all)
SLICES = [((7,), (2,), (3,), (2,), None), ((7,), (0,), (0,), (1,), None),
          ((5, 7), (1, 0), (3, 7), (1, 1), None), ((5, 7), (4, 3), (1, 2), (1, 3), (2,)),
          ((5, 7), (1, 2), (1, 1), (1, 1), ()), ((3, 5, 7), (0, 1, 2), (3, 2, 3), (1, 3, 2), None),
          ((3, 5, 7), (2, 0, 1), (1, 5, 1), (1, 1, 1), (5,)),
          ((2, 3, 4, 5), (1, 0, 1, 0), (1, 3, 1, 5), (1, 1, 2, 1), (3, 5))]


def _slices():
    for number, (shape, offsets, sizes, strides, kept) in enumerate(SLICES):
        index = tuple(slice(o, o + n * s, s) for o, n, s in zip(offsets, sizes, strides))
        small = sizes if kept is None else kept
        place = f"{list(offsets)} {list(sizes)} {list(strides)}"
        for t in types(number):
            name = f"tensor.extract_slice-{t}-{number}"
            a = draw_bits(seeded(name), t, shape)
            yield one(name, [f"%r = tensor.extract_slice %a{place} : {tensor(t, shape)} to "
                             f"{tensor(t, small)}"], a, a[index].reshape(small))
            name = f"tensor.insert_slice-{t}-{number}"
            rng = seeded(name)
            a, b = draw_bits(rng, t, shape), draw_bits(rng, t, small)
            result = a.copy()
            result[index] = b.reshape(sizes)
            yield one(name, [f"%r = tensor.insert_slice %b into %a{place} : {tensor(t, small)} "
                             f"into {tensor(t, shape)}"], [a, b], result)
    # Where it is, is in the data.
    a, b = draw_bits(seeded("dynamic"), "f32", (9, 5)), np.array([4, 2], np.int64)
    lines = ["%z = arith.constant 0 : index", "%u = arith.constant 1 : index",
             "%y = tensor.extract %b[%z] : tensor<2xi64>", "%x = tensor.extract %b[%u] : tensor<2xi64>",
             "%i = arith.index_cast %y : i64 to index", "%j = arith.index_cast %x : i64 to index"]
    yield one("tensor.extract_slice_dynamic-f32",
              lines + ["%r = tensor.extract_slice %a[%i, %j] [3, 2] [1, 1] : tensor<9x5xf32> to "
                       "tensor<3x2xf32>"], [a, b], a[4:7, 2:4])
    result = np.zeros((9, 5), np.float32)
    result[4:7, 2:4] = a[:3, :2]
    yield one("tensor.insert_slice_dynamic-f32",
              lines + ["%c = arith.constant dense<0.0> : tensor<9x5xf32>",
                       "%s = tensor.extract_slice %a[0, 0] [3, 2] [1, 1] : tensor<9x5xf32> to "
                       "tensor<3x2xf32>",
                       "%r = tensor.insert_slice %s into %c[%i, %j] [3, 2] [1, 1] : "
                       "tensor<3x2xf32> into tensor<9x5xf32>"], [a, b], result)


def _elements():
    for t in TYPES:
        name = f"tensor.insert_extract-{t}"
        a = draw_bits(seeded(name), t, (3, 5))
        result = a.copy()
        result[2, 1] = a[0, 4]
        ty = tensor(t, (3, 5))
        index = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
                 "%c2 = arith.constant 2 : index", "%c4 = arith.constant 4 : index"]
        yield one(name, index + [f"%v = tensor.extract %a[%c0, %c4] : {ty}",
                                 f"%r = tensor.insert %v into %a[%c2, %c1] : {ty}"], a, result)
        line, value = constant(t, "%v")
        small = tensor(t, (2, 3))
        yield one(f"tensor.splat-{t}", [line, f"%r = tensor.splat %v : {small}"], [],
                  np.full((2, 3), value))
        rank0 = draw_bits(seeded(f"elements-{t}"), t, ())
        yield one(f"tensor.from_elements-{t}",
                  [line, f"%x = tensor.extract %a[] : {tensor(t, ())}",
                   f"%r = tensor.from_elements %v, %x, %x, %v, %v, %x : {small}"],
                  np.asarray(rank0), np.array([[value, rank0, rank0], [value, value, rank0]],
                                              DTYPES[t]))
    yield one("tensor.generate-i64",
              ["%c = arith.constant 100 : index", "%r = tensor.generate {",
               "^bb0(%i: index, %j: index):", "  %m = arith.muli %i, %c : index",
               "  %s = arith.addi %m, %j : index", "  %v = arith.index_cast %s : index to i64",
               "  tensor.yield %v : i64", "} : tensor<4x7xi64>"], [],
              (np.arange(4)[:, None] * 100 + np.arange(7)).astype(np.int64))
    a = draw_bits(seeded("generate"), "bf16", (3, 5))
    yield one("tensor.generate_flip-bf16",
              ["%c = arith.constant 4 : index", "%r = tensor.generate {",
               "^bb0(%i: index, %j: index):", "  %k = arith.subi %c, %j : index",
               "  %v = tensor.extract %a[%i, %k] : tensor<3x5xbf16>",
               "  tensor.yield %v : bf16", "} : tensor<3x5xbf16>"], a, a[:, ::-1].copy())
    a = draw_bits(seeded("cast"), "f32", (4, 6))
    yield one("tensor.cast-f32", ["%d = tensor.cast %a : tensor<4x6xf32> to tensor<?x6xf32>",
                                  "%r = tensor.cast %d : tensor<?x6xf32> to tensor<4x6xf32>"], a, a)
    yield one("tensor.bitcast-i32-f32",
              ["%r = tensor.bitcast %a : tensor<4x6xf32> to tensor<4x6xi32>"], a, a.view(np.int32))
    yield one("tensor.dim-i64",
              ["%c = arith.constant 1 : index", "%d = tensor.dim %a, %c : tensor<4x6xf32>",
               "%v = arith.index_cast %d : index to i64",
               "%r = tensor.from_elements %v : tensor<i64>"], a, np.array(6, np.int64))


def _constants():
    for t in TYPES:
        text, value = literal(t)
        values = {"i1": [True, False, True], **{i: [-7, 0, 3] for i in INTEGERS}}.get(
            t, [0.5, -0.0, 1024.0])
        inner = ", ".join(str(v).lower() if t == "i1" else repr(v) for v in values)
        yield one(f"arith.constant_dense-{t}",
                  [f"%r = arith.constant dense<[[{inner}], [{inner}]]> : {tensor(t, (2, 3))}"], [],
                  np.array([values, values], DTYPES[t]))
        yield one(f"arith.constant_splat-{t}",
                  [f"%r = arith.constant dense<{text}> : {tensor(t, (3, 1, 2))}"], [],
                  np.full((3, 1, 2), value, DTYPES[t]))


def _identity():
    """Arguments returned as they are, of all ranks; also twice."""
    for number, shape in enumerate(((), (1,), (0,), (3, 5), (2, 0, 3), (2, 1, 3, 1), (1,) * 6)):
        for t in types(number, 2):
            name = f"func.identity-{t}-{number}"
            a = np.asarray(draw_bits(seeded(name), t, shape))
            ty = tensor(t, shape)
            yield Case(FAMILY, name, main([("%a", ty)], [("%a", ty), ("%a", ty)], []), [a],
                       [exact(a), exact(a)])


def cases():
    return [*_pad(), *_concat(), *_reshape(), *_slices(), *_elements(), *_constants(),
            *_identity()]
