"""The timer on a fake PyTorch that keeps a log and a clock."""
import types

import pytest

from egg_mlir.suite import device
from egg_mlir.suite.order import Clock


class FakeTensor:
    def __init__(self, torch, words):
        self.torch, self.words = torch, words

    def fill_(self, value):
        self.torch.log.append(("write", 4 * self.words, value))

    def copy_(self, other):
        self.torch.log.append(("copy", other.words))
        self.torch.now += 2.0

    def numel(self):
        return self.words

    def __getitem__(self, part):
        return FakeTensor(self.torch, part.stop)


class FakeTorch:
    """As much of PyTorch as the timer uses; a call takes what it adds to `now`."""

    def __init__(self):
        torch = self
        self.log, self.now, self.float32, self.__version__ = [], 0.0, "f32", "2.11.0"
        self.version = types.SimpleNamespace(cuda="13.0")
        self.backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 91900))

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing

            def record(self):
                self.at = torch.now
                torch.log.append(("event",))

            def elapsed_time(self, end):
                assert torch.log[-1] == ("synchronize",)
                return end.at - self.at

        self.cuda = types.SimpleNamespace(
            Event=Event, current_device=lambda: 0, synchronize=lambda: torch.log.append(("synchronize",)),
            get_device_capability=lambda i: (9, 0), get_device_name=lambda i: "NVIDIA H200",
            get_device_properties=lambda i: types.SimpleNamespace(L2_cache_size=60 << 20, uuid="12-ab"))

    def empty(self, words, **_):
        return FakeTensor(self, words if isinstance(words, int) else 1)

    def rand(self, words, **_):
        return FakeTensor(self, words)

    def sum(self, tensor, dim=None, out=None):
        self.log.append(("read", 4 * tensor.words))
        self.now += 0.5 if out is not None else 1.0


@pytest.fixture
def timer():
    torch = FakeTorch()
    made = device.Timer(torch)
    made.clocks = types.SimpleNamespace(read=lambda: Clock(1980, 0))
    torch.log.clear()
    return made


def test_each_call_is_flushed_before_and_timed_alone(timer):
    torch = timer.torch

    def call():
        torch.log.append(("call",))
        torch.now += 3.0

    times, seconds, clock = timer.block(call, 2)
    assert times == [3.0, 3.0] and clock == Clock(1980, 0) and seconds >= 0.0
    l2 = 60 << 20
    one = [("write", 2 * l2), ("read", 2 * l2), ("event",), ("call",), ("event",)]
    assert [entry[:2] for entry in torch.log] == [("synchronize",), *one, *one, ("synchronize",)]
    written = [entry[2] for entry in torch.log if entry[0] == "write"]
    assert len(set(written)) == 2  # never the same value twice


def test_bandwidth_counts_bytes_both_ways(timer):
    copy, read = timer.bandwidth()
    assert copy == pytest.approx(2 * (2 << 30) / 2e6) and read == pytest.approx((4 << 30) / 1e6)


def test_the_device_is_described():
    described, versions = device.describe(FakeTorch())
    assert described["name"] == "NVIDIA H200" and described["sm"] == "sm_90"
    assert versions["torch"] == "2.11.0" and versions["cudnn"] == "91900"
