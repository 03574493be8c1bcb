"""libegg_runtime through ctypes, on the fake CUDA driver of the build that
EGG_BUILD_DIR names."""
import ctypes
import ctypes.util
import hashlib
import json
import os
import pathlib

import pytest

from egg_mlir.suite import artifact, runtime

BUILD = os.environ.get("EGG_BUILD_DIR")
COUNT = 256

pytestmark = pytest.mark.skipif(not BUILD, reason="EGG_BUILD_DIR is not set")


def offset(base=0):
    return {"base": base, "steps": []}


def plan(result_buffer=2):
    """out = a + b on 16 x 16 f32, with 64 bytes of workspace that nothing reads."""
    size = 4 * COUNT
    arguments = [{"buffer": b, "offset": offset()} for b in (0, 1, 2)]
    return {
        "format": 1,
        "arguments": [{"type": "f32", "shape": [16, 16], "buffer": b, "align": 16} for b in (0, 1)],
        "results": [{"type": "f32", "shape": [16, 16], "buffer": result_buffer, "class": "elementwise"}],
        "buffers": [{"kind": "argument", "bytes": size}, {"kind": "argument", "bytes": size},
                    {"kind": "result", "bytes": size}, {"kind": "workspace", "bytes": 64, "offset": 0}][:4 if result_buffer == 2 else 2],
        "workspace_bytes": 64 if result_buffer == 2 else 0,
        "kernels": [{"symbol": "fake_add", "module": 0, "grid": [1, 1, 1], "block": [256, 1, 1], "cluster": [1, 1, 1],
                     "shared_bytes": 0, "flops": 256, "bytes": 3 * size}] if result_buffer == 2 else [],
        "nodes": [{"op": "launch", "kernel": 0, "args": [*arguments, {"scalar": "i64", "value": offset(COUNT)}]}]
        if result_buffer == 2 else [],
    }


def write(path, launch_plan):
    cubin = b"EGGFAKECUBIN sm_90\nkernel fake_add params=8,8,8,8\n"
    header = json.dumps({"format": 1, "chip": "sm_90", "toolchain": {"egg": "0.1.0", "llvm": "22.1.8", "ptxas": "13.0.88",
                         "libdevice": "ab" * 32}, "plan": launch_plan, "cubins": [{"offset": 0, "bytes": len(cubin)}],
                         "constants": []}).encode()
    rest = len(header).to_bytes(8, "little") + header + cubin
    path.write_bytes(b"EGGARTF1" + hashlib.sha256(rest).digest() + rest)
    return path


class Memory:
    """Memory of the fake device, which is the host's; like a tensor to `launch`."""

    dtype = "torch.float32"
    shape = (16, 16)

    def __init__(self, driver, value):
        self.pointer = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(self.pointer), ctypes.c_size_t(4 * COUNT)) == 0
        self.values = (ctypes.c_float * COUNT).from_address(self.pointer.value)
        self.values[:] = [value] * COUNT
        self.contiguous = True

    def data_ptr(self):
        return self.pointer.value

    def is_contiguous(self):
        return self.contiguous


@pytest.fixture(scope="module")
def driver():
    path = pathlib.Path(BUILD, "test", "lib", "libfake-cuda.so")
    os.environ["EGG_CUDA_DRIVER"] = str(path)
    made = ctypes.CDLL(str(path))
    context = ctypes.c_void_p()
    assert made.cuInit(0) == 0 and made.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert made.cuCtxPushCurrent_v2(context) == 0
    return made


@pytest.fixture
def library(driver):
    return runtime.Library(pathlib.Path(BUILD, "lib", "libegg_runtime.so"))


def test_a_program_is_described_and_runs(driver, library, tmp_path):
    path = write(tmp_path / "add.egg", plan())
    assert artifact.read(path)["chip"] == "sm_90"
    program = library.load(path)
    assert program.arguments == [([16, 16], "float32")] * 2 and program.results == [([16, 16], "float32")]
    assert program.workspace_bytes >= 64
    a, b, out, work = (Memory(driver, v) for v in (1.0, 2.5, 0.0, 0.0))
    program.check([a, b])
    program.launch([a, b], [out], None, work)
    assert driver.cuCtxSynchronize() == 0
    assert list(out.values) == [3.5] * COUNT
    program.close()
    program.close()


def test_failures_are_sentences_with_a_kind(driver, library, tmp_path):
    program = library.load(write(tmp_path / "add.egg", plan()))
    a, b, out, work = (Memory(driver, v) for v in (1.0, 2.5, 0.0, 0.0))
    with pytest.raises(runtime.Failure) as caught:
        program.launch([a, b], [a], None, work)  # the result lies on an argument
    assert caught.value.kind == "verify" and str(caught.value)
    with pytest.raises(runtime.Failure):
        program.launch([a, b], [out], None)  # no workspace
    a.contiguous = False
    with pytest.raises(runtime.Failure, match="argument 0 is not dense"):
        program.check([a, b])
    with pytest.raises(runtime.Failure, match="the artifact takes"):
        program.check([b])
    program.close()
    with pytest.raises(runtime.Failure, match="none.egg"):
        library.load(tmp_path / "none.egg")
    damaged = tmp_path / "damaged.egg"
    damaged.write_bytes((tmp_path / "add.egg").read_bytes()[:-1] + b"x")
    with pytest.raises(runtime.Failure) as caught:
        library.load(damaged)
    assert caught.value.kind in ("parse", "verify")


def test_a_result_that_is_an_argument_is_refused(driver, library, tmp_path):
    with pytest.raises(runtime.Failure, match="updated in place"):
        library.load(write(tmp_path / "same.egg", plan(result_buffer=0)))


def test_other_libraries_are_refused(tmp_path):
    with pytest.raises(runtime.Failure, match="cannot be used"):
        runtime.Library(tmp_path / "none.so")
    with pytest.raises(runtime.Failure, match="cannot be used"):
        runtime.Library(ctypes.util.find_library("m"))
