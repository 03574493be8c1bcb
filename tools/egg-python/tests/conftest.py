"""Documents that tests start from."""
import copy
import json

import pytest

from egg_mlir import stats

PROCESSES = {
    "egg": [[1.0, 1.1, 1.2], [1.0, 1.05, 1.3], [1.01, 1.1, 1.1], [0.99, 1.0, 1.4], [1.1, 1.2, 1.0]],
    "eager": [[2.0, 2.1, 2.2], [2.0, 2.05, 2.3], [2.01, 2.1, 2.1], [1.99, 2.0, 2.4], [2.1, 2.2, 2.0]],
    "compile": [[1.1, 1.1, 1.1], [1.0, 1.1, 1.1], [1.0, 1.0, 1.1], [1.1, 1.1, 1.1], [1.2, 1.1, 1.1]],
}


def make_row(name="gelu_f32", **changes):
    """A row whose figures are those of its samples."""
    samples = copy.deepcopy(PROCESSES)
    ms = {system: None for system in ("egg", "eager", "compile", "max_autotune", "max_autotune_graph", "egg_graph")}
    ms.update({system: stats.rounded(stats.system_ms(times)) for system, times in samples.items()})
    interval = {peer: [stats.rounded(v) for v in stats.ratio_interval(samples[peer], samples["egg"])]
                for peer in ("eager", "compile")}
    row = {
        "workload": name, "correct": True, "error": 2e-7, "error_eager": 3e-7, "errors": {"normal": 1e-7, "wide": 2e-7},
        "mutants_killed": [5, 5], "ms": ms, "samples": samples, "interval": interval, "ms_after_phase": None,
        "searched_ms": None, "floor_ms": 0.9, "flags": [], "workspace_bytes": 0, "dispatches": 1, "candidates": None,
        "legal_points": None, "seconds": None, "gpu_seconds": None, "tokens": None, "payload": None, "recipe": None,
        "artifact_hash": None, "ptx_hash": None, "error_kind": None, "note": "",
    }
    row.update(changes)
    return row


def make_document(*rows):
    """A document of the given rows."""
    return {
        "format": 1, "suite": "spine", "policy": "strict", "date": "2026-12-01", "commit": "0123abc", "command": "egg-suite spine",
        "device": {"name": "NVIDIA H200", "sm": "sm_90", "driver": "580.159.04", "copy_gbps": 4300.0},
        "versions": {"egg": "0.1.0", "llvm": "22.1.8", "ptxas": "13.0.88", "libdevice": None, "torch": "2.11.0"},
        "rows": list(rows) or [make_row()],
    }


@pytest.fixture
def document():
    return make_document()


@pytest.fixture
def save(tmp_path):
    """Writes a document and gives its path."""
    def write(content, name="r.json"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path
    return write
