# SPDX-License-Identifier: Apache-2.0
"""Clocks of a CPU and of a GPU: medians of repeated calls, and what a card says of the device."""
import importlib
import statistics
import time
from pathlib import Path
from typing import Any, Callable, List, Optional, Protocol

_CALLS = 30
_MOST_S = 1.0  # after which calls of a CPU are enough, however few
_BEYOND_CACHES = 2 ** 26  # bytes, of a CPU
_FLUSHED = 2 ** 28  # bytes, beyond a GPU's L2 cache


class Clock(Protocol):
    name: str  # of the device
    memory_bandwidth: str  # with its unit

    def placed(self, values: Any) -> Any:
        """NumPy's array as the functions take it."""

    def taken(self, values: Any) -> Any:
        """What they return, as NumPy's array."""

    def median_s(self, call: Callable[[], Any]) -> float: ...


def of(device: str, memory_bandwidth: Optional[str], is_timed: bool) -> Clock:
    if device == "cpu":
        return _Cpu(memory_bandwidth, is_timed)
    if device != "cuda":
        raise ValueError(f"device is {device!r}; choose 'cpu' or 'cuda'")
    if is_timed and memory_bandwidth is None:
        raise ValueError("memory_bandwidth is missing; pass that of the GPU's data sheet, such as "
                         "'3.35 TBps'")
    return _Cuda(memory_bandwidth or "")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "CPU"


class _Cpu:
    """Times from memory: between calls, other bytes go through the caches."""

    def __init__(self, memory_bandwidth: Optional[str], is_timed: bool) -> None:
        import numpy

        self.name = _processor()
        self._others = numpy.ones(_BEYOND_CACHES if is_timed else 0, numpy.uint8)
        self.memory_bandwidth = memory_bandwidth or (self._copy_rate() if is_timed else "")

    def _copy_rate(self) -> str:
        import numpy

        source, target = numpy.ones_like(self._others), numpy.empty_like(self._others)
        moved = 2 * _BEYOND_CACHES  # read and written
        return f"{moved / self.median_s(lambda: numpy.copyto(target, source)) / 1e9:.4g} GBps"

    def placed(self, values: Any) -> Any:
        return values

    def taken(self, values: Any) -> Any:
        return values

    def median_s(self, call: Callable[[], Any]) -> float:
        call()
        seconds: List[float] = []
        while len(seconds) < _CALLS and (len(seconds) < 3 or sum(seconds) < _MOST_S):
            self._others.fill(len(seconds))
            begun = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - begun)
        return statistics.median(seconds)


class _Cuda:
    """Times by events of the current stream, with an L2 cache that holds nothing of the call before."""

    def __init__(self, memory_bandwidth: str) -> None:
        torch: Any = importlib.import_module("torch")  # type checkers would read all of it
        self._torch = torch
        self.name = torch.cuda.get_device_name()
        self.memory_bandwidth = memory_bandwidth
        self._flushed = torch.empty(_FLUSHED, dtype=torch.uint8, device="cuda")

    def placed(self, values: Any) -> Any:
        return self._torch.from_numpy(values).cuda()

    def taken(self, values: Any) -> Any:
        return values.cpu().numpy()

    def median_s(self, call: Callable[[], Any]) -> float:
        cuda = self._torch.cuda
        for _ in range(3):
            call()
        events = [(cuda.Event(enable_timing=True), cuda.Event(enable_timing=True))
                  for _ in range(_CALLS)]
        for begun, ended in events:
            self._flushed.zero_()
            begun.record()
            call()
            ended.record()
        cuda.synchronize()
        milliseconds = [float(begun.elapsed_time(ended)) for begun, ended in events]
        return statistics.median(milliseconds) / 1e3
