"""arith on floats, every pair of hostile values, in a linalg.generic."""

import numpy as np

from case import DTYPES, FLOATS, Case, exact, hostile_floats, rounded
from .payload import elementwise


def _pairs(type_name):
    values = hostile_floats(type_name)
    left, right = np.meshgrid(values, values, indexing="ij")
    return np.ascontiguousarray(left), np.ascontiguousarray(right)


def _wide(array):
    return array.astype(np.float64)


def maximum(a, b):
    """NaN if either is; +0 above -0."""
    result = np.where(a > b, a, b)
    both_zero = (a == 0) & (b == 0)
    result = np.where(both_zero, np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0), result)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, result)


def minimum(a, b):
    return -maximum(-a, -b)


def _cases():
    for t in FLOATS:
        a, b = _pairs(t)
        x, y = _wide(a), _wide(b)
        with np.errstate(all="ignore"):
            binary = {"addf": x + y, "subf": x - y, "mulf": x * y, "divf": x / y,
                      "remf": np.fmod(x, y),
                      "maximumf": maximum(x, y), "minimumf": minimum(x, y)}
        for op, value in binary.items():
            yield Case("arith_float", f"arith.{op}-{t}",
                       elementwise([f"%r = arith.{op} %a, %b : {t}"], [t, t], t, a.shape),
                       [a, b], [rounded(t, value)])
        # maxnum of +0 and -0 may be either: the zeros are left out.
        keep = hostile_floats(t)
        keep = keep[keep != 0]
        left, right = np.meshgrid(keep, keep, indexing="ij")
        left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
        for op, f in {"maxnumf": np.fmax, "minnumf": np.fmin}.items():
            yield Case("arith_float", f"arith.{op}-{t}",
                       elementwise([f"%r = arith.{op} %a, %b : {t}"], [t, t], t, left.shape),
                       [left, right], [rounded(t, f(_wide(left), _wide(right)))])
        yield Case("arith_float", f"arith.negf-{t}",
                   elementwise([f"%r = arith.negf %a : {t}"], [t], t, a.shape),
                   [a], [rounded(t, -x)])
        yield _compare(t, a, b)
        yield _select(t, a, b)


def _compare(t, a, b):
    """All sixteen predicates at once, each a result."""
    unordered = np.isnan(a) | np.isnan(b)
    x, y = _wide(a), _wide(b)
    base = {"eq": x == y, "gt": x > y, "ge": x >= y, "lt": x < y, "le": x <= y,
            "ne": (x != y)}
    values = {"false": np.zeros(a.shape, bool), "true": np.ones(a.shape, bool),
              "ord": ~unordered, "uno": unordered}
    for name, value in base.items():
        values["o" + name] = value & ~unordered
        values["u" + name] = value | unordered
    lines = [f"%r_{p} = arith.cmpf {p}, %a, %b : {t}" for p in values]
    return Case("arith_float", f"arith.cmpf-{t}",
                elementwise(lines, [t, t], ["i1"] * len(values), a.shape,
                            results=[f"%r_{p}" for p in values]),
                [a, b], [exact(v) for v in values.values()])


def _select(t, a, b):
    return Case("arith_float", f"arith.select-{t}",
                elementwise([f"%c = arith.cmpf olt, %a, %b : {t}",
                             f"%r = arith.select %c, %a, %b : {t}"], [t, t], t, a.shape),
                [a, b], [exact(np.where(_wide(a) < _wide(b), a, b).astype(DTYPES[t]))])


def cases():
    return list(_cases())
