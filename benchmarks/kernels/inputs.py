"""Inputs from an integer hash: the same bits in every language, nothing stored.

Element `i` (row-major) of argument `k` comes from 32 bits:

    h = i + 0x9E3779B9 * (k + 1)            modulo 2^32
    h = (h ^ (h >> 16)) * 0x21F0AAAD        modulo 2^32
    h = (h ^ (h >> 15)) * 0x735A2D97        modulo 2^32
    h = h ^ (h >> 15)

| fill | value |
| --- | --- |
| `{"kind": "uniform"}`, f32 and f64 | (h >> 8) / 2^23 - 1: in [-1, 1), exact in f32 |
| `{"kind": "uniform"}`, f16 and bf16 | (h >> 24) / 2^7 - 1: in [-1, 1), exact in both |
| `{"kind": "positive"}`, f32 and f64 | (h >> 9) / 2^23 + 0.5: in [0.5, 1.5), exact in f32 |
| `{"kind": "positive"}`, f16 and bf16 | (h >> 25) / 2^7 + 0.5: in [0.5, 1.5), exact in both |
| `{"kind": "below", "bound": n}`, integers | (h * n) >> 32: in [0, n) |

No imports: a test needs nothing but Python.
"""

MASK = 0xFFFFFFFF


def bits(k, i):
    """The 32 bits of element `i` of argument `k`."""
    h = (i + 0x9E3779B9 * (k + 1)) & MASK
    h = ((h ^ (h >> 16)) * 0x21F0AAAD) & MASK
    h = ((h ^ (h >> 15)) * 0x735A2D97) & MASK
    return h ^ (h >> 15)


def element(k, i, fill, element_type):
    """Element `i` of argument `k` as a Python float or int."""
    h = bits(k, i)
    if fill["kind"] == "below":
        return (h * fill["bound"]) >> 32
    digits = 7 if element_type in ("f16", "bf16") else 23
    scale = float(1 << digits)
    if fill["kind"] == "uniform":
        return (h >> (31 - digits)) / scale - 1.0
    if fill["kind"] == "positive":
        return (h >> (32 - digits)) / scale + 0.5
    raise ValueError(f"no fill of kind {fill['kind']!r}; there are uniform, positive and below")


def fill(k, count, how, element_type):
    """All `count` elements of argument `k`, in row-major order."""
    return [element(k, i, how, element_type) for i in range(count)]
