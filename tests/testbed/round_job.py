# SPDX-License-Identifier: Apache-2.0
"""Rounds between sites of one process each: every site trains alone for some steps, then all exchange what
that changed, and take an outer step; whole, or fragment after fragment of the model while they train."""
import collections

import gardenhose_codecs as gc
import numpy as np

import exchange
from coder import Coder
from computing import Computing
from model import RATE, Model, squared_error

OUTER_RATE, MOMENTUM = np.float32(0.7), np.float32(0.9)
MIXED = np.float32(0.5)  # share of the outer weights in those of a site that has trained on


class RoundJob:
    def __init__(self, job, peers, worker):
        self._peers, self._worker = peers, worker
        self._inner_steps, self._overlap_steps = job["inner_steps"], job["overlap_steps"]
        self._model = Model(job, peers.rank)
        self._collective = exchange.COLLECTIVES[job["rule"]["collective"]]
        self._coder = Coder(job["rule"]["codec"])
        self._weights = np.zeros_like(self._model.gradient)
        bounds = [self._weights.size * i // job["fragments"] for i in range(job["fragments"] + 1)]
        self._fragments = [Fragment(job, slice(*ends)) for ends in zip(bounds, bounds[1:])]
        self._steps_done = 0
        self._sent = collections.deque()  # a fragment, its exchange, and the step before which it is needed

    def step(self, number):
        """A round."""
        computing, codec_s = Computing(), self._coder.seconds
        for inner_step in range(self._inner_steps):
            self._model.forward(computing)
            self._model.backward(computing)
            with computing.traffic():
                self._weights -= RATE * self._model.gradient
            self._steps_done += 1
            for index, fragment in enumerate(self._fragments):
                if self._sending_step(index) == inner_step:
                    self._send(computing, number, index, fragment)
            while self._sent and self._sent[0][2] <= self._steps_done:
                self._take(computing)
        return computing.times(self._coder.seconds - codec_s)

    def _sending_step(self, fragment):
        """Each after the same share of the steps."""
        return ((fragment + 1) * self._inner_steps - 1) // len(self._fragments)

    def _send(self, computing, number, index, fragment):
        with computing.traffic():
            np.subtract(fragment.outer, self._weights[fragment.of], out=fragment.change)
        key = gc.Key(step=number, tensor=2 * index, rank=self._peers.rank)
        sent = self._worker.submit(self._collective, self._peers, self._coder, fragment.change,
                                   fragment.residuals, key)
        self._sent.append((fragment, sent, self._steps_done + self._overlap_steps))

    def _take(self, computing):
        fragment, sent, _ = self._sent.popleft()
        computing.wait(sent)
        with computing.traffic():
            fragment.step()
            weights = self._weights[fragment.of]
            if self._overlap_steps:
                weights += MIXED * (fragment.outer - weights)
            else:
                weights[:] = fragment.outer

    def _take_all(self):
        """Between counted rounds and others, nothing is on its way."""
        while self._sent:
            self._take(Computing())

    @property
    def weights(self):
        """Of every site alike: the outer ones."""
        self._take_all()
        return np.concatenate([fragment.outer for fragment in self._fragments])

    def error(self):
        """Of the sums of the first round."""
        self._take_all()
        true = self._model.true_sum()
        errors = [squared_error(one.change, true[one.of] * (RATE * (self._sending_step(index) + 1)))
                  for index, one in enumerate(self._fragments)]
        return [sum(one) for one in zip(*errors)]


class Fragment:
    def __init__(self, job, of):
        self.of = of
        self.outer, self.change = (np.zeros(of.stop - of.start, np.float32) for _ in range(2))
        self._momentum = np.zeros_like(self.outer) if job["momentum"] else None
        self.residuals = exchange.Residuals(job["rule"]["feedback"])

    def step(self):
        """By the sum of changes, which is their mean, as the model divides its gradients by the ranks; with
        momentum, Nesterov's."""
        if self._momentum is None:
            self.outer -= OUTER_RATE * self.change
            return
        self._momentum *= MOMENTUM
        self._momentum += self.change
        self.outer -= OUTER_RATE * (self.change + MOMENTUM * self._momentum)
