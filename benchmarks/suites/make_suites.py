#!/usr/bin/env python3
"""Writes the tables of this folder: each workload's payload, arguments, flops and
bytes, from its sizes. The twin of a suite has every extent at the prime nearest to
half of the original's.

    make_suites.py           write
    make_suites.py --check   compare, write nothing
"""
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = {"f32": 4, "f16": 2}
# TFLOP/s that floors assume: f32 contractions emulated on tensor cores.
RATES = {"f32": 60, "f32_contraction": 150, "f16": 790}


def is_prime(n):
    """Whether n is prime, by trial division."""
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def half(n):
    """The prime nearest to n / 2; the smaller of two."""
    return min(filter(is_prime, range(2, n + 2)), key=lambda p: (abs(2 * p - n), p)) if n < 100 else \
        min(filter(is_prime, range(n // 2 - 100, n // 2 + 101)), key=lambda p: (abs(2 * p - n), p))


def argument(shape, element_type="f32", scale=1.0):
    """One argument: normal numbers times `scale`."""
    return {"shape": list(shape), "type": element_type, "scale": scale}


def workloads(folder, size):
    """The rows, every extent through `size`."""
    def s(*extents):
        return [size(e) for e in extents]

    def row(name, function, arguments, result, flops, kind, rate, parameters=0, gate="accumulation", tile=-1):
        tensors = [(a["shape"], a["type"]) for a in arguments] + [result]
        return {"name": name, "payload": f"benchmarks/kernels/{folder}{name}.mlir", "function": function,
                "arguments": arguments, "parameters": parameters, "flops": flops,
                "bytes": sum(math.prod(shape) * WIDTH[t] for shape, t in tensors),
                "class": kind, "rate": rate, "gate": gate, "tile_dimension": tile}

    x = s(4096, 393216)  # divide, erf, add, multiply, multiply
    yield row("gelu_f32", "gelu", [argument(x)], (x, "f32"), 5 * math.prod(x), "memory", "f32", gate="elementwise")
    x = s(4096, 98304)  # maximum, subtract, exp, add, divide
    yield row("softmax_f32", "softmax", [argument(x)], (x, "f32"), 5 * math.prod(x), "memory", "f32")
    x = s(16, 64, 256, 256)  # two sums, subtract, square, multiply, weight, bias
    yield row("layernorm_f32", "layernorm", [argument(x[1:]), argument(x[1:]), argument(x)], (x, "f32"),
              7 * math.prod(x), "memory", "f32", parameters=2)
    x = s(128, 4096, 4095)
    yield row("sum_reduction_f32", "sum_reduction", [argument(x)], ([x[0], 1, x[2]], "f32"), math.prod(x),
              "memory", "f32", tile=1)
    n = size(4096)
    for t, rate in (("f32", "f32_contraction"), ("f16", "f16")):
        yield row(f"matmul_{t}", "matmul", [argument([n, n], t), argument([n, n], t, n ** -0.5)], ([n, n], t),
                  2 * n ** 3, "compute", rate)
    batch, widths = size(128), s(16384, 8192, 8192, 1024)
    pairs = list(zip(widths, widths[1:]))
    layers = [a for i, o in pairs for a in (argument([o, i], scale=i ** -0.5), argument([o], scale=i ** -0.5))]
    yield row("mlp3_f32", "mlp", [*layers, argument([batch, widths[0]])], ([batch, widths[-1]], "f32"),
              2 * batch * sum(i * o for i, o in pairs), "compute", "f32_contraction", parameters=6)
    m, n, k = s(1024, 8192, 8192)
    yield row("gemm_bias_relu_f32", "gemm_bias_relu",
              [argument([n, k], scale=k ** -0.5), argument([n], scale=k ** -0.5), argument([m, k])], ([m, n], "f32"),
              2 * m * n * k, "compute", "f32_contraction", parameters=2)


def text(name, folder, size):
    """The file of a suite, a line an argument."""
    head = {"format": 1, "suite": name, "policy": "strict", "rates_tflops": RATES}
    rows = []
    for row in workloads(folder, size):
        fields = [f"{json.dumps(key)}: " + ("[\n       " + ",\n       ".join(map(json.dumps, value)) + "]"
                                            if key == "arguments" else json.dumps(value)) for key, value in row.items()]
        rows.append("    {" + ",\n     ".join(fields) + "}")
    lines = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    return "{\n" + lines + '  "workloads": [\n' + ",\n".join(rows) + "\n  ]\n}\n"


def main():
    """Exit code 1 when --check finds a file that differs."""
    stale = 0
    for name, folder, size in (("spine", "", int), ("spine_twin", "twin/", half)):
        path, wanted = HERE / f"{name}.json", text(name, folder, size)
        if "--check" not in sys.argv[1:]:
            path.write_text(wanted, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != wanted:
            print(f"{path} differs from what {pathlib.Path(__file__).name} writes")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
