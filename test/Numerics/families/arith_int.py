"""arith on integers: every pair of hostile values; results are exact.

References are computed on Python's integers, so that nothing can overflow
unnoticed. Divisors of zero, quotients that overflow and shifts by the width or
more have no defined result: those operands are replaced.
"""

import numpy as np

from case import DTYPES, INTEGERS, Case, exact, hostile_integers
from .payload import elementwise

BITS = {"i64": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}
FAMILY = "arith_int"


def wrap(values, t):
    """Python integers, modulo 2^bits, as an array of the type."""
    bits = BITS[t]
    if t == "i1":
        return np.array([bool(v & 1) for v in values])
    half = 1 << (bits - 1)
    return np.array([((v + half) % (1 << bits)) - half for v in values], DTYPES[t])


def unsigned(value, t):
    return value % (1 << BITS[t])


def apply(function, t, out, *arrays):
    """`function` on Python integers, element by element."""
    columns = [[int(v) for v in array.ravel()] for array in arrays]
    return wrap([function(*row) for row in zip(*columns)], out).reshape(arrays[0].shape)


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _binary(t):
    u = lambda v: unsigned(v, t)
    return {
        "addi": lambda a, b: a + b,
        "subi": lambda a, b: a - b,
        "muli": lambda a, b: a * b,
        "divsi": truncated,
        "divui": lambda a, b: u(a) // u(b),
        "ceildivsi": lambda a, b: -(-a // b),
        "ceildivui": lambda a, b: -(-u(a) // u(b)),
        "floordivsi": lambda a, b: a // b,
        "remsi": lambda a, b: a - b * truncated(a, b),
        "remui": lambda a, b: u(a) % u(b),
        "andi": lambda a, b: a & b,
        "ori": lambda a, b: a | b,
        "xori": lambda a, b: a ^ b,
        "shli": lambda a, b: a << b,
        "shrui": lambda a, b: u(a) >> b,
        "shrsi": lambda a, b: a >> b,
        "maxsi": max,
        "minsi": min,
        "maxui": lambda a, b: a if u(a) > u(b) else b,
        "minui": lambda a, b: a if u(a) < u(b) else b,
    }


DIVISIONS = ("divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui")
PREDICATES = {"eq": lambda a, b, u: a == b, "ne": lambda a, b, u: a != b,
              "slt": lambda a, b, u: a < b, "sle": lambda a, b, u: a <= b,
              "sgt": lambda a, b, u: a > b, "sge": lambda a, b, u: a >= b,
              "ult": lambda a, b, u: u(a) < u(b), "ule": lambda a, b, u: u(a) <= u(b),
              "ugt": lambda a, b, u: u(a) > u(b), "uge": lambda a, b, u: u(a) >= u(b)}


def _pairs(t):
    values = np.array([False, True]) if t == "i1" else hostile_integers(t)
    left, right = np.meshgrid(values, values, indexing="ij")
    return np.ascontiguousarray(left), np.ascontiguousarray(right)


def _operands(op, t, left, right):
    if op in DIVISIONS:
        right = np.where(right == 0, DTYPES[t].type(5), right)
        least = np.iinfo(DTYPES[t]).min
        right = np.where((left == least) & (right == -1), DTYPES[t].type(7), right)
    if op.startswith("sh"):
        right = (right.astype(np.int64) % BITS[t]).astype(DTYPES[t])
    return left, np.ascontiguousarray(right)


def _cases():
    for t in INTEGERS:
        for op, function in _binary(t).items():
            left, right = _operands(op, t, *_pairs(t))
            yield Case(FAMILY, f"arith.{op}-{t}",
                       elementwise([f"%r = arith.{op} %a, %b : {t}"], [t, t], t, left.shape),
                       [left, right], [exact(apply(function, t, t, left, right))])
        yield _extended(t)
        yield _guarded(t)
    for op in ("addi", "muli", "andi", "ori", "xori"):
        left, right = _pairs("i1")
        function = {"addi": np.logical_xor, "muli": np.logical_and, "andi": np.logical_and,
                    "ori": np.logical_or, "xori": np.logical_xor}[op]
        yield Case(FAMILY, f"arith.{op}-i1",
                   elementwise([f"%r = arith.{op} %a, %b : i1"], ["i1"] * 2, "i1", left.shape),
                   [left, right], [exact(function(left, right))])
    for t in (*INTEGERS, "i1"):
        yield _compare(t)
        left, right = _pairs(t)
        yield Case(FAMILY, f"arith.select-{t}",
                   elementwise([f"%c = arith.cmpi slt, %a, %b : {t}",
                                f"%r = arith.select %c, %b, %a : {t}"], [t, t], t, left.shape),
                   [left, right], [exact(np.where(_signed(left) < _signed(right), right, left))])


def _signed(array):
    """An i1 that is set is -1."""
    return -array.astype(np.int8) if array.dtype == bool else array


def _compare(t):
    left, right = _pairs(t)
    u = lambda v: unsigned(v, t)
    sign = (lambda v: -v) if t == "i1" else (lambda v: v)
    values = [apply(lambda a, b: int(f(sign(a), sign(b), u)), t, "i1", left, right)
              for f in PREDICATES.values()]
    lines = [f"%r_{p} = arith.cmpi {p}, %a, %b : {t}" for p in PREDICATES]
    return Case(FAMILY, f"arith.cmpi-{t}",
                elementwise(lines, [t, t], ["i1"] * len(values), left.shape,
                            results=[f"%r_{p}" for p in PREDICATES]),
                [left, right], [exact(v) for v in values])


def _extended(t):
    """The ops with a second result."""
    left, right = _pairs(t)
    u = lambda v: unsigned(v, t)
    bits = BITS[t]
    lines = [f"%s, %c = arith.addui_extended %a, %b : {t}, i1",
             f"%sl, %sh = arith.mulsi_extended %a, %b : {t}",
             f"%ul, %uh = arith.mului_extended %a, %b : {t}"]
    values = [apply(lambda a, b: a + b, t, t, left, right),
              apply(lambda a, b: (u(a) + u(b)) >> bits, t, "i1", left, right),
              apply(lambda a, b: a * b, t, t, left, right),
              apply(lambda a, b: (a * b) >> bits, t, t, left, right),
              apply(lambda a, b: u(a) * u(b), t, t, left, right),
              apply(lambda a, b: (u(a) * u(b)) >> bits, t, t, left, right)]
    return Case(FAMILY, f"arith.extended-{t}",
                elementwise(lines, [t, t], [t, "i1", t, t, t, t], left.shape,
                            results=["%s", "%c", "%sl", "%sh", "%ul", "%uh"]),
                [left, right], [exact(v) for v in values])


def _guarded(t):
    """A division whose undefined results are not selected must not trap."""
    left, right = _pairs(t)
    least = int(np.iinfo(DTYPES[t]).min)
    lines = [f"%zero = arith.constant 0 : {t}", f"%m = arith.constant -1 : {t}",
             f"%least = arith.constant {least} : {t}",
             f"%q = arith.divsi %a, %b : {t}",
             f"%z = arith.cmpi eq, %b, %zero : {t}",
             f"%n = arith.cmpi eq, %b, %m : {t}",
             f"%l = arith.cmpi eq, %a, %least : {t}",
             "%o = arith.andi %n, %l : i1", "%bad = arith.ori %z, %o : i1",
             f"%r = arith.select %bad, %a, %q : {t}"]
    value = apply(lambda a, b: a if b == 0 or (b == -1 and a == least) else truncated(a, b),
                  t, t, left, right)
    return Case(FAMILY, f"arith.divsi_guarded-{t}",
                elementwise(lines, [t, t], t, left.shape), [left, right], [exact(value)])


def cases():
    return list(_cases())
