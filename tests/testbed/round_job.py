# SPDX-License-Identifier: Apache-2.0
"""Rounds between sites of one process each: every site trains alone for some steps, then all exchange what
that changed, and take an outer step."""
import gardenhose_codecs as gc
import numpy as np

import exchange
from coder import Coder
from computing import Computing
from model import RATE, Model, squared_error

OUTER_RATE, MOMENTUM = np.float32(0.7), np.float32(0.9)


class RoundJob:
    def __init__(self, job, peers, worker):
        self._peers, self._worker, self._inner_steps = peers, worker, job["inner_steps"]
        self._model = Model(job, peers.rank)
        self._collective = exchange.COLLECTIVES[job["rule"]["collective"]]
        self._coder = Coder(job["rule"]["codec"])
        self._residuals = exchange.Residuals(job["rule"]["feedback"])
        self.weights = np.zeros_like(self._model.gradient)
        self._outer, self._change = np.zeros_like(self.weights), np.empty_like(self.weights)
        self._momentum = np.zeros_like(self.weights) if job["momentum"] else None

    def step(self, number):
        """A round."""
        computing = Computing()
        for _ in range(self._inner_steps):
            self._model.forward(computing)
            self._model.backward(computing)
            with computing.traffic():
                self.weights -= RATE * self._model.gradient
        with computing.traffic():
            np.subtract(self._outer, self.weights, out=self._change)
        computing.wait(self._worker.submit(self._exchange, number))
        with computing.traffic():
            self._outer -= OUTER_RATE * self._outer_gradient()
            self.weights[:] = self._outer
        return computing.times(self._coder.take_seconds())

    def _exchange(self, number):
        self._collective(self._peers, self._coder, self._change, self._residuals,
                         gc.Key(step=number, rank=self._peers.rank))

    def _outer_gradient(self):
        """Of the sum of changes, which is their mean, as the model divides its gradients by the ranks;
        with momentum, Nesterov's."""
        if self._momentum is None:
            return self._change
        self._momentum *= MOMENTUM
        self._momentum += self._change
        return self._change + MOMENTUM * self._momentum

    def error(self):
        """Of the sum of a round in which all that is lost is lost in it: the first."""
        return squared_error(self._change,
                             self._model.true_sum() * (RATE * np.float32(self._inner_steps)))
