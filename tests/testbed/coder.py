# SPDX-License-Identifier: Apache-2.0
"""A codec, and the time spent in it."""
import contextlib
import time

import gardenhose_codecs as gc
import numpy as np


def can_sum(codec):
    """Whether it has a kernel for sums."""
    try:
        gc.decode_reduce(codec, np.zeros(2 * gc.encoded_bytes(codec, 1), np.uint8), 1)
    except NotImplementedError:
        return False
    return True


class Coder:
    def __init__(self, codec):
        self._codec = codec
        self.seconds = 0.0
        self._sums_at_once = can_sum(codec)

    def empty_wires(self, number, elements):
        """In rows, each of so many elements."""
        return np.empty((number, gc.encoded_bytes(self._codec, elements)), np.uint8)

    def encode(self, values, **how):
        with self._timed():
            return gc.encode(self._codec, values, **how)

    def decode(self, wire, out):
        with self._timed():
            gc.decode(self._codec, wire, out=out)

    def add(self, wire, out):
        with self._timed():
            gc.decode_add(self._codec, wire, out)

    def sum(self, wires, out):
        with self._timed():
            if self._sums_at_once:
                gc.decode_reduce(self._codec, wires.reshape(-1), out=out)
                return
            out[:] = 0
            for wire in wires:
                gc.decode_add(self._codec, wire, out)

    @contextlib.contextmanager
    def _timed(self):
        start = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - start
