"""The GPU side of the suite: one timer for every system, the L2 flush, clocks,
bandwidth. Imports PyTorch when used."""
import ctypes
import time

from egg_mlir import stats
from egg_mlir.suite.order import Clock

# NVML's throttle reasons that slow the chip: power cap, hardware slowdown,
# thermal in software and hardware, power brake. Idle and set clocks are no fault.
SLOWING = 0x4 | 0x8 | 0x20 | 0x40 | 0x80


class Clocks:
    """Reads clocks through the driver's NVML; `read` gives None where that is
    missing or refuses. `library` is libnvidia-ml.so.1, opened here if not given."""

    SM = 1  # NVML_CLOCK_SM

    def __init__(self, uuid, library=None):
        self.handle = ctypes.c_void_p()
        try:
            self.library = library or ctypes.CDLL("libnvidia-ml.so.1")
            good = (self.library.nvmlInit_v2() == 0 and
                    self.library.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}".encode(), ctypes.byref(self.handle)) == 0)
        except (OSError, AttributeError):  # no NVML, or one without these functions
            good = False
        self.known = good

    def read(self):
        """A Clock, or None."""
        if not self.known:
            return None
        mhz, reasons = ctypes.c_uint(), ctypes.c_ulonglong()
        if self.library.nvmlDeviceGetClockInfo(self.handle, self.SM, ctypes.byref(mhz)) != 0:
            return None
        if self.library.nvmlDeviceGetCurrentClocksThrottleReasons(self.handle, ctypes.byref(reasons)) != 0:
            return None
        return Clock(mhz.value, reasons.value & SLOWING)


class Timer:
    """CUDA events around each call on the current stream. Before each: a write of
    twice the L2, then a read of another buffer of that size, so that what the call
    finds in the L2 is neither its data nor lines that must be written back."""

    def __init__(self, torch):
        self.torch = torch
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.clocks = Clocks(getattr(properties, "uuid", ""))
        words = 2 * properties.L2_cache_size // 4
        self.dirty = torch.empty(words, dtype=torch.float32, device="cuda")
        self.clean = torch.rand(words, dtype=torch.float32, device="cuda")
        self.sink = torch.empty((), dtype=torch.float32, device="cuda")
        self.value = 0.0
        try:
            self.driver = ctypes.CDLL("libcuda.so.1")
        except OSError:
            self.driver = None

    def flush(self):
        """Enqueues the flush."""
        self.value += 1.0
        self.dirty.fill_(self.value)
        self.torch.sum(self.clean, dim=0, out=self.sink)

    def block(self, call, calls):
        """(times in ms, seconds, Clock or None) of `calls` calls, enqueued without
        waiting between them. The clock is read while they run."""
        torch = self.torch
        torch.cuda.synchronize()
        if self.driver is not None:  # a no-op unless something set lines persisting
            self.driver.cuCtxResetPersistingL2Cache()
        pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(calls)]
        begin = time.monotonic()
        for start, end in pairs:
            self.flush()
            start.record()
            call()
            end.record()
        clock = self.clocks.read()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) for start, end in pairs], time.monotonic() - begin, clock

    def bandwidth(self):
        """(copy, read) in GB/s, each byte moved counted: 2 GiB copied, 4 GiB summed."""
        torch = self.torch
        source = torch.rand(1 << 30, dtype=torch.float32, device="cuda")
        target = torch.empty(1 << 29, dtype=torch.float32, device="cuda")
        half = source[:1 << 29]
        copy, _, _ = self.block(lambda: target.copy_(half), 13)
        read, _, _ = self.block(lambda: torch.sum(source), 13)
        return (2 * 4 * half.numel() / (stats.median(copy[3:]) * 1e6),
                4 * source.numel() / (stats.median(read[3:]) * 1e6))


def describe(torch):
    """The device and the versions, as a results file holds them."""
    index = torch.cuda.current_device()
    major, minor = torch.cuda.get_device_capability(index)
    driver = "not known"
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            words = file.readline().split()
            driver = next((w for w in words if w[:1].isdigit() and "." in w), driver)
    except OSError:
        pass
    versions = {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": str(torch.backends.cudnn.version())}
    try:
        import triton
        versions["triton"] = triton.__version__
    except ImportError:
        versions["triton"] = None
    return {"name": torch.cuda.get_device_name(index), "sm": f"sm_{major}{minor}", "driver": driver}, versions
