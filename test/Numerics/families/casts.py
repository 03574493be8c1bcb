"""Conversions between all element types.

float to integer is undefined out of range, so the inputs stay inside it;
integer to float rounds once, ties to even.
"""

import numpy as np

from case import (DTYPES, FLOATS, INTEGERS, PRECISION, Case, exact, hostile_floats,
                  hostile_integers, near, seeded)
from .arith_int import BITS, apply, unsigned
from .payload import elementwise

FAMILY = "casts"


def _line(op, source, target):
    return [f"%r = arith.{op} %a : {source} to {target}"]


def _cast(op, source, target, inputs, expected):
    return Case(FAMILY, f"arith.{op}-{source}-{target}",
                elementwise(_line(op, source, target), [source], target, inputs.shape),
                [inputs], [expected])


def _integers():
    widths = ("i64", "i32", "i16", "i8", "i1")
    for i, wide in enumerate(widths):
        for narrow in widths[i + 1:]:
            small = np.array([False, True]) if narrow == "i1" else hostile_integers(narrow)
            sign = (lambda v: -v) if narrow == "i1" else (lambda v: v)
            yield _cast("extsi", narrow, wide, small, exact(apply(sign, narrow, wide, small)))
            yield _cast("extui", narrow, wide, small,
                        exact(apply(lambda v, n=narrow: unsigned(v, n), narrow, wide, small)))
            big = hostile_integers(wide)
            yield _cast("trunci", wide, narrow, big, exact(apply(lambda v: v, wide, narrow, big)))


def _floats():
    for i, wide in enumerate(FLOATS[:3]):
        for narrow in FLOATS[i + 1:]:
            if (wide, narrow) == ("f16", "bf16"):
                continue
            small = hostile_floats(narrow)
            yield _cast("extf", narrow, wide, small, exact(small.astype(DTYPES[wide])))
            yield _cast("truncf", wide, narrow, *_to_round(wide, narrow))


def _to_round(wide, narrow):
    """Halfway cases and their neighbours, subnormals, overflow."""
    rng = seeded(f"truncf-{wide}-{narrow}")
    base = hostile_floats(narrow).astype(np.float64)
    base = base[np.isfinite(base)]
    normal = rng.standard_normal(200) * 2.0 ** rng.integers(-30, 16, 200)
    base = np.concatenate([base, normal])
    grid = base.astype(DTYPES[narrow]).astype(np.float64)
    with np.errstate(all="ignore"):
        step = np.abs(grid) * 2.0 ** (1 - PRECISION[narrow])
        values = np.concatenate([base, grid, grid + step / 2, grid + step / 4,
                                 (grid + step / 2) * (1 + 2.0 ** (2 - PRECISION[wide])),
                                 hostile_floats(wide).astype(np.float64)])
        values = values.astype(DTYPES[wide])
        return values, exact(values.astype(DTYPES[narrow]) if wide != "f64" or narrow == "f32"
                             else round_once(values, narrow))


def round_once(values, t):
    """float64 to a 16-bit type in one rounding, by integer arithmetic."""
    values = np.asarray(values, np.float64)
    finite = np.where(np.isfinite(values), values, 0)
    _, exponent = np.frexp(np.abs(finite))
    least = {"f16": -14, "bf16": -126}[t]
    exponent = np.maximum(np.where(finite == 0, least + 1, exponent) - 1, least)
    unit = exponent - (PRECISION[t] - 1)
    snapped = np.ldexp(np.rint(np.ldexp(finite, -unit)), unit)
    snapped = np.where(np.isfinite(values), np.copysign(snapped, values), values)
    with np.errstate(all="ignore"):
        return snapped.astype(np.float32).astype(DTYPES[t])


def _mixed():
    for f in FLOATS:
        for t in (*INTEGERS, "i1"):
            values = np.array([False, True]) if t == "i1" else _spread(t)
            sign = -values.astype(np.int64) if t == "i1" else values
            # A 64-bit integer may go by way of f32 to a 16-bit float: one unit.
            double = f in ("f16", "bf16") and t in ("i64", "i32")
            def want(v):
                v = np.asarray(v)
                wide = v.astype(np.float64) if f != "f32" else v.astype(np.float32)
                if double:
                    return near(f, v.astype(np.float64), 1)
                return exact(round_once(wide, f)) if f in ("f16", "bf16") else exact(wide)
            yield _cast("sitofp", t, f, values, want(sign))
            raw = values.astype(np.uint8) if t == "i1" else values.view(f"u{values.itemsize}")
            yield _cast("uitofp", t, f, values, want(raw))
            if t == "i1":
                continue
            inside = _inside(f, t)
            yield _cast("fptosi", f, t, inside, exact(np.trunc(
                inside.astype(np.float64)).astype(DTYPES[t])))
            positive = np.abs(inside)
            yield _cast("fptoui", f, t, positive, exact(np.trunc(
                positive.astype(np.float64)).astype(DTYPES[t])))


def _spread(t):
    rng = seeded(f"spread-{t}")
    info = np.iinfo(DTYPES[t])
    many = rng.integers(info.min, info.max, 100, dtype=DTYPES[t], endpoint=True)
    return np.concatenate([hostile_integers(t), many])


def _inside(f, t):
    """Floats whose integer part fits the signed type."""
    rng = seeded(f"inside-{f}-{t}")
    top = min(2.0 ** (BITS[t] - 1), 60000.0 if f == "f16" else np.inf)
    values = np.concatenate([[0.0, -0.0, 0.5, -0.5, 0.99, -0.99, 1.0, -1.0, 1.5, 2.5, 100.7],
                             rng.uniform(-1, 1, 50) * top * 0.98])
    return values.astype(DTYPES[f])


def _bitcasts():
    for f, t in (("f64", "i64"), ("f32", "i32"), ("f16", "i16"), ("bf16", "i16")):
        floats = hostile_floats(f)
        floats = floats[~np.isnan(floats)]
        yield _cast("bitcast", f, t, floats, exact(floats.view(DTYPES[t])))
        integers = floats.view(DTYPES[t])[::-1].copy()
        yield _cast("bitcast", t, f, integers, exact(integers.view(DTYPES[f])))
    halves = hostile_floats("f16")[~np.isnan(hostile_floats("f16"))]
    yield _cast("bitcast", "f16", "bf16", halves, exact(halves.view(DTYPES["bf16"])))


def _index():
    """Through index, which is 64 bits wide."""
    for t in ("i64", "i32", "i8"):
        values = hostile_integers(t)
        for op, sign in (("index_cast", True), ("index_castui", False)):
            lines = [f"%i = arith.{op} %a : {t} to index",
                     f"%r = arith.{op} %i : index to i64"]
            value = values.astype(np.int64) if sign else \
                values.view(f"u{values.itemsize}").astype(np.uint64).view(np.int64)
            yield Case(FAMILY, f"arith.{op}-{t}",
                       elementwise(lines, [t], "i64", values.shape), [values], [exact(value)])


def cases():
    return [*_integers(), *_floats(), *_mixed(), *_bitcasts(), *_index()]
