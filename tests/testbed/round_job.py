# SPDX-License-Identifier: Apache-2.0
"""Rounds between sites of one process each: every site trains alone for some steps, then all exchange what
that changed, and take an outer step; whole, or fragment after fragment of the model while they train."""
import collections

import gardenhose_codecs as gc
import numpy as np

import exchange
from coder import Coder
from computing import Computing
from model import Gradients, Model, squared_error
from optimizer import Optimizer, squared_norm

OUTER_RATE, MOMENTUM = np.float32(0.7), np.float32(0.9)
MIXED = np.float32(0.5)  # share of the outer weights in those of a site that has trained on


class RoundJob:
    def __init__(self, job, peers, worker):
        self._peers, self._worker = peers, worker
        self._inner_steps, self._overlap_steps = job["inner_steps"], job["overlap_steps"]
        self._model = Model(job, peers.rank)
        self._collective = exchange.COLLECTIVES[job["rule"]["collective"]]
        self._coder = Coder(job["rule"]["codec"])
        self._optimizer = Optimizer(self._model.elements)
        self._weights = self._optimizer.weights
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
                self._optimizer.step(self._model.gradient, squared_norm(self._model.gradient))
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
        true = [np.zeros_like(one.change) for one in self._fragments]
        for rank in range(self._peers.ranks):
            self._add_changes(rank, true)
        errors = [squared_error(one.change, sum) for one, sum in zip(self._fragments, true)]
        return [sum(one) for one in zip(*errors)]

    def _add_changes(self, rank, sums):
        """Of a site in the first round, which begins and ends with the same weights everywhere if it is whole."""
        gradients = Gradients(rank, self._model.elements)
        optimizer = Optimizer(self._model.elements)
        for inner_step in range(self._inner_steps):
            gradient = gradients.of_step(inner_step).copy()
            optimizer.step(gradient, squared_norm(gradient))
            for index, fragment in enumerate(self._fragments):
                if self._sending_step(index) == inner_step:
                    sums[index] -= optimizer.weights[fragment.of]


class Fragment:
    def __init__(self, job, of):
        self.of = of
        self.outer, self.change = (np.zeros(of.stop - of.start, np.float32) for _ in range(2))
        self._momentum = np.zeros_like(self.outer) if job["momentum"] else None
        self._rate = OUTER_RATE / np.float32(job["ranks"])
        self.residuals = exchange.Residuals(job["rule"]["feedback"])

    def step(self):
        """By the mean of changes; with momentum, Nesterov's."""
        if self._momentum is None:
            self.outer -= self._rate * self.change
            return
        self._momentum *= MOMENTUM
        self._momentum += self.change
        self.outer -= self._rate * (self.change + MOMENTUM * self._momentum)
