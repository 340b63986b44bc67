# SPDX-License-Identifier: Apache-2.0
"""The computing of one step: sleeps of stated times, and memory traffic, which takes what it takes."""
import contextlib
import time


class Computing:
    def __init__(self):
        self._begun = self._due = time.perf_counter()
        self._computed = self._moved = 0.0

    def sleep(self, seconds, work=None):
        """Until a deadline of the step: whatever a sleep overruns shortens the next one. The work is part of it."""
        start = time.perf_counter()
        self._due += seconds
        if work:
            work()
        time.sleep(max(0, self._due - time.perf_counter()))
        self._computed += time.perf_counter() - start

    @contextlib.contextmanager
    def traffic(self):
        start = time.perf_counter()
        yield
        elapsed = time.perf_counter() - start
        self._due += elapsed
        self._computed += elapsed
        self._moved += elapsed

    def wait(self, exchange):
        """For the result of a future."""
        if not exchange.done():
            exchange.exception()
            self._due = max(self._due, time.perf_counter())
        return exchange.result()

    def times(self, codec_s):
        """Of the step, which ends here."""
        step_s = time.perf_counter() - self._begun
        return {"step_s": step_s, "exposed_s": step_s - self._computed, "codec_s": codec_s,
                "traffic_s": self._moved}
