#!/usr/bin/env python3
"""Writes the payloads of this folder: PyTorch modules of our own, exported by
torch-mlir to linalg on tensors.

    make_payloads.py                     write every payload and expected output
    make_payloads.py gelu_f32 small/...  only these
    make_payloads.py --check             write nothing; fail where a file differs

Needs PyTorch and torch-mlir, in the versions that README.md names: run it from a
virtual environment outside the repository. Nothing in the build or the tests
needs it: its outputs are committed.

Parameters and buffers become arguments of `@main` (parameters first, in the
order of `named_parameters`, then buffers, then the inputs), so that no weight
stands in the IR. The export runs on fake tensors: no memory is touched, whatever
the size.

A payload under `small/` has an expected output beside it, `NAME.json`: what the
same module gives in PyTorch in float64 on the inputs of `inputs.py`.
"""
import argparse
import json
import math
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools", "egg-python", "src")]
import inputs as hashed  # noqa: E402
from egg_mlir import importer  # noqa: E402

F32, F16, BF16, I64 = torch.float32, torch.float16, torch.bfloat16, torch.int64
TYPE_NAME = {torch.float64: "f64", F32: "f32", F16: "f16", BF16: "bf16", I64: "i64",
             torch.bool: "i1"}


def tensor(*shape, dtype=F32, fill=None):
    """What an input is: a shape, an element type and how it is filled."""
    return {"shape": shape, "dtype": dtype, "fill": fill or {"kind": "uniform"}}


def index(*shape, below):
    """Integers in [0, below)."""
    return tensor(*shape, dtype=I64, fill={"kind": "below", "bound": below})


# The modules. Each is written for this file.


class Lambda(nn.Module):
    """A function of its inputs, with no parameters."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Mlp(nn.Module):
    """Linear layers of the widths given, relu after each."""

    def __init__(self, *widths, dtype=F32):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(a, b, dtype=dtype) for a, b in zip(widths, widths[1:]))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class GemmBiasRelu(nn.Module):
    """relu(x W^T + b), the bias a parameter of its own."""

    def __init__(self, inner, outer, dtype=F32):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outer, inner, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(outer, dtype=dtype))

    def forward(self, x):
        return torch.relu(x @ self.weight.t() + self.bias)


class ConvRelu(nn.Module):
    """A 2-d convolution with padding and stride, then relu."""

    def __init__(self, channels, filters, kernel, stride=1, padding=0):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, kernel, stride=stride, padding=padding)

    def forward(self, x):
        return torch.relu(self.conv(x))


class LstmCell(nn.Module):
    """One step of an LSTM, its four gates from two products."""

    def __init__(self, width, hidden):
        super().__init__()
        self.input = nn.Linear(width, 4 * hidden)
        self.state = nn.Linear(hidden, 4 * hidden)

    def forward(self, x, h, c):
        i, f, g, o = torch.chunk(self.input(x) + self.state(h), 4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


def cross_entropy(logits, target):
    """Written with a gather: aten.cross_entropy_loss does not lower."""
    picked = torch.gather(torch.log_softmax(logits, dim=1), 1, target.unsqueeze(1))
    return -picked.mean()


def attention(q, k, v):
    """softmax(Q K^T / sqrt(d)) V; a d of 16 keeps the scale exact."""
    scale = 1.0 / math.sqrt(q.shape[-1])
    return torch.softmax(q @ k.transpose(-2, -1) * scale, dim=-1) @ v


def causal_attention(q, k, v):
    """The same, each row blind to the columns behind it."""
    rows = torch.arange(q.shape[-2]).unsqueeze(1)
    columns = torch.arange(k.shape[-2]).unsqueeze(0)
    scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(q.shape[-1]))
    return torch.softmax(scores.masked_fill(columns > rows, -math.inf), dim=-1) @ v


def concat_pad(a, b):
    """Two tensors side by side in a frame of zeros."""
    return F.pad(torch.cat([a, b], dim=1), (2, 1, 1, 3))


# name -> (a function that makes the module, the inputs)
REAL = {
    "gelu_f32": (lambda: Lambda(F.gelu), [tensor(4096, 393216)]),
    "softmax_f32": (lambda: Lambda(lambda x: torch.softmax(x, dim=1)), [tensor(4096, 98304)]),
    "layernorm_f32": (lambda: nn.LayerNorm((64, 256, 256)), [tensor(16, 64, 256, 256)]),
    "sum_reduction_f32": (lambda: Lambda(lambda x: torch.sum(x, dim=1, keepdim=True)),
                          [tensor(128, 4096, 4095)]),
    "matmul_f32": (lambda: Lambda(torch.matmul), [tensor(4096, 4096), tensor(4096, 4096)]),
    "matmul_f16": (lambda: Lambda(torch.matmul),
                   [tensor(4096, 4096, dtype=F16), tensor(4096, 4096, dtype=F16)]),
    "mlp3_f32": (lambda: Mlp(16384, 8192, 8192, 1024), [tensor(128, 16384)]),
    "gemm_bias_relu_f32": (lambda: GemmBiasRelu(8192, 8192), [tensor(1024, 8192)]),
}

# Every extent at the prime nearest to half of the original's.
TWIN = {
    "gelu_f32": (lambda: Lambda(F.gelu), [tensor(2053, 196613)]),
    "softmax_f32": (lambda: Lambda(lambda x: torch.softmax(x, dim=1)), [tensor(2053, 49157)]),
    "layernorm_f32": (lambda: nn.LayerNorm((31, 127, 127)), [tensor(7, 31, 127, 127)]),
    "sum_reduction_f32": (lambda: Lambda(lambda x: torch.sum(x, dim=1, keepdim=True)),
                          [tensor(61, 2053, 2053)]),
    "matmul_f32": (lambda: Lambda(torch.matmul), [tensor(2053, 2053), tensor(2053, 2053)]),
    "matmul_f16": (lambda: Lambda(torch.matmul),
                   [tensor(2053, 2053, dtype=F16), tensor(2053, 2053, dtype=F16)]),
    "mlp3_f32": (lambda: Mlp(8191, 4093, 4093, 509), [tensor(61, 8191)]),
    "gemm_bias_relu_f32": (lambda: GemmBiasRelu(4093, 4093), [tensor(509, 4093)]),
}

SMALL = {
    "gelu_f32": (lambda: Lambda(F.gelu), [tensor(5, 37)]),
    "softmax_f32": (lambda: Lambda(lambda x: torch.softmax(x, dim=1)), [tensor(7, 33)]),
    "softmax_f16": (lambda: Lambda(lambda x: torch.softmax(x, dim=1)), [tensor(3, 17, dtype=F16)]),
    "layernorm_f32": (lambda: nn.LayerNorm((3, 5, 7)), [tensor(2, 3, 5, 7)]),
    # The exporter's own decomposition, with its variance in f64.
    "layernorm_wide_f32": (lambda: nn.LayerNorm((3, 5)), [tensor(4, 3, 5)]),
    "sum_reduction_f32": (lambda: Lambda(lambda x: torch.sum(x, dim=1, keepdim=True)),
                          [tensor(3, 13, 11)]),
    "matmul_f32": (lambda: Lambda(torch.matmul), [tensor(9, 19), tensor(19, 7)]),
    "matmul_f16": (lambda: Lambda(torch.matmul),
                   [tensor(9, 19, dtype=F16), tensor(19, 7, dtype=F16)]),
    "matmul_bf16": (lambda: Lambda(torch.matmul),
                    [tensor(5, 33, dtype=BF16), tensor(33, 6, dtype=BF16)]),
    "batch_matmul_f32": (lambda: Lambda(torch.bmm), [tensor(3, 5, 11), tensor(3, 11, 4)]),
    "mlp3_f32": (lambda: Mlp(17, 13, 11, 5), [tensor(3, 17)]),
    "mlp3_bf16": (lambda: Mlp(17, 13, 11, 5, dtype=BF16), [tensor(3, 17, dtype=BF16)]),
    "gemm_bias_relu_f32": (lambda: GemmBiasRelu(23, 10), [tensor(7, 23)]),
    "conv2d_relu_f32": (lambda: ConvRelu(3, 4, 3, stride=2, padding=1), [tensor(2, 3, 9, 7)]),
    "depthwise_conv2d_f32": (lambda: nn.Conv2d(5, 5, 3, groups=5, bias=False),
                             [tensor(2, 5, 6, 7)]),
    "max_pool2d_f32": (lambda: nn.MaxPool2d(3, stride=2, padding=1), [tensor(2, 3, 9, 7)]),
    "batch_norm_f32": (lambda: nn.BatchNorm2d(5), [tensor(3, 5, 4, 3)]),
    "group_norm_f32": (lambda: nn.GroupNorm(2, 6), [tensor(2, 6, 3, 5)]),
    "cross_entropy_f32": (lambda: Lambda(cross_entropy), [tensor(9, 13), index(9, below=13)]),
    "argmax_f32": (lambda: Lambda(lambda x: torch.argmax(x, dim=1)), [tensor(6, 29)]),
    "embedding_f32": (lambda: nn.Embedding(19, 5), [index(3, 4, below=19)]),
    "concat_pad_f32": (lambda: Lambda(concat_pad), [tensor(3, 4), tensor(3, 5)]),
    "attention_f32": (lambda: Lambda(attention),
                      [tensor(2, 3, 7, 16), tensor(2, 3, 9, 16), tensor(2, 3, 9, 5)]),
    "causal_attention_f32": (lambda: Lambda(causal_attention),
                             [tensor(2, 7, 16), tensor(2, 7, 16), tensor(2, 7, 5)]),
    "lstm_cell_f32": (lambda: LstmCell(7, 5), [tensor(3, 7), tensor(3, 5), tensor(3, 5)]),
}

# Where the float64 run of a payload cannot come within 1e-10 of PyTorch's
# float64, and why. Measured, then rounded up.
TOLERANCE = {
    "gelu_f32": (5e-9, "the exporter writes sqrt(2) rounded to f32"),
}


def export(name, make, inputs):
    """The text of the payload that `make()` is on `inputs`."""
    shapes = [(x["shape"], x["dtype"]) for x in inputs]
    return importer.import_module(make, shapes, own_norms="wide" not in name).text


def state_of(module):
    """The parameters and float buffers, as the inputs that they become. A
    running variance is positive; everything else is uniform."""
    return [tensor(*value.shape, dtype=value.dtype,
                   fill={"kind": "positive" if name.endswith("running_var") else "uniform"})
            for name, value in importer.state_of(module)]


def expected(name, make, inputs):
    """The JSON beside a small payload: inputs, and the results of PyTorch in
    float64 on them."""
    module = make().eval()
    module.requires_grad_(False)
    specs = state_of(module) + inputs
    values = []
    for k, spec in enumerate(specs):
        flat = hashed.fill(k, math.prod(spec["shape"]), spec["fill"], TYPE_NAME[spec["dtype"]])
        value = torch.tensor(flat, dtype=torch.float64 if spec["dtype"] != I64 else I64)
        if spec["dtype"].is_floating_point:  # the inputs are exact in the payload's type
            assert torch.equal(value.to(spec["dtype"]).to(torch.float64), value), name
        values.append(value.reshape(spec["shape"]))
    results = importer.Functional(module.double()).eval()(*values)
    results = results if isinstance(results, tuple) else (results,)
    kind = specs[0]["dtype"] if specs[0]["dtype"].is_floating_point else F32
    tolerance, why = TOLERANCE.get(name, (1e-10, ""))
    return {
        "format": 1,
        "payload": f"{name}.mlir",
        "torch": torch.__version__,
        "tolerance": tolerance,
        "tolerance_note": why,
        "inputs": [{"type": TYPE_NAME[s["dtype"]], "shape": list(s["shape"]), "fill": s["fill"]}
                   for s in specs],
        "results": [{"type": TYPE_NAME[kind] if r.is_floating_point() else TYPE_NAME[r.dtype],
                     "shape": list(r.shape), "values": r.flatten().tolist()} for r in results],
    }


def dump(document):
    """JSON with one line an input or result: diffs stay readable."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list):
            inner = ",\n    ".join(json.dumps(v) for v in value)
            lines.append(f"  {json.dumps(key)}: [\n    {inner}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def put(path, text, check):
    """Writes `text`, or says whether the file holds it already."""
    if check:
        with open(path, encoding="utf-8") as file:
            same = file.read() == text
        print(("same     " if same else "DIFFERS  ") + os.path.relpath(path, HERE))
        return same
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print("wrote " + os.path.relpath(path, HERE))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="payloads; those in folders as small/NAME, twin/NAME")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    table = dict(REAL)
    for folder, payloads in (("twin", TWIN), ("small", SMALL)):
        table |= {f"{folder}/{n}": v for n, v in payloads.items()}
    unknown = [n for n in options.names if n not in table]
    if unknown:
        parser.error(f"no payload named {', '.join(unknown)}; there are {', '.join(table)}")
    good = True
    for name in options.names or table:
        make, inputs = table[name]
        good &= put(os.path.join(HERE, name + ".mlir"), export(name, make, inputs), options.check)
        if name.startswith("small/"):
            document = expected(name[len("small/"):], make, inputs)
            good &= put(os.path.join(HERE, name + ".json"), dump(document), options.check)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
