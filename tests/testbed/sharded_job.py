# SPDX-License-Identifier: Apache-2.0
"""Sharded data parallelism, ZeRO stage 1 or 2: each rank sums and updates its shard of each bucket, in FP32,
and all gather the weights when the next step begins."""
import gardenhose_codecs as gc
import numpy as np

import exchange
import sharded_weights
from coder import Coder
from computing import Computing
from model import Model, squared_error
from optimizer import squared_norm


class ShardedJob:
    def __init__(self, job, peers, worker):
        self._peers, self._worker, self._overlap = peers, worker, job["overlap"]
        self._model = Model(job, peers.rank)
        self._reduction = exchange.REDUCTIONS[job["rule"]["collective"]]
        self._coder = Coder(job["rule"]["codec"])
        self._residuals = [exchange.Residuals(job["rule"]["feedback"]) for _ in self._model.buckets]
        self._sums = [None for _ in self._model.buckets]
        self._weights = [sharded_weights.of_bucket(job, peers, bucket.stop - bucket.start, index)
                         for index, bucket in enumerate(self._model.buckets)]

    @property
    def weights(self):
        """Of every rank alike."""
        return np.concatenate([bucket.copy.reshape(-1) for bucket in self._weights])

    def step(self, number):
        computing, codec_s = Computing(), self._codec_s()
        gathers = [self._worker.submit(bucket.gather) for bucket in self._weights]
        if not self._overlap:
            self._wait_for_weights(computing, gathers)
        self._model.forward(computing, lambda bucket: computing.wait(gathers[bucket]))
        reductions = []

        def reduce(index):
            reductions.append(self._worker.submit(self._reduce, number, index))
            if not self._overlap:
                computing.wait(reductions[-1])

        self._model.backward(computing, reduce)
        for each in reductions:
            computing.wait(each)
        with computing.traffic():
            norm = np.array([sum(map(squared_norm, self._sums))], np.float32)
        # By which gradients are clipped: all ranks wait for it.
        computing.wait(self._worker.submit(exchange.sum_around, self._peers, norm))
        with computing.traffic():
            for bucket, gradient in zip(self._weights, self._sums):
                bucket.optimizer.step(gradient, norm[0])
        for bucket in self._weights:
            computing.wait(self._worker.submit(bucket.encode, number))
        return computing.times(self._codec_s() - codec_s)

    def _codec_s(self):
        return self._coder.seconds + sum(bucket.coder.seconds for bucket in self._weights)

    def _wait_for_weights(self, computing, gathers):
        for bucket, gather in zip(self._weights, gathers):
            computing.wait(gather)
            with computing.traffic():
                bucket.take()

    def _reduce(self, number, index):
        key = gc.Key(step=number, tensor=2 * index, rank=self._peers.rank)
        self._sums[index] = self._reduction(
            self._peers, self._coder, self._model.gradient[self._model.buckets[index]],
            self._residuals[index], key)

    def error(self):
        """Of this rank's shards of the last step's sum."""
        true = self._model.true_sum()
        errors = [squared_error(self._sums[index],
                                exchange.parts_of(true[bucket], self._peers.ranks)[self._peers.rank])
                  for index, bucket in enumerate(self._model.buckets)]
        return [sum(one) for one in zip(*errors)]
