"""Cases and results as files, so that they can travel to another machine.

DIR/cases.json lists the cases; DIR/NAME.mlir is a payload, DIR/NAME.in0 ... are
inputs, DIR/NAME.want0 ... references and DIR/NAME.scale0 their scales (raw
little-endian elements, as docs/formats.md has tensors; references that are
compared with a tolerance are float64). Results are DIR/NAME.out0 ...
"""

import json
import pathlib

import numpy as np

from case import DTYPES, Case, Expected, type_of


def file_name(case_name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in case_name)


def _write(path: pathlib.Path, array: np.ndarray) -> dict:
    path.write_bytes(np.ascontiguousarray(array).tobytes())
    return {"type": type_of(array), "shape": list(array.shape)}


def _read(path: pathlib.Path, kind: dict) -> np.ndarray:
    return np.frombuffer(path.read_bytes(), DTYPES[kind["type"]]).reshape(kind["shape"])


def export(folder: str, cases: list[Case]) -> None:
    root = pathlib.Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    listed, stems = [], set()
    for case in cases:
        stem = file_name(case.name)
        if stem in stems:
            raise ValueError(f"two cases have the file name {stem}")
        stems.add(stem)
        (root / f"{stem}.mlir").write_text(case.text)
        entry = {"family": case.family, "name": case.name, "stem": stem, "expected": [],
                 "inputs": [_write(root / f"{stem}.in{i}", a) for i, a in enumerate(case.inputs)]}
        for i, want in enumerate(case.expected):
            kind = {"type": want.type, "exact": want.exact, "ulp": want.ulp,
                    "device_ulp": want.device_ulp, "eps": want.eps,
                    "value": _write(root / f"{stem}.want{i}", want.value)}
            if want.scale is not None:
                scale = np.broadcast_to(want.scale, want.value.shape).astype(np.float64)
                kind["scale"] = _write(root / f"{stem}.scale{i}", scale)
            entry["expected"].append(kind)
        listed.append(entry)
    (root / "cases.json").write_text(json.dumps({"format": 1, "cases": listed}))


def load(folder: str) -> list[Case]:
    root = pathlib.Path(folder)
    content = json.loads((root / "cases.json").read_text())
    if content["format"] != 1:
        raise ValueError(f"{folder}/cases.json has format {content['format']}, wanted 1")
    cases = []
    for entry in content["cases"]:
        stem = entry["stem"]
        expected = []
        for i, kind in enumerate(entry["expected"]):
            scale = _read(root / f"{stem}.scale{i}", kind["scale"]) if "scale" in kind else None
            expected.append(Expected(kind["type"], _read(root / f"{stem}.want{i}", kind["value"]),
                                     kind["exact"], kind["ulp"], kind["device_ulp"], scale,
                                     kind["eps"]))
        inputs = [_read(root / f"{stem}.in{i}", kind) for i, kind in enumerate(entry["inputs"])]
        cases.append(Case(entry["family"], entry["name"], (root / f"{stem}.mlir").read_text(),
                          inputs, expected))
    return cases


def save_results(folder: str, case: Case, results: list[np.ndarray]) -> None:
    root = pathlib.Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    for i, result in enumerate(results):
        _write(root / f"{file_name(case.name)}.out{i}", result)


class FilesBackend:
    """Results that another machine wrote; `device` ones are allowed what a
    device's math library may be off by."""

    device = True

    def __init__(self, folder: str):
        self.root = pathlib.Path(folder)

    def run(self, case: Case) -> list[np.ndarray]:
        from backends import Refused
        try:
            return [_read(self.root / f"{file_name(case.name)}.out{i}",
                          {"type": want.type, "shape": want.value.shape})
                    for i, want in enumerate(case.expected)]
        except (OSError, ValueError) as error:
            raise Refused("not-written", str(error)) from None

    def close(self):
        pass
