"""The math dialect on hostile and ordinary values.

Float references come from the C library's doubles by way of Python's math
module and NumPy; f64 results may be off by as much as two good libraries are.
`device` is what CUDA's guide states for its f32 functions.
"""

import math

import numpy as np

from case import (DTYPES, FLOATS, INTEGERS, Case, exact, hostile_floats, hostile_integers,
                  near, rounded, seeded)
from .arith_int import BITS, apply, unsigned
from .payload import elementwise

FAMILY = "math"


def _each(function):
    """A function of Python's math module on every element; a domain error is
    NaN, an overflow infinity of the right sign."""
    def one(*values):
        if any(math.isnan(v) for v in values):
            return math.nan
        try:
            return function(*values)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf
    return np.vectorize(one, otypes=[np.float64])


def _sinh(x):
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def _round(x):
    """Half away from zero."""
    return np.where(np.isfinite(x), np.copysign(np.trunc(np.abs(x) + np.where(
        np.abs(x) < 2.0 ** 52, 0.5, 0) * (np.abs(x) != 0.49999999999999994)), x), x)


# name -> (reference in float64, ulp on a device)
UNARY = {
    "exp": (np.exp, 2), "exp2": (np.exp2, 2), "expm1": (np.expm1, 2),
    "log": (np.log, 2), "log2": (np.log2, 2), "log10": (np.log10, 3), "log1p": (np.log1p, 2),
    "sin": (np.sin, 2), "cos": (np.cos, 2), "tan": (np.tan, 4),
    "asin": (np.arcsin, 3), "acos": (np.arccos, 3), "atan": (np.arctan, 2),
    "sinh": (_each(_sinh), 3), "cosh": (np.cosh, 2), "tanh": (np.tanh, 2),
    "asinh": (np.arcsinh, 4), "acosh": (np.arccosh, 4), "atanh": (np.arctanh, 4),
    "cbrt": (np.cbrt, 2), "erf": (_each(math.erf), 3), "erfc": (_each(math.erfc), 5),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2),
}
CORRECT = {"sqrt": np.sqrt, "absf": np.abs, "ceil": np.ceil, "floor": np.floor,
           "trunc": np.trunc, "round": _round, "roundeven": np.rint}


def _values(t):
    rng = seeded(f"math-{t}")
    spread = rng.standard_normal(150) * 2.0 ** rng.integers(-8, 7, 150)
    return np.concatenate([hostile_floats(t), spread.astype(DTYPES[t])])


def _unary():
    for t in FLOATS:
        a = _values(t)
        x = a.astype(np.float64)
        for op, (f, device) in UNARY.items():
            with np.errstate(all="ignore"):
                value = f(x)
            # A 16-bit result is rounded from a good f32 one.
            ulp = 2 if t == "f64" else 1
            yield Case(FAMILY, f"math.{op}-{t}",
                       elementwise([f"%r = math.{op} %a : {t}"], [t], t, a.shape), [a],
                       [near(t, value, ulp, max(ulp, device) if t in ("f64", "f32") else 1)])
        for op, f in CORRECT.items():
            with np.errstate(all="ignore"):
                value = f(x)
            yield Case(FAMILY, f"math.{op}-{t}",
                       elementwise([f"%r = math.{op} %a : {t}"], [t], t, a.shape), [a],
                       [rounded(t, value)])
        yield _classes(t, a)
        yield _sincos(t, a)


def _classes(t, a):
    x = a.astype(np.float64)
    tiny = float(np.finfo(np.float64).tiny) if t == "f64" else \
        {"f32": 2.0 ** -126, "f16": 2.0 ** -14, "bf16": 2.0 ** -126}[t]
    values = {"isnan": np.isnan(x), "isinf": np.isinf(x), "isfinite": np.isfinite(x),
              "isnormal": np.isfinite(x) & (np.abs(x) >= tiny)}
    lines = [f"%r_{op} = math.{op} %a : {t}" for op in values]
    return Case(FAMILY, f"math.classify-{t}",
                elementwise(lines, [t], ["i1"] * 4, a.shape, results=[f"%r_{op}" for op in values]),
                [a], [exact(v) for v in values.values()])


def _sincos(t, a):
    with np.errstate(all="ignore"):
        x = a.astype(np.float64)
        expected = [near(t, np.sin(x), 2 if t == "f64" else 1, 2),
                    near(t, np.cos(x), 2 if t == "f64" else 1, 2)]
    return Case(FAMILY, f"math.sincos-{t}",
                elementwise([f"%s, %c = math.sincos %a : {t}"], [t], [t, t], a.shape,
                            results=["%s", "%c"]), [a], expected)


def _pow(x, y):
    return np.power(x, y)


def _binary():
    for t in FLOATS:
        values = hostile_floats(t)
        a, b = (np.ascontiguousarray(v) for v in np.meshgrid(values, values, indexing="ij"))
        x, y = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(all="ignore"):
            table = {"atan2": near(t, np.arctan2(x, y), 2 if t == "f64" else 1, 3),
                     "powf": near(t, _pow(x, y), 2 if t == "f64" else 1,
                                  4 if t in ("f64", "f32") else 1),
                     "copysign": rounded(t, np.copysign(x, y))}
        for op, want in table.items():
            yield Case(FAMILY, f"math.{op}-{t}",
                       elementwise([f"%r = math.{op} %a, %b : {t}"], [t, t], t, a.shape),
                       [a, b], [want])
        for e in ("i32", "i64"):
            n = np.array([0, 1, -1, 2, -3, 5, 10, 17], DTYPES[e])
            a, b = (np.ascontiguousarray(v) for v in np.meshgrid(values, n, indexing="ij"))
            with np.errstate(all="ignore"):
                value = _pow(a.astype(np.float64), b.astype(np.float64))
            # A device may multiply: a rounding a step.
            yield Case(FAMILY, f"math.fpowi-{t}-{e}",
                       elementwise([f"%r = math.fpowi %a, %b : {t}, {e}"], [t, e], t, a.shape),
                       [a, b], [near(t, value, 2 if t == "f64" else 1, 20)])
        yield _fma(t)
        yield _clamp(t)


def _fma(t):
    """Products that cancel against the addend: rounding twice would show."""
    rng = seeded(f"fma-{t}")
    dtype = DTYPES[t]
    a = rng.standard_normal(300).astype(dtype)
    b = rng.standard_normal(300).astype(dtype)
    with np.errstate(all="ignore"):
        c = (-(a.astype(np.float64) * b.astype(np.float64))).astype(dtype)
    special = hostile_floats(t)
    a, b, c = (np.concatenate([v, np.roll(special, k)]) for k, v in enumerate((a, b, c)))
    line = [f"%r = math.fma %a, %b, %c : {t}"]
    text = elementwise(line, [t] * 3, t, a.shape)
    if t == "f64":
        want = exact(np.array([_fma_exact(*row) for row in zip(a, b, c)]))
    else:
        with np.errstate(all="ignore"):
            wide = a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble)
            want = near(t, wide.astype(np.float64), 0.5001 if t == "f32" else 1)
    return Case(FAMILY, f"math.fma-{t}", text, [a, b, c], [want])


def _fma_exact(a, b, c):
    from fractions import Fraction
    with np.errstate(all="ignore"):
        plain = a * b + c
    if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
        return plain
    value = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if value == 0:
        return plain if a * b == 0 or c == 0 else 0.0
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _clamp(t):
    a = _values(t)
    a = a[~np.isnan(a) & (a != 0)]
    lines = [f"%lo = arith.constant -1.5 : {t}", f"%hi = arith.constant 2.0 : {t}",
             f"%r = math.clampf %a to [%lo, %hi] : {t}"]
    return Case(FAMILY, f"math.clampf-{t}", elementwise(lines, [t], t, a.shape), [a],
                [rounded(t, np.clip(a.astype(np.float64), -1.5, 2.0))])


def _integers():
    for t in INTEGERS:
        a = hostile_integers(t)
        bits = BITS[t]
        u = lambda v: unsigned(v, t)
        table = {"absi": abs,
                 "ctlz": lambda v: bits - u(v).bit_length(),
                 "cttz": lambda v: bits if v == 0 else (u(v) & -u(v)).bit_length() - 1,
                 "ctpop": lambda v: bin(u(v)).count("1")}
        for op, f in table.items():
            yield Case(FAMILY, f"math.{op}-{t}",
                       elementwise([f"%r = math.{op} %a : {t}"], [t], t, a.shape), [a],
                       [exact(apply(f, t, t, a))])
        base = a[a != 0]
        n = np.array([0, 1, 2, 3, 7, -1, -2], DTYPES[t])
        x, y = (np.ascontiguousarray(v) for v in np.meshgrid(base, n, indexing="ij"))
        def power(b, e):
            if e >= 0:
                return b ** e
            return 1 if b == 1 else (1 if e % 2 == 0 else -1) if b == -1 else 0
        yield Case(FAMILY, f"math.ipowi-{t}",
                   elementwise([f"%r = math.ipowi %a, %b : {t}"], [t, t], t, x.shape),
                   [x, y], [exact(apply(power, t, t, x, y))])


def cases():
    return [*_unary(), *_binary(), *_integers()]
