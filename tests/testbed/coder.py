# SPDX-License-Identifier: Apache-2.0
"""A codec, and the time spent in it."""
import contextlib
import time

import gardenhose_codecs as gc
import numpy as np


class Coder:
    def __init__(self, codec):
        self._codec = codec
        self.seconds = 0.0

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

    def sum(self, wires, elements):
        with self._timed():
            total = np.zeros(elements, np.float32)
        for wire in wires:
            self.add(wire, total)
        return total

    @contextlib.contextmanager
    def _timed(self):
        start = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - start
