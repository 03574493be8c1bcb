"""egg-import: a PyTorch module as a payload, linalg on tensors.

Parameters and float buffers become arguments of `@main`: parameters first in the
order of `named_parameters`, then buffers, then the inputs. The export runs on fake
tensors, so no weight is in the IR and no memory is touched. Needs PyTorch and
torch-mlir.
"""
import argparse
import contextlib
import dataclasses
import importlib.util
import io
import pathlib
import sys

import torch
from torch import nn

from egg_mlir import report

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "i1": torch.bool}


@dataclasses.dataclass(frozen=True)
class Payload:
    """The text, and sentences on what the import changed."""
    text: str
    notes: tuple


class Refused(Exception):
    """What cannot be imported; the text is a sentence."""


def state_of(module):
    """(name, tensor) of the parameters, then of the float buffers: a counter of
    batches takes no part in inference."""
    entries = list(module.named_parameters())
    return entries + [(n, b) for n, b in module.named_buffers() if b.is_floating_point()]


class Functional(nn.Module):
    """A module whose parameters and float buffers are its first inputs. The module
    is kept in a list, so that the exporter does not see it as a child."""

    def __init__(self, inner):
        super().__init__()
        self.inner = [inner]
        self.names = [name for name, _ in state_of(inner)]

    def forward(self, *arguments):
        state = dict(zip(self.names, arguments))
        return torch.func.functional_call(self.inner[0], state, arguments[len(self.names):])


def normalised(x, dims, eps):
    """(x - mean) / sqrt(variance + eps) over `dims`, the mean and 1 / sqrt(..)."""
    mean = x.mean(dim=dims, keepdim=True)
    centred = x - mean
    inverse = torch.rsqrt((centred * centred).mean(dim=dims, keepdim=True) + eps)
    return centred * inverse, mean, inverse


def layer_norm(x, shape, weight, bias, eps):
    """aten.native_layer_norm in the types of its input: the exporter's own
    decomposition takes the variance in f64."""
    y, mean, inverse = normalised(x, list(range(x.dim() - len(shape), x.dim())), eps)
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias), mean, inverse


def group_norm(x, weight, bias, n, channels, size, groups, eps):
    """aten.native_group_norm likewise: the exporter's own decomposition writes
    index constants of the tensor's size."""
    y, mean, inverse = normalised(x.reshape(n, groups, channels // groups * size), [2], eps)
    y = y.reshape(x.shape)
    per_channel = [1, channels] + [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.reshape(per_channel)
    y = y if bias is None else y + bias.reshape(per_channel)
    return y, mean.reshape(n, groups), inverse.reshape(n, groups)


def decompositions(own_norms):
    """The exporter's table; with `own_norms`, less its two norms."""
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    table = dict(get_decomposition_table())
    if own_norms:
        table[torch.ops.aten.native_layer_norm.default] = layer_norm
        table[torch.ops.aten.native_group_norm.default] = group_norm
    return table


def drop_assertions(module):
    """Takes out the exporter's `cf.assert` on indices, which a payload may not
    hold, and what only they used; the number of them. The caller keeps indices in
    range."""
    from torch_mlir import ir
    from torch_mlir.passmanager import PassManager

    found = []

    def visit(op):
        if op.name == "cf.assert":
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        op.erase()
    if found:
        with module.context:
            PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    return len(found)


def foreign_ops(module):
    """Names of ops outside the dialects that a payload may hold."""
    from torch_mlir import ir

    allowed = {"builtin", "func", "linalg", "tensor", "arith", "math", "scf", "affine"}
    found = set()

    def visit(op):
        if op.name.split(".")[0] not in allowed:
            found.add(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return sorted(found)


def import_module(make, inputs, own_norms=True):
    """The Payload of the module that `make()` gives, on inputs of the given
    (shape, dtype) pairs. Raises Refused where the result holds ops that no
    payload may hold."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch_mlir import fx

    with FakeTensorMode():
        module = make().eval()
        module.requires_grad_(False)
        arguments = [torch.empty(value.shape, dtype=value.dtype) for _, value in state_of(module)]
        arguments += [torch.empty(shape, dtype=dtype) for shape, dtype in inputs]
        # The exporter prints its progress.
        with contextlib.redirect_stdout(io.StringIO()):
            result = fx.export_and_import(Functional(module).eval(), *arguments,
                                          output_type="linalg-on-tensors", func_name="main",
                                          decomposition_table=decompositions(own_norms))
    dropped = drop_assertions(result)
    foreign = foreign_ops(result)
    if foreign:
        raise Refused(f"the import holds {', '.join(foreign)}, which no payload may hold")
    notes = (f"{dropped} assertions on indices taken out: keep indices in range",) if dropped else ()
    return Payload(str(result).rstrip("\n") + "\n", notes)


def parse_input(text):
    """(shape, dtype) of `4x5xf32` or, for a scalar, `f32`."""
    *extents, name = text.split("x")
    if name not in DTYPES or not all(e.isdecimal() for e in extents):
        raise argparse.ArgumentTypeError(f"{text!r} is no shape and type as 128x256xf32; types are {', '.join(DTYPES)}")
    return [int(e) for e in extents], DTYPES[name]


def maker(path, expression):
    """A function that gives the module: `expression` in the Python file `path`, a
    class or function called without arguments, or any call of one. The file is
    run: it is the caller's own."""
    spec = importlib.util.spec_from_file_location("egg_import_source", path)
    source = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(source)

    def make():
        value = eval(expression, vars(source))  # noqa: S307: the caller's own words on the caller's own file
        value = value if isinstance(value, nn.Module) else value()
        if not isinstance(value, nn.Module):
            raise Refused(f"{expression} gives a {type(value).__name__}, not a torch.nn.Module")
        return value

    return make


def main(argv=None):
    """Exit code 0 when the payload was written."""
    parser = argparse.ArgumentParser(prog="egg-import", description=__doc__.split("\n\n")[0])
    parser.add_argument("file", help="a Python file, which is run")
    parser.add_argument("module", help="what in it gives the module: Model, or Model(64, 128)")
    parser.add_argument("--input", action="append", default=[], type=parse_input, metavar="SHAPExTYPE",
                        help="one of the inputs in order, as 128x256xf32")
    parser.add_argument("--out", default="-", help="the payload to write (standard output)")
    options = parser.parse_args(argv)
    if not pathlib.Path(options.file).is_file():
        parser.error(f"there is no file {options.file}")
    try:
        payload = import_module(maker(options.file, options.module), options.input)
    except Refused as error:
        print(f"egg-import: {error}", file=sys.stderr)
        return 1
    for note in payload.notes:
        print(f"egg-import: {note}", file=sys.stderr)
    report.write(options.out, payload.text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
