# SPDX-License-Identifier: Apache-2.0
"""Plain data parallelism: every rank sums all gradients, and updates all weights."""
import gardenhose_codecs as gc

import exchange
from coder import Coder
from computing import Computing
from model import Model, squared_error
from optimizer import Optimizer, squared_norm


class StepJob:
    def __init__(self, job, peers, worker):
        self._peers, self._worker, self._overlap = peers, worker, job["overlap"]
        self._model = Model(job, peers.rank)
        self._collective = exchange.COLLECTIVES[job["rule"]["collective"]]
        self._coder = Coder(job["rule"]["codec"])
        self._residuals = [exchange.Residuals(job["rule"]["feedback"]) for _ in self._model.buckets]
        self._optimizer = Optimizer(self._model.elements)

    @property
    def weights(self):
        return self._optimizer.weights

    def step(self, number):
        computing, codec_s = Computing(), self._coder.seconds
        self._model.forward(computing)
        exchanges = []

        def reduce(index):
            exchanges.append(self._worker.submit(self._exchange, number, index))
            if not self._overlap:
                computing.wait(exchanges[-1])

        self._model.backward(computing, reduce)
        for each in exchanges:
            computing.wait(each)
        with computing.traffic():
            self._optimizer.step(self._model.gradient, squared_norm(self._model.gradient))
        return computing.times(self._coder.seconds - codec_s)

    def _exchange(self, number, index):
        key = gc.Key(step=number, tensor=2 * index, rank=self._peers.rank)
        self._collective(self._peers, self._coder, self._model.gradient[self._model.buckets[index]],
                         self._residuals[index], key)

    def error(self):
        """Of the last step's sum."""
        return squared_error(self._model.gradient, self._model.true_sum())
