"""Block programs of many shapes, lowered to kernels and run in the emulator,
against NumPy.

usage: check_numbers.py EGG_OPT

Every case is a program of one or two grid stages over tiles that do not divide
the tensors, so that full, ragged, masked and one-element tiles all occur. The
emulator runs each in several orders of blocks and warps and refuses races. The
last line is the number of cases.
"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np

TYPES = {
    "f64": (np.float64, 1e-13),
    "f32": (np.float32, 2e-6),
    "f16": (np.float16, 4e-3),
    "bf16": (ml_dtypes.bfloat16, 3e-2),
    "i32": (np.int32, 0),
    "i8": (np.int8, 0),
}


def pattern(shape, name):
    """What --egg-emulate-kernels fills an argument with."""
    numbers = (7 * np.arange(int(np.prod(shape))) + 3) % 16 - 8
    if not name.startswith("i"):
        numbers = numbers / 4
    return numbers.astype(TYPES[name][0]).reshape(shape)


def tensor(shape, name):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + name + ">"


def tile_type(tile, name):
    return "tensor<" + "".join("?x" if dynamic else f"{extent}x" for extent, dynamic in tile) + name + ">"


class Program:
    """The text of one grid stage over `shape` in tiles."""

    def __init__(self, shape, tiles, threads):
        self.shape, self.tiles, self.threads = shape, tiles, threads
        self.dynamic = [extent % tile != 0 for extent, tile in zip(shape, tiles)]
        self.tile = list(zip(tiles, self.dynamic))
        self.sizes = [f"%w{d}" for d, dynamic in enumerate(self.dynamic) if dynamic]
        self.body = []

    def extents(self):
        for d, dynamic in enumerate(self.dynamic):
            if dynamic:
                self.body.append(
                    f"%w{d} = affine.min affine_map<(d0) -> (-d0 + {self.shape[d]}, {self.tiles[d]})>(%i{d})"
                )

    def stage(self, result, out_shape, name):
        ivs = ", ".join(f"%i{d}" for d in range(len(self.shape)))
        zeros = ", ".join("0" for _ in self.shape)
        upper = ", ".join(map(str, self.shape))
        step = ", ".join(map(str, self.tiles))
        lines = "\n    ".join(self.body)
        return f"""  %init_{result} = tensor.empty() : {tensor(out_shape, name)}
  %{result} = scf.forall ({ivs}) = ({zeros}) to ({upper}) step ({step}) shared_outs(%o = %init_{result}) -> ({tensor(out_shape, name)}) {{
    {lines}
  }} {{egg.grid = #egg.grid<threads = {self.threads}>}}
"""


def whole_map(rank):
    dims = ", ".join(f"d{d}" for d in range(rank))
    symbols = ", ".join(f"s{d}" for d in range(rank))
    return f"affine_map<({dims})[{symbols}] -> ({', '.join(f's{d} + d{d}' for d in range(rank))})>"


def identity(rank):
    dims = ", ".join(f"d{d}" for d in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


def ivs(rank):
    return ", ".join(f"%i{d}" for d in range(rank))


def sizes(program, keep=None):
    wanted = [f"%w{d}" for d, dynamic in enumerate(program.dynamic) if dynamic and (keep is None or d in keep)]
    return f" sizes({', '.join(wanted)})" if wanted else "", f"({', '.join(wanted)})"


def elementwise(shape, tiles, threads, name):
    rank = len(shape)
    p = Program(shape, tiles, threads)
    p.extents()
    kind = tile_type(p.tile, name)
    read, empty = sizes(p)
    add = "addi" if name.startswith("i") else "addf"
    mul = "muli" if name.startswith("i") else "mulf"
    parallel = ", ".join(['"parallel"'] * rank)
    p.body += [
        f"%a = egg.read %x[{ivs(rank)}]{read} map = {whole_map(rank)} : {tensor(shape, name)} -> {kind}",
        f"%b = egg.read %y[{ivs(rank)}]{read} map = {whole_map(rank)} : {tensor(shape, name)} -> {kind}",
        f"%e = tensor.empty{empty} : {kind}",
        f"%g = linalg.generic {{indexing_maps = [{', '.join([identity(rank)] * 3)}], iterator_types = [{parallel}]}} "
        f"ins(%a, %b : {kind}, {kind}) outs(%e : {kind}) {{",
        f"^bb0(%p: {name}, %q: {name}, %u: {name}):",
        f"  %m = arith.{mul} %p, %q : {name}",
        f"  %s = arith.{add} %m, %p : {name}",
        f"  linalg.yield %s : {name}",
        f"}} -> {kind}",
        "scf.forall.in_parallel {",
        f"  egg.write %g into %o[{ivs(rank)}] map = {whole_map(rank)} : {kind} into {tensor(shape, name)}",
        "}",
    ]
    text = (
        f"func.func @main(%x: {tensor(shape, name)}, %y: {tensor(shape, name)}) -> {tensor(shape, name)} {{\n"
        + p.stage("r", shape, name)
        + f"  return %r : {tensor(shape, name)}\n}}\n"
    )
    x = pattern(shape, name)
    with np.errstate(over="ignore"):
        expected = (x * x).astype(x.dtype) + x
    return text, [x, x], expected, name


def transpose_broadcast(rows, columns, tiles, threads, name):
    """r[j, i] = x[i, j] + v[j]: the tile is written transposed."""
    p = Program((rows, columns), tiles, threads)
    p.extents()
    kind = tile_type(p.tile, name)
    turned = tile_type(p.tile[::-1], name)
    vector = tile_type(p.tile[1:], name)
    read, _ = sizes(p)
    read_v, _ = sizes(p, keep=[1])
    empty = "(" + ", ".join(p.sizes[::-1]) + ")"
    p.body += [
        f"%a = egg.read %x[%i0, %i1]{read} map = {whole_map(2)} : {tensor((rows, columns), name)} -> {kind}",
        f"%v = egg.read %y[%i1]{read_v} map = {whole_map(1)} : {tensor((columns,), name)} -> {vector}",
        f"%e = tensor.empty{empty} : {turned}",
        "%g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>, "
        f'{identity(2)}], iterator_types = ["parallel", "parallel"]}} '
        f"ins(%a, %v : {kind}, {vector}) outs(%e : {turned}) {{",
        f"^bb0(%p: {name}, %q: {name}, %u: {name}):",
        f"  %s = arith.addf %p, %q : {name}",
        f"  linalg.yield %s : {name}",
        f"}} -> {turned}",
        "scf.forall.in_parallel {",
        f"  egg.write %g into %o[%i1, %i0] map = {whole_map(2)} : {turned} into {tensor((columns, rows), name)}",
        "}",
    ]
    text = (
        f"func.func @main(%x: {tensor((rows, columns), name)}, %y: {tensor((columns,), name)}) "
        f"-> {tensor((columns, rows), name)} {{\n"
        + p.stage("r", (columns, rows), name)
        + f"  return %r : {tensor((columns, rows), name)}\n}}\n"
    )
    x, v = pattern((rows, columns), name), pattern((columns,), name)
    return text, [x, v], (x + v).T, name


def softmax(rows, columns, tile, threads, name):
    p = Program((rows,), (tile,), threads)
    p.extents()
    kind = tile_type(p.tile + [(columns, False)], name)
    row = tile_type(p.tile, name)
    read, empty = sizes(p)
    at = "affine_map<(d0, d1)[s0] -> (s0 + d0, d1)>"
    spread = (
        "indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, "
        'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]'
    )
    p.body += [
        f"%t = egg.read %x[%i0]{read} map = {at} : {tensor((rows, columns), name)} -> {kind}",
        f"%e1 = tensor.empty{empty} : {row}",
        f"%m0 = linalg.fill ins(%ninf : {name}) outs(%e1 : {row}) -> {row}",
        f"%m = linalg.reduce {{ arith.maximumf }} ins(%t : {kind}) outs(%m0 : {row}) dimensions = [1]",
        f"%e2 = tensor.empty{empty} : {kind}",
        f"%p = linalg.generic {{{spread}}} ins(%t, %m : {kind}, {row}) outs(%e2 : {kind}) {{",
        f"^bb0(%a: {name}, %b: {name}, %u: {name}):",
        f"  %d = arith.subf %a, %b : {name}",
        f"  %q = math.exp %d : {name}",
        f"  linalg.yield %q : {name}",
        f"}} -> {kind}",
        f"%s0 = linalg.fill ins(%zero : {name}) outs(%e1 : {row}) -> {row}",
        f"%l = linalg.reduce {{ arith.addf }} ins(%p : {kind}) outs(%s0 : {row}) dimensions = [1]",
        f"%y = linalg.generic {{{spread}}} ins(%p, %l : {kind}, {row}) outs(%e2 : {kind}) {{",
        f"^bb0(%a: {name}, %b: {name}, %u: {name}):",
        f"  %d = arith.divf %a, %b : {name}",
        f"  linalg.yield %d : {name}",
        f"}} -> {kind}",
        "scf.forall.in_parallel {",
        f"  egg.write %y into %o[%i0] map = {at} : {kind} into {tensor((rows, columns), name)}",
        "}",
    ]
    bits = {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00"}[name]
    text = (
        f"func.func @main(%x: {tensor((rows, columns), name)}) -> {tensor((rows, columns), name)} {{\n"
        f"  %ninf = arith.constant {bits} : {name}\n  %zero = arith.constant 0.0 : {name}\n"
        + p.stage("r", (rows, columns), name)
        + f"  return %r : {tensor((rows, columns), name)}\n}}\n"
    )
    x = pattern((rows, columns), name)
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(1, keepdims=True))
    return text, [x], e / e.sum(1, keepdims=True), name


def column_sum(rows, columns, tile, chunk, threads, name):
    """A loop over chunks of rows with a carried tile, then one reduction."""
    p = Program((columns,), (tile,), threads)
    p.extents()
    kind = tile_type([(chunk, False)] + p.tile, name)
    vector = tile_type(p.tile, name)
    ragged = rows % chunk != 0
    read, empty = sizes(p)
    at = "affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)>"
    add = "addi" if name.startswith("i") else "addf"
    fill = f" fill (%zero : {name})" if ragged else ""
    p.body += [
        f"%e = tensor.empty{empty} : {kind}",
        f"%f = linalg.fill ins(%zero : {name}) outs(%e : {kind}) -> {kind}",
        f"%acc = scf.for %k = %c0 to %n step %c iter_args(%s = %f) -> ({kind}) {{",
        f"  %t = egg.read %x[%k, %i0]{read}{fill} map = {at} : {tensor((rows, columns), name)} -> {kind}",
        f"  %u = linalg.generic {{indexing_maps = [{identity(2)}, {identity(2)}], "
        f'iterator_types = ["parallel", "parallel"]}} ins(%t : {kind}) outs(%s : {kind}) {{',
        f"  ^bb0(%a: {name}, %b: {name}):",
        f"    %v = arith.{add} %a, %b : {name}",
        f"    linalg.yield %v : {name}",
        f"  }} -> {kind}",
        f"  scf.yield %u : {kind}",
        "}",
        f"%e1 = tensor.empty{empty} : {vector}",
        f"%f1 = linalg.fill ins(%zero : {name}) outs(%e1 : {vector}) -> {vector}",
        f"%r1 = linalg.reduce {{ arith.{add} }} ins(%acc : {kind}) outs(%f1 : {vector}) dimensions = [0]",
        "scf.forall.in_parallel {",
        f"  egg.write %r1 into %o[%i0] map = {whole_map(1)} : {vector} into {tensor((columns,), name)}",
        "}",
    ]
    zero = "0" if name.startswith("i") else "0.0"
    text = (
        f"func.func @main(%x: {tensor((rows, columns), name)}) -> {tensor((columns,), name)} {{\n"
        f"  %zero = arith.constant {zero} : {name}\n  %c0 = arith.constant 0 : index\n"
        f"  %n = arith.constant {rows} : index\n  %c = arith.constant {chunk} : index\n"
        + p.stage("r", (columns,), name)
        + f"  return %r : {tensor((columns,), name)}\n}}\n"
    )
    x = pattern((rows, columns), name)
    return text, [x], x.sum(0, dtype=x.dtype if name.startswith("i") else np.float64), name


def two_stage_sum(total, part, threads, name):
    """Partial sums of a long vector, then their sum: two launches."""
    parts = total // part
    first = f"""  %init = tensor.empty() : {tensor((parts,), name)}
  %part = scf.forall (%b) in ({parts}) shared_outs(%o = %init) -> ({tensor((parts,), name)}) {{
    %t = egg.read %x[%b] map = affine_map<(d0)[s0] -> (s0 * {part} + d0)> : {tensor((total,), name)} -> {tensor((part,), name)}
    %e = tensor.empty() : tensor<{name}>
    %f = linalg.fill ins(%zero : {name}) outs(%e : tensor<{name}>) -> tensor<{name}>
    %s = linalg.reduce {{ arith.addf }} ins(%t : {tensor((part,), name)}) outs(%f : tensor<{name}>) dimensions = [0]
    scf.forall.in_parallel {{
      egg.write %s into %o[%b] map = affine_map<()[s0] -> (s0)> : tensor<{name}> into {tensor((parts,), name)}
    }}
  }} {{egg.grid = #egg.grid<threads = {threads}>}}
"""
    second = f"""  %init2 = tensor.empty() : {tensor((1,), name)}
  %r = scf.forall (%b) in (1) shared_outs(%o = %init2) -> ({tensor((1,), name)}) {{
    %t = egg.read %part[] map = affine_map<(d0) -> (d0)> : {tensor((parts,), name)} -> {tensor((parts,), name)}
    %e = tensor.empty() : tensor<{name}>
    %f = linalg.fill ins(%zero : {name}) outs(%e : tensor<{name}>) -> tensor<{name}>
    %s = linalg.reduce {{ arith.addf }} ins(%t : {tensor((parts,), name)}) outs(%f : tensor<{name}>) dimensions = [0]
    scf.forall.in_parallel {{
      egg.write %s into %o[%b] map = affine_map<()[s0] -> (s0)> : tensor<{name}> into {tensor((1,), name)}
    }}
  }} {{egg.grid = #egg.grid<threads = {threads}>}}
"""
    text = (
        f"func.func @main(%x: {tensor((total,), name)}) -> {tensor((1,), name)} {{\n"
        f"  %zero = arith.constant 0.0 : {name}\n{first}{second}  return %r : {tensor((1,), name)}\n}}\n"
    )
    x = pattern((total,), name)
    return text, [x], x.astype(np.float64).sum().reshape(1), name


def gemm(m, n, k, tiles, threads, name, epilogue=False):
    tm, tn, tk = tiles
    p = Program((m, n), (tm, tn), threads)
    p.extents()
    ragged_k = k % tk != 0
    kind = tile_type(p.tile, name)
    left = tile_type([p.tile[0], (tk, ragged_k)], name)
    right = tile_type([(tk, ragged_k), p.tile[1]], name)
    _, empty = sizes(p)

    def size_list(values):
        wanted = [value for value, dynamic in values if dynamic]
        return f" sizes({', '.join(wanted)})" if wanted else ""

    left_sizes = size_list([("%w0", p.dynamic[0]), ("%kk", ragged_k)])
    right_sizes = size_list([("%kk", ragged_k), ("%w1", p.dynamic[1])])
    p.body += [
        f"%e = tensor.empty{empty} : {kind}",
        f"%f = linalg.fill ins(%zero : {name}) outs(%e : {kind}) -> {kind}",
        f"%acc = scf.for %k = %c0 to %n step %c iter_args(%s = %f) -> ({kind}) {{",
    ]
    if ragged_k:
        p.body.append(f"  %kk = affine.min affine_map<(d0) -> (-d0 + {k}, {tk})>(%k)")
    p.body += [
        f"  %a = egg.read %x[%i0, %k]{left_sizes} map = {whole_map(2)} : {tensor((m, k), name)} -> {left}",
        f"  %b = egg.read %y[%k, %i1]{right_sizes} map = {whole_map(2)} : {tensor((k, n), name)} -> {right}",
        f"  %u = linalg.matmul ins(%a, %b : {left}, {right}) outs(%s : {kind}) -> {kind}",
        f"  scf.yield %u : {kind}",
        "}",
    ]
    value = "%acc"
    if epilogue:
        read, _ = sizes(p, keep=[1])
        vector = tile_type(p.tile[1:], name)
        p.body += [
            f"%v = egg.read %z[%i1]{read} map = {whole_map(1)} : {tensor((n,), name)} -> {vector}",
            f"%g = linalg.generic {{indexing_maps = [{identity(2)}, affine_map<(d0, d1) -> (d1)>, {identity(2)}], "
            f'iterator_types = ["parallel", "parallel"]}} ins(%acc, %v : {kind}, {vector}) outs(%e : {kind}) {{',
            f"^bb0(%p: {name}, %q: {name}, %r0: {name}):",
            f"  %s1 = arith.addf %p, %q : {name}",
            f"  %s2 = arith.maximumf %s1, %zero : {name}",
            f"  linalg.yield %s2 : {name}",
            f"}} -> {kind}",
        ]
        value = "%g"
    p.body += [
        "scf.forall.in_parallel {",
        f"  egg.write {value} into %o[%i0, %i1] map = {whole_map(2)} : {kind} into {tensor((m, n), name)}",
        "}",
    ]
    bias = f", %z: {tensor((n,), name)}" if epilogue else ""
    text = (
        f"func.func @main(%x: {tensor((m, k), name)}, %y: {tensor((k, n), name)}{bias}) -> {tensor((m, n), name)} {{\n"
        f"  %zero = arith.constant 0.0 : {name}\n  %c0 = arith.constant 0 : index\n"
        f"  %n = arith.constant {k} : index\n  %c = arith.constant {tk} : index\n"
        + p.stage("r", (m, n), name)
        + f"  return %r : {tensor((m, n), name)}\n}}\n"
    )
    x, y = pattern((m, k), name), pattern((k, n), name)
    expected = x.astype(np.float64) @ y.astype(np.float64)
    inputs = [x, y]
    if epilogue:
        z = pattern((n,), name)
        inputs.append(z)
        expected = np.maximum(expected + z.astype(np.float64), 0)
    return text, inputs, expected, name


def constant_tile(name):
    """A tile that is a constant, and one that starts as an argument."""
    kind = tensor((64,), name)
    text = f"""func.func @main(%x: {tensor((128,), name)}, %y: {tensor((128,), name)}) -> {tensor((128,), name)} {{
  %r = scf.forall (%b) = (0) to (64) step (64) shared_outs(%o = %y) -> ({tensor((128,), name)}) {{
    %c = arith.constant dense<2.0> : {kind}
    %t = egg.read %x[%b] map = affine_map<(d0)[s0] -> (s0 + d0)> : {tensor((128,), name)} -> {kind}
    %e = tensor.empty() : {kind}
    %g = linalg.mul ins(%t, %c : {kind}, {kind}) outs(%e : {kind}) -> {kind}
    scf.forall.in_parallel {{
      egg.write %g into %o[%b] map = affine_map<(d0)[s0] -> (s0 + d0)> : {kind} into {tensor((128,), name)}
    }}
  }} {{egg.grid = #egg.grid<threads = 32>}}
  return %r : {tensor((128,), name)}
}}
"""
    x = pattern((128,), name)
    return text, [x, x], np.concatenate([x[:64] * 2, x[64:]]), name


def cases():
    for name in TYPES:
        yield elementwise((1000,), (256,), 64, name)
        yield elementwise((20, 100), (8, 64), 64, name)
        yield elementwise((7, 33), (4, 32), 32, name)
    yield elementwise((1,), (128,), 32, "f32")
    yield elementwise((3, 1, 65), (2, 1, 64), 64, "f32")
    yield elementwise((2, 3, 5, 7), (1, 2, 4, 7), 32, "f32")
    yield elementwise((64, 128), (32, 128), 256, "f16")
    for name in ("f32", "f16", "f64"):
        yield transpose_broadcast(33, 40, (16, 32), 64, name)
        yield transpose_broadcast(16, 1, (16, 1), 32, name)
        yield softmax(9, 100, 4, 128, name)
        yield softmax(5, 257, 1, 64, name)
        yield softmax(3, 1, 2, 32, name)
        yield column_sum(40, 50, 32, 8, 64, name)
        yield column_sum(37, 33, 32, 8, 128, name)
    yield softmax(4, 1000, 1, 256, "f32")
    yield softmax(2, 4096, 1, 1024, "f32")
    yield column_sum(64, 40, 16, 16, 64, "i32")
    yield constant_tile("f32")
    yield constant_tile("f16")
    yield two_stage_sum(4096, 512, 128, "f32")
    yield two_stage_sum(3 * 100, 100, 64, "f32")
    yield two_stage_sum(7, 7, 32, "f64")
    for name in ("f32", "f64"):
        yield gemm(40, 48, 24, (32, 32, 16), 64, name)
        yield gemm(33, 31, 17, (32, 16, 8), 32, name, epilogue=True)
        yield gemm(1, 5, 3, (16, 16, 8), 32, name)
    yield gemm(64, 64, 32, (64, 64, 16), 256, "f32", epilogue=True)
    yield gemm(70, 130, 40, (64, 64, 16), 128, "f32")


def run(egg_opt, index, case):
    text, inputs, expected, name = case
    process = subprocess.run(
        [egg_opt, "--egg-verify-grid", "--egg-assign-layouts", "--egg-lower-block-program",
         "--egg-emulate-kernels=print-limit=1000000 schedules=3", "-o", "/dev/null"],
        input=text, capture_output=True, text=True, timeout=300, check=False,
    )
    if process.returncode:
        return f"case {index}: {process.stderr[:600]}\n{text}"
    line = re.search(rf"^argument {len(inputs)}: \[(.*)\]$", process.stdout, re.MULTILINE)
    got = np.array([float(v) for v in line.group(1).split(", ")] if line.group(1) else [], dtype=np.float64)
    wanted = np.asarray(expected).astype(np.float64).ravel()
    tolerance = TYPES[name][1] * max(1.0, float(np.abs(wanted).max(initial=0)))
    if got.shape != wanted.shape or not np.allclose(got, wanted, rtol=0, atol=tolerance):
        worst = np.abs(got - wanted).max() if got.shape == wanted.shape else "shape"
        return f"case {index}: differs by {worst}, allowed {tolerance}\n{text}"
    return ""


def main(egg_opt):
    everything = list(cases())
    with ThreadPoolExecutor(2) as pool:
        problems = [p for p in pool.map(lambda e: run(egg_opt, *e), enumerate(everything)) if p]
    print("\n".join(problems) if problems else f"{len(everything)} block programs are right in the emulator")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
