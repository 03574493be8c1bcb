import json
import math
import pathlib
import re
import sys

import pytest

from egg_mlir import frames, golden
from egg_mlir.suite import workloads

ROOT = workloads.repository_root(pathlib.Path(__file__).parent)
SMALL = ROOT / "benchmarks" / "kernels" / "small"

# A child that answers like egg-opt --egg-serve, with a double of the input.
CHILD = """
import sys
sys.path.insert(0, {source!r})
from egg_mlir import frames
data = sys.stdin.buffer
nonce = data.read(24)[8:]
import io
header, blobs = frames.decode(io.BytesIO(frames.MAGIC + nonce + data.read()).read, nonce)
{body}
"""


def child(tmp_path, body):
    path = tmp_path / "child.py"
    path.write_text(CHILD.format(source=str(pathlib.Path(frames.__file__).parent.parent), body=body))
    return [sys.executable, str(path)]


def double(tmp_path, answer="f64", factor=2):
    return child(tmp_path, f"""
assert header["kind"] == "run-cpu" and header["promote"] == "f64" and blobs[0] == b"payload"
values = [{factor} * v for v in frames.unpack(blobs[1], header["inputs"][0]["type"])]
ok = dict(results=[dict(type={answer!r}, shape=header["inputs"][0]["shape"])])
sys.stdout.buffer.write(frames.encode(dict(protocol=1, ok=ok), [frames.pack(values, {answer!r})], nonce))
""")


def write_case(folder, element_type="f32", error=0.0):
    hashed = golden.load_inputs(SMALL)
    fill = {"kind": "uniform"}
    values = [2 * v + error for v in hashed.fill(0, 6, fill, element_type)]
    (folder / "w.mlir").write_bytes(b"payload")
    (folder / "w.json").write_text(json.dumps({
        "format": 1, "payload": "w.mlir", "torch": "x", "tolerance": 1e-10, "tolerance_note": "",
        "inputs": [{"type": element_type, "shape": [2, 3], "fill": fill}],
        "results": [{"type": element_type, "shape": [2, 3], "values": values}]}))
    return folder / "w.json"


@pytest.mark.parametrize("element_type", ["f32", "f16", "bf16", "f64"])
def test_a_right_child_agrees(tmp_path, element_type):
    path = write_case(tmp_path, element_type)
    worst, tolerance = golden.check(path, golden.load_inputs(SMALL), double(tmp_path))
    assert worst <= 1e-15 and tolerance == 1e-10


def test_native_types_have_tolerances_of_their_own(tmp_path):
    path, hashed = write_case(tmp_path, error=2e-6), golden.load_inputs(SMALL)
    native = child(tmp_path, """
assert header["promote"] == "none"
data = frames.pack([2 * v for v in frames.unpack(blobs[1], "f32")], "f32")
sys.stdout.buffer.write(frames.encode(dict(protocol=1, ok=dict(results=[dict(type="f32", shape=[2, 3])])), [data], nonce))
""")
    worst, tolerance = golden.check(path, hashed, native, native=True)
    assert worst == pytest.approx(2e-6, rel=0.1) and tolerance == 1e-5


def test_a_small_error_and_a_wrong_type_are_seen(tmp_path):
    path = write_case(tmp_path, error=1e-9)
    hashed = golden.load_inputs(SMALL)
    assert golden.check(path, hashed, double(tmp_path))[0] == pytest.approx(1e-9, rel=1e-3)
    assert golden.check(path, hashed, double(tmp_path, "f32"))[0] == math.inf


def test_a_refusal_and_a_death_are_sentences(tmp_path):
    path, hashed = write_case(tmp_path), golden.load_inputs(SMALL)
    refusing = child(tmp_path, "error = dict(kind='lower', message='no such op')\n"
                     "sys.stdout.buffer.write(frames.encode(dict(protocol=1, error=error), [], nonce))")
    with pytest.raises(frames.Refused, match="lower: no such op"):
        golden.check(path, hashed, refusing)
    with pytest.raises(frames.Broken, match="ended with 3: boom"):
        golden.check(path, hashed, child(tmp_path, "print('boom', file=sys.stderr); sys.exit(3)"))
    other = child(tmp_path, "sys.stdout.buffer.write(frames.encode({}, [], b'0' * 16))")
    with pytest.raises(frames.Broken, match="nonce of the question"):
        golden.check(path, hashed, other)


def test_lengths_are_checked_before_reading():
    frame = frames.MAGIC + b"n" * 16 + (1 << 40).to_bytes(8, "little") + bytes(8)
    position = 0

    def read(count):
        nonlocal position
        assert count <= 32
        position += count
        return frame[position - count:position]

    with pytest.raises(frames.Broken, match="a header of"):
        frames.decode(read, b"n" * 16)


def test_differences():
    nan, inf = math.nan, math.inf
    assert golden.difference([1.0, nan, inf], [1.0, nan, inf]) == 0.0
    assert golden.difference([nan], [1.0]) == inf and golden.difference([-inf], [inf]) == inf
    assert golden.difference([1.0], [1.0, 2.0]) == inf
    assert golden.difference([1e6 + 1], [1e6]) == pytest.approx(1e-6)


def test_main_counts(tmp_path, capsys):
    write_case(tmp_path)
    (tmp_path / "inner").mkdir()
    for name in ("w.mlir", "w.json"):
        (tmp_path / name).rename(tmp_path / "inner" / name)
    (tmp_path / "inputs.py").write_text((SMALL.parent / "inputs.py").read_text())
    assert golden.main([str(tmp_path / "inner"), *double(tmp_path)]) == 0
    assert "1 of 1 payloads agree" in capsys.readouterr().out
    assert golden.main([str(tmp_path / "inner"), *double(tmp_path, factor=3)]) == 1
    assert golden.main([str(tmp_path / "absent"), *double(tmp_path)]) == 1


def test_the_hash_is_pinned_and_exact():
    hashed = golden.load_inputs(SMALL)
    assert [hashed.bits(0, i) for i in range(3)] == [1684164658, 1580013426, 140556409]
    for element_type in ("f16", "bf16", "f32"):
        for kind in ("uniform", "positive"):
            values = hashed.fill(1, 500, {"kind": kind}, element_type)
            assert frames.unpack(frames.pack(values, element_type), element_type) == values
            low, high = (-1.0, 1.0) if kind == "uniform" else (0.5, 1.5)
            assert low <= min(values) < low + 0.02 and high - 0.02 < max(values) < high
    assert set(hashed.fill(0, 400, {"kind": "below", "bound": 7}, "i64")) == set(range(7))
    with pytest.raises(ValueError, match="no fill of kind"):
        hashed.fill(0, 1, {"kind": "normal"}, "f32")


@pytest.mark.parametrize("path", sorted(SMALL.glob("*.json")), ids=lambda p: p.stem)
def test_small_payloads_and_their_files_fit(path):
    document = json.loads(path.read_text())
    text = (SMALL / document["payload"]).read_text()
    line = next(line for line in text.splitlines() if "func.func @main(" in line)
    shapes = ["x".join(map(str, t["shape"] + [t["type"]])) for t in document["inputs"] + document["results"]]
    assert re.findall(r"tensor<([^>]*)>", line) == shapes
    for result in document["results"]:
        assert len(result["values"]) == math.prod(result["shape"]) and all(map(math.isfinite, result["values"]))

