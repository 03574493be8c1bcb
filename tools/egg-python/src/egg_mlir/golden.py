"""Checks the golden against PyTorch: runs each small payload promoted to f64 on
the CPU, on the inputs that its JSON file describes, and compares with what
PyTorch gave in float64.

    python -m egg_mlir.golden FOLDER -- egg-opt --egg-serve

With --native the payloads keep their own types, and the tolerances are theirs: this
shows that a file is the module, not that the golden is exact.
"""
import argparse
import importlib.util
import json
import math
import pathlib
import sys

from egg_mlir import frames


# What a small payload in its own types may differ: some ulps of a sum of 100.
NATIVE = {"f64": 1e-10, "f32": 1e-5, "f16": 4e-3, "bf16": 4e-2, "i64": 0.0}


def load_inputs(folder):
    """The module inputs.py above the folder: the hash that inputs come from."""
    path = pathlib.Path(folder).resolve().parent / "inputs.py"
    spec = importlib.util.spec_from_file_location("egg_payload_inputs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def difference(found, expected):
    """The largest |found - expected| / max(1, |expected|); infinite where only
    one is finite or the counts differ. Equal infinities and two NaN agree."""
    if len(found) != len(expected):
        return math.inf
    worst = 0.0
    for a, b in zip(found, expected):
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        if not (math.isfinite(a) and math.isfinite(b)):
            return math.inf
        worst = max(worst, abs(a - b) / max(1.0, abs(b)))
    return worst


def check(path, hashed, command, native=False):
    """(difference, tolerance) of one payload. Raises frames.Refused or Broken."""
    document = json.loads(path.read_text(encoding="utf-8"))
    payload = (path.parent / document["payload"]).read_bytes()
    inputs = document["inputs"]
    blobs = [frames.pack(hashed.fill(k, math.prod(i["shape"]), i["fill"], i["type"]), i["type"])
             for k, i in enumerate(inputs)]
    fields = {"name": document["payload"], "promote": "none" if native else "f64",
              "inputs": [{"type": i["type"], "shape": i["shape"]} for i in inputs]}
    tolerance = document["tolerance"]
    if native:
        tolerance = max(NATIVE[t["type"]] for t in inputs + document["results"])
    ok, answers = frames.ask(command, "run-cpu", fields, [payload, *blobs])
    worst = 0.0
    if len(ok["results"]) != len(document["results"]):
        return math.inf, tolerance
    for result, data, expected in zip(ok["results"], answers, document["results"]):
        floating = expected["type"] in ("f32", "f16", "bf16")
        promoted = "f64" if floating and not native else expected["type"]
        if result["type"] != promoted or result["shape"] != expected["shape"]:
            return math.inf, tolerance
        worst = max(worst, difference(frames.unpack(data, promoted), expected["values"]))
    return worst, tolerance


def main(argv=None):
    """Exit code 0 when every payload is within its tolerance."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--native", action="store_true", help="in the payloads' own types")
    parser.add_argument("command", nargs="+", help="the child, after --")
    options = parser.parse_args(argv)
    hashed = load_inputs(options.folder)
    files = sorted(pathlib.Path(options.folder).glob("*.json"))
    failed = 0
    for path in files:
        try:
            worst, tolerance = check(path, hashed, options.command, options.native)
            good, text = worst <= tolerance, f"{worst:.1e} of {tolerance:.1e}"
        except (frames.Refused, frames.Broken) as error:
            good, text = False, str(error)
        failed += not good
        print(f"{'ok    ' if good else 'FAILED'} {path.stem}: {text}")
    print(f"{len(files) - failed} of {len(files)} payloads agree with PyTorch")
    return 0 if files and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
