# SPDX-License-Identifier: Apache-2.0
"""Weights of one bucket under ZeRO stage 1 or 2: this rank's shard in FP32, and every rank's copy of all
shards, in rows, as the model computes with them."""
import gardenhose_codecs as gc
import numpy as np

import exchange
from coder import Coder
from optimizer import Optimizer


def of_bucket(job, peers, elements, index):
    size = exchange.part_size(elements, peers.ranks)
    if job["weights"]["codec"] == "bf16" and not job["weights"]["difference"]:
        return PlainWeights(peers, size, in_place=job["overlap"])
    return CodedWeights(job["weights"], peers, size, index)


class PlainWeights:
    """In BF16, which the update writes. What is gathered is copied to the model unless it arrives there."""

    def __init__(self, peers, size, in_place):
        self.coder, self.optimizer = Coder("bf16"), Optimizer(size)
        self._peers = peers
        self._rows = self.coder.empty_wires(peers.ranks, size)
        self.copy = self._rows if in_place else self._rows.copy()

    def encode(self, number):
        """The update has."""

    def gather(self):
        self._rows[self._peers.rank] = self.optimizer.cast
        exchange.gather_around(self._peers, self._rows)

    def take(self):
        self.copy[:] = self._rows


class CodedWeights:
    """In a codec, or their changes since the last step in it."""

    def __init__(self, rule, peers, size, index):
        self.coder, self.optimizer = Coder(rule["codec"]), Optimizer(size)
        self._peers, self._index, self._difference = peers, index, rule["difference"]
        self._wires = self.coder.empty_wires(peers.ranks, size)
        self.copy = np.zeros((peers.ranks, size), np.float32)
        self.encode(0)

    def encode(self, number):
        mine = self._peers.rank
        shard = self.optimizer.weights
        sent = shard - self.copy[mine] if self._difference else shard
        self.coder.encode(sent, out=self._wires[mine],
                          key=gc.Key(step=number, tensor=2 * self._index + 1, rank=mine))

    def gather(self):
        exchange.gather_around(self._peers, self._wires)
        decode = self.coder.add if self._difference else self.coder.decode
        for wire, row in zip(self._wires, self.copy):
            decode(wire, row)

    def take(self):
        """Decoded to where the model has them."""
