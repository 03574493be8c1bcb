"""What is close enough: docs/evaluation.md in PyTorch, on whole tensors.

The suite's own check stands beside the worker's full gate; it exists so that no
time is written for an answer that this process did not look at.
"""
import math

# Bits of the fraction, and the exponent of the smallest normal number.
FORMATS = {"f64": (52, -1022), "f32": (23, -126), "f16": (10, -14), "bf16": (7, -126)}
# The floor of the norm error of f32 results.
NORM_FLOOR = {"f32": 2.5e-7}
# A golden with more than this share of non-finite values is no evidence.
NON_FINITE_SHARE = 0.01


def accepts(kind, element_type, error, reference, rounded):
    """The gate on figures alone. Each of `error`, `reference` (what a user has
    today) and `rounded` (the golden rounded to the type) is a dict: `norm` and
    `max` for an accumulation, `ulp` (the largest) and `mean` (in ulp) for an
    elementwise result. The mean is judged because cancellation in one element of
    the reference would otherwise excuse every element. Not a number is never
    accepted."""
    if kind == "elementwise":
        return error["ulp"] <= max(2.0 * reference["ulp"], 2.0) and error["mean"] <= max(2.0 * reference["mean"], 2.0)
    floor = NORM_FLOOR.get(element_type, 0.0)
    norm = max(2.0 * reference["norm"], 1.5 * rounded["norm"], floor)
    most = max(2.0 * reference["max"], 1.5 * rounded["max"])
    return error["norm"] <= norm and error["max"] <= most


def headline(kind, element_type, error):
    """One figure for the results file: the norm error, or the mean distance in ulp
    times the type's precision."""
    return error["norm"] if kind == "accumulation" else error["mean"] * 2.0 ** -FORMATS[element_type][0]


def measure(kind, element_type, output, golden, natural):
    """The error of `output` against `golden` (float64). `natural` is the payload
    on absolute values, the scale of cancellation; it is never taken below the golden,
    nor below 2^-10 of the root mean square of all scales. Infinite where the
    non-finite values do not stand as in the golden rounded to the type."""
    import torch
    rounded = golden.to(output.dtype)
    finite = torch.isfinite(rounded)
    same = torch.equal(torch.isnan(output), torch.isnan(rounded))
    same = same and torch.equal(torch.isfinite(output), finite)
    same = same and bool(torch.all((output == rounded) | ~torch.isinf(rounded)))
    if not same:
        return dict.fromkeys(("norm", "max", "ulp", "mean"), math.inf)
    zero = torch.zeros((), dtype=torch.float64, device=golden.device)
    difference = torch.where(finite, (output.double() - golden).abs_(), zero)
    if kind == "elementwise":
        bits, least = FORMATS[element_type]
        exponent = torch.frexp(golden)[1].clamp_(min=least + 1) - 1 - bits
        ulps = torch.where(finite, difference / torch.exp2(exponent.double()), zero)
        return {"ulp": float(ulps.max()), "mean": float(ulps.mean())}
    scale = torch.where(torch.isfinite(natural), torch.maximum(natural.abs(), golden.abs()), zero)
    norm = float(torch.linalg.vector_norm(scale))
    scale.clamp_(min=norm / math.sqrt(scale.numel()) / 1024)
    error = float(torch.linalg.vector_norm(difference))
    return {"norm": 0.0 if error == 0.0 else error / norm if norm > 0.0 else math.inf,
            "max": float((difference / scale).nan_to_num_(0.0).max())}


def is_evidence(golden):
    """Whether enough of a golden is finite to show anything."""
    import torch
    return float((~torch.isfinite(golden)).double().mean()) <= NON_FINITE_SHARE


def to_tf32(x):
    """A float32 tensor with its fractions rounded to TF32's ten bits."""
    import torch
    bits = x.contiguous().view(torch.int32)
    return ((bits + 0x1000) & ~0x1FFF).view(torch.float32)


def mutants(function, arguments, golden, dtype, first, tile_dimension):
    """Wrong answers that a gate must refuse, as (name, tensor): zeros, the mean,
    a shift by one column, the last tile of 16 of the first input missing, and for
    f32 an answer from inputs of TF32 grade."""
    import torch
    right = golden.to(dtype)
    yield "zeros", torch.zeros_like(right)
    yield "mean", torch.full_like(right, float(golden.mean()))
    yield "shift", torch.roll(right, 1, dims=-1)
    wide = [a.double() for a in arguments]
    extent = wide[first].shape[tile_dimension]
    cut = max(extent - 16, 0)
    wide[first] = wide[first].clone()
    wide[first].narrow(tile_dimension, cut, extent - cut).zero_()
    yield "tile", function(*wide).to(dtype)
    if dtype == torch.float32:
        yield "tf32", function(*[to_tf32(a).double() for a in arguments]).to(dtype)
