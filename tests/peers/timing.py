# SPDX-License-Identifier: Apache-2.0
"""Times on the GPU by the method of gardenhose-calibrate: warmed up, by events, every launch in the
queue before its turn, the cache as the table's measurement leaves it, the median of 33."""

import statistics
import time

import torch

WARM_UP, LAUNCHES = 3, 33
QUEUED_CYCLES = 50_000_000  # about 25 ms in which the host runs ahead of the GPU


class GpuTimer:
    def __init__(self, flushed):
        properties = torch.cuda.get_device_properties(0)
        self.l2_bytes = properties.L2_cache_size
        # Reading leaves clean lines: what a write leaves is written back in the timed launch.
        self.flush = torch.zeros(self.l2_bytes // 2, device="cuda") if flushed else None

    def sets(self, input_bytes):
        """Sets of buffers to go around, so that none is in the cache when its turn comes."""
        return 1 if self.flush is not None else max(2, -(-3 * self.l2_bytes // input_bytes))

    def time(self, launch, sets):
        """(median, interquartile range) in seconds of launch(*set)."""
        for i in range(WARM_UP):
            launch(*sets[i % len(sets)])
        torch.cuda.synchronize()
        torch.cuda._sleep(QUEUED_CYCLES)
        pairs = []
        for i in range(LAUNCHES):
            if self.flush is not None:
                self.flush.sum()
            pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            pair[0].record()
            launch(*sets[i % len(sets)])
            pair[1].record()
            pairs.append(pair)
        torch.cuda.synchronize()
        return summary([start.elapsed_time(end) * 1e-3 for start, end in pairs])

    def copy_bandwidth(self, size=1 << 30):
        sets = [(torch.ones(size // 4, device="cuda"), torch.empty(size // 4, device="cuda"))]
        return 2 * size / self.time(lambda source, to: to.copy_(source), sets)[0]


class CpuTimer:
    """Of a dry run: that everything runs; its seconds are the CPU's."""

    def sets(self, input_bytes):
        return 1

    def time(self, launch, sets):
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            launch(*sets[0])
            seconds.append(time.perf_counter() - start)
        return summary(seconds)

    def copy_bandwidth(self, size=1 << 20):
        sets = [(torch.ones(size // 4), torch.empty(size // 4))]
        return 2 * size / self.time(lambda source, to: to.copy_(source), sets)[0]


def summary(seconds):
    seconds = sorted(seconds)
    quarters = statistics.quantiles(seconds, n=4, method="inclusive")
    return statistics.median(seconds), quarters[2] - quarters[0]
