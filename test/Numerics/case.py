"""One case of the corpus: a payload, its inputs, and what NumPy says it gives.

Nothing here asks egg for anything: a reference is computed from the meaning of
the op, in float64 where the payload computes in floats.
"""

import dataclasses
import math

import ml_dtypes
import numpy as np

DTYPES = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "i1": np.dtype(np.bool_),
}
FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i64", "i32", "i16", "i8")
# Bits of precision (hidden bit included) and the exponent of the least normal.
PRECISION = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}
LEAST_EXPONENT = {"f64": -1022, "f32": -126, "f16": -14, "bf16": -126}


@dataclasses.dataclass
class Expected:
    """A result: its type and what it must be.

    `value` is the exact array, or a float64 array where `ulp` or `scale` is
    given. A float element may be off by `ulp` units in the last place of the
    golden value rounded to `type`, plus `eps` times the type's epsilon times
    the element of `scale`: the sum of the absolute values of what a reduction
    adds up.
    """

    type: str
    value: np.ndarray
    exact: bool = True
    ulp: float = 0.0
    # What a GPU's math library may be off by, where that is more.
    device_ulp: float = 0.0
    scale: np.ndarray | None = None
    eps: float = 0.0


@dataclasses.dataclass
class Case:
    """`name` is unique; `text` holds the payload, whose entry is @main."""

    family: str
    name: str
    text: str
    inputs: list
    expected: list


def type_of(array: np.ndarray) -> str:
    for name, dtype in DTYPES.items():
        if array.dtype == dtype:
            return name
    raise TypeError(f"no element type for {array.dtype}")


def tensor(type_name: str, shape) -> str:
    """`tensor<2x3xf32>`."""
    return "tensor<" + "".join(f"{d}x" for d in shape) + type_name + ">"


def ttype(array: np.ndarray) -> str:
    return tensor(type_of(array), array.shape)


def exact(array: np.ndarray) -> Expected:
    """Movement, selection and integers: bit for bit, NaN for NaN."""
    return Expected(type_of(array), np.asarray(array, order="C"))


def rounded(type_name: str, value) -> Expected:
    """Float arithmetic that is correctly rounded: `value` is float64."""
    with np.errstate(all="ignore"):
        return exact(np.asarray(value, np.float64).astype(DTYPES[type_name]))


def near(type_name: str, value, ulp=1.0, device_ulp=None) -> Expected:
    """Elementwise functions of a math library."""
    return Expected(type_name, np.asarray(value, np.float64), False, ulp,
                    ulp if device_ulp is None else device_ulp)


def summed(type_name: str, value, scale, terms: int, extra=0.0) -> Expected:
    """A float reduction of `terms` terms in any order, in `type_name`.

    The classical bound is terms * eps * sum of absolute values; `extra` adds
    for what the terms themselves round.
    """
    return Expected(type_name, np.asarray(value, np.float64), False, 1.0, 1.0,
                    np.asarray(scale, np.float64), float(terms + 1 + extra))


def ulp_of(value: np.ndarray, type_name: str) -> np.ndarray:
    """The unit in the last place of `type_name` at `value` (float64, finite)."""
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.abs(value))
    exponent = np.maximum(np.where(value == 0, -5000, exponent - 1),
                          LEAST_EXPONENT[type_name])
    return np.ldexp(1.0, exponent - (PRECISION[type_name] - 1))


def difference(got: np.ndarray, want: Expected, device: bool) -> str | None:
    """None where `got` (of the expected dtype and shape) is good enough, else a
    sentence about the worst element."""
    if want.exact:
        if got.dtype.kind in "iub":
            bad = got != want.value
        else:
            bits = np.dtype(f"u{got.dtype.itemsize}")
            nan = np.isnan(got) & np.isnan(want.value)
            bad = (got.view(bits) != want.value.view(bits)) & ~nan
        if not bad.any():
            return None
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        return (f"{int(bad.sum())} of {bad.size} elements are not equal; at "
                f"{where}: {got[where]!r}, wanted {want.value[where]!r}")
    with np.errstate(all="ignore"):
        value = got.astype(np.float64)
        golden = want.value.astype(DTYPES[want.type]).astype(np.float64)
        ulp = want.device_ulp if device else want.ulp
        finite = np.isfinite(golden)
        allowed = ulp * ulp_of(np.where(finite, want.value, 0), want.type)
        if want.scale is not None:
            epsilon = 2.0 ** (1 - PRECISION[want.type])
            allowed = allowed + want.eps * epsilon * np.abs(want.scale)
        error = np.abs(value - np.where(finite, want.value, 0))
        same = (np.isnan(value) & np.isnan(golden)) | (value == golden)
        # A value that rounds to infinity may stay just below it, and the other
        # way round.
        bad = ~same & ~(finite & (error <= allowed))
        if want.scale is not None or ulp >= 1:
            top = float(np.finfo(DTYPES[want.type]).max) if want.type != "bf16" \
                else float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)
            edge = (np.abs(want.value) > top * (1 - 2.0 ** (2 - PRECISION[want.type]))) \
                & (np.abs(value) >= top) & (np.sign(value) == np.sign(want.value))
            bad &= ~edge
    if not bad.any():
        return None
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    in_ulp = error[where] / ulp_of(want.value, want.type)[where] \
        if math.isfinite(want.value[where]) else math.nan
    return (f"{int(bad.sum())} of {bad.size} elements are off; at {where}: "
            f"{value[where]!r}, wanted {want.value[where]!r}, which is "
            f"{in_ulp:.3g} ulp")


# Inputs -------------------------------------------------------------------

def hostile_floats(type_name: str) -> np.ndarray:
    """NaN, infinities, both zeros, subnormals, extremes, halves, ordinary."""
    dtype = DTYPES[type_name]
    info = ml_dtypes.finfo(dtype)
    big, least, tiny = float(info.max), float(info.smallest_subnormal), float(info.tiny)
    values = [math.nan, math.inf, -math.inf, 0.0, -0.0, least, -least,
              tiny * 0.75, tiny, -tiny, big, -big, 1.0, -1.0, 0.5, -0.5, 1.5,
              2.5, -2.5, 3.0, 1.0 + float(info.eps), 0.1, -0.7, 10.0, 100.5]
    return np.array(values, np.float64).astype(dtype)


def hostile_integers(type_name: str) -> np.ndarray:
    info = np.iinfo(DTYPES[type_name])
    return np.array([info.min, info.min + 1, -1, 0, 1, 2, 3, -7, 10,
                     info.max - 1, info.max, info.max // 2], DTYPES[type_name])


def seeded(name: str) -> np.random.Generator:
    """A generator that depends on the case's name alone."""
    return np.random.default_rng(list(name.encode()))


def draw(rng, type_name: str, shape) -> np.ndarray:
    """Ordinary values: normal floats, small integers, coin flips."""
    dtype = DTYPES[type_name]
    if type_name == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if type_name in INTEGERS:
        return rng.integers(-9, 10, shape).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def draw_bits(rng, type_name: str, shape) -> np.ndarray:
    """Any bit pattern: for movement, which must keep every one of them. NaNs
    are quiet: a float load and store may quieten them."""
    dtype = DTYPES[type_name]
    if type_name == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    count = int(np.prod(shape, dtype=np.int64))
    raw = rng.bytes(count * dtype.itemsize)
    array = np.frombuffer(raw, dtype).reshape(shape).copy()
    if type_name in FLOATS:
        array = np.where(np.isnan(array), dtype.type(np.nan), array).astype(dtype)
    return array
