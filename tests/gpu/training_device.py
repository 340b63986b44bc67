# SPDX-License-Identifier: Apache-2.0
"""The GPU whose steps training_steps.py measures: its clock, its memory, and the state it is in."""
import ctypes
import gc
import statistics
import sys
import threading
import time

OLDEST_TORCH = (2, 6)


class Watch:
    """Clock, power and temperature of the GPU, sampled in the background from the library that
    nvidia-smi reads them from."""

    QUERIES = {"sm_clock_mhz": ("nvmlDeviceGetClockInfo", (1,), 1),
               "power_w": ("nvmlDeviceGetPowerUsage", (), 1e-3),
               "temperature_c": ("nvmlDeviceGetTemperature", (0,), 1)}
    PERIOD_S = 0.1

    def __init__(self):
        self.samples = []
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        self.gpu = ctypes.c_void_p()
        if self.nvml.nvmlInit_v2() == 0 and self.nvml.nvmlDeviceGetHandleByIndex_v2(
                0, ctypes.byref(self.gpu)) == 0:
            threading.Thread(target=self.listen, daemon=True).start()

    def value(self, query, arguments, unit):
        number = ctypes.c_uint()
        getattr(self.nvml, query)(self.gpu, *arguments, ctypes.byref(number))
        return number.value * unit

    def listen(self):
        while True:
            self.samples.append((time.monotonic(),
                                 *(self.value(*query) for query in self.QUERIES.values())))
            time.sleep(self.PERIOD_S)

    def since(self, start):
        """Medians since a time; of a shorter time than that between samples, the last sample."""
        rows = [row for row in list(self.samples) if row[0] >= start] or self.samples[-1:]
        return {name: statistics.median(row[i + 1] for row in rows) if rows else ""
                for i, name in enumerate(self.QUERIES)}


class Device:
    """The GPU, or the CPU of a dry run, with its clock."""

    def __init__(self, dry_run):
        import torch
        version = tuple(int(part) for part in torch.__version__.split(".")[:2])
        if version < OLDEST_TORCH:
            sys.exit(f"training_steps.py: needs PyTorch {'.'.join(map(str, OLDEST_TORCH))} or newer"
                     f" (fully_shard); this is {torch.__version__}")
        self.torch, self.dry_run, self.kind = torch, dry_run, "cpu" if dry_run else "cuda"

    def name(self):
        return "cpu" if self.dry_run else self.torch.cuda.get_device_name()

    def synchronize(self):
        if not self.dry_run:
            self.torch.cuda.synchronize()

    def mark(self):
        """A point in the GPU's stream."""
        if self.dry_run:
            return time.perf_counter()
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, begin, end):
        return end - begin if self.dry_run else begin.elapsed_time(end) / 1e3

    def peak(self, reset=False):
        if self.dry_run:
            return 0
        if reset:
            self.torch.cuda.reset_peak_memory_stats()
        return self.torch.cuda.max_memory_allocated()

    def release(self):
        gc.collect()
        self.torch._dynamo.reset()
        if not self.dry_run:
            self.torch.cuda.empty_cache()
