"""Who runs a case. A backend maps a Case to a list of arrays or an Error."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile

import numpy as np

from case import DTYPES, Case, type_of

MAGIC = b"EGGFRAM1"


class Refused(Exception):
    """The answer was an error; `kind` is of egg's closed set."""

    def __init__(self, kind: str, message: str):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Child:
    """A process that answers frames (docs/formats.md), one a request."""

    def __init__(self, command: list[str]):
        self.command = command
        self.process = None
        self.count = 0

    def ask(self, header: dict, blobs: list[bytes]) -> tuple[dict, list[bytes]]:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
        self.count += 1
        nonce = struct.pack("<QQ", os.getpid(), self.count)
        text = json.dumps(header).encode()
        lengths = [len(text), len(blobs), *map(len, blobs)]
        try:
            self.process.stdin.write(MAGIC + nonce + struct.pack(f"<{len(lengths)}Q", *lengths)
                                     + text + b"".join(blobs))
            self.process.stdin.flush()
            return self._answer(nonce)
        except (BrokenPipeError, EOFError):
            code = self.process.wait()
            self.process = None
            raise Refused("builder-died", f"{self.command[0]} ended with {code}") from None

    def _read(self, count: int) -> bytes:
        data = self.process.stdout.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def _answer(self, nonce: bytes) -> tuple[dict, list[bytes]]:
        head = self._read(8 + 16 + 16)
        if head[:8] != MAGIC or head[8:24] != nonce:
            raise Refused("internal", "the answer is no frame, or another's")
        size, count = struct.unpack("<QQ", head[24:])
        lengths = struct.unpack(f"<{count}Q", self._read(8 * count))
        header = json.loads(self._read(size))
        blobs = [self._read(length) for length in lengths]
        if "error" in header:
            raise Refused(header["error"]["kind"], header["error"]["message"])
        return header["ok"], blobs

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process = None


def to_bytes(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def to_arrays(results: list[dict], blobs: list[bytes]) -> list[np.ndarray]:
    return [np.frombuffer(blob, DTYPES[r["type"]]).reshape(r["shape"])
            for r, blob in zip(results, blobs, strict=True)]


class CpuBackend:
    """`run-cpu` requests to a child."""

    device = False

    def __init__(self, command: list[str], fields: dict):
        self.child = Child(command)
        self.fields = fields

    def run(self, case: Case) -> list[np.ndarray]:
        inputs = [{"type": type_of(a), "shape": list(a.shape)} for a in case.inputs]
        ok, blobs = self.child.ask(
            {"protocol": 1, "kind": "run-cpu", "name": case.name, "inputs": inputs,
             **self.fields},
            [case.text.encode(), *map(to_bytes, case.inputs)])
        return to_arrays(ok["results"], blobs)

    def close(self):
        self.child.close()


class EmulatorBackend(CpuBackend):
    """The same requests to egg-emulator-run: plain kernels under the emulator,
    whose functions may be off by what a GPU's are."""

    device = True


class DeviceBackend:
    """Built by egg-run, run by egg-eval-worker on a GPU (its request `run`)."""

    device = True

    def __init__(self, egg_run: list[str], worker: list[str]):
        self.egg_run = egg_run
        self.worker = Child(worker)
        self.folder = tempfile.TemporaryDirectory()

    def run(self, case: Case) -> list[np.ndarray]:
        payload = pathlib.Path(self.folder.name, "payload.mlir")
        artifact = pathlib.Path(self.folder.name, "artifact.egg")
        payload.write_text(case.text)
        built = subprocess.run(
            [*self.egg_run, str(payload), "--emit=artifact", "-o", str(artifact), "-q"],
            capture_output=True, text=True, check=False)
        if built.returncode:
            raise Refused("build", built.stderr.strip())
        ok, blobs = self.worker.ask(
            {"protocol": 1, "kind": "run", "device": 0, "deadline_seconds": 60.0,
             "candidate": 0, "max_workspace_bytes": 0,
             "inputs": list(range(1, 1 + len(case.inputs)))},
            [artifact.read_bytes(), *map(to_bytes, case.inputs)])
        return to_arrays(ok["results"], blobs)

    def close(self):
        self.worker.close()
        self.folder.cleanup()
