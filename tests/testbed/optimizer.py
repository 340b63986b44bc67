# SPDX-License-Identifier: Apache-2.0
"""What follows the sum of gradients in a step: their norm, clipping, AdamW, and the weights in BF16.

AdamW works in blocks that stay in the cache: each value passes the memory once, as on a GPU whose update is one
kernel."""
import gardenhose_codecs as gc
import numpy as np

RATE, BETA1, BETA2, EPSILON, DECAY = (np.float32(x) for x in (0.01, 0.9, 0.95, 1e-8, 0.1))
MOST_NORM = 1e6  # to which gradients are clipped; longer than those here
BLOCK = 16384  # elements


class Optimizer:
    def __init__(self, elements):
        self.weights = np.zeros(elements, np.float32)
        self.cast = gc.encode("bf16", self.weights)
        self._mean, self._square = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self._scratch = np.empty((2, BLOCK), np.float32)
        self._steps = 0

    def step(self, gradient, squared_norm):
        gradient *= np.float32(min(1, MOST_NORM / np.sqrt(squared_norm)))
        self._steps += 1
        rate = RATE / (1 - BETA1**self._steps)
        for begin in range(0, self.weights.size, BLOCK):
            self._update(slice(begin, min(begin + BLOCK, self.weights.size)), rate, gradient)
        gc.encode("bf16", self.weights, out=self.cast)

    def _update(self, block, rate, gradient):
        weights, mean, square, change = (x[block] for x in (self.weights, self._mean, self._square, gradient))
        term, root = self._scratch[:, :mean.size]
        np.multiply(change, 1 - BETA1, out=term)
        mean *= BETA1
        mean += term
        np.multiply(change, change, out=term)
        term *= 1 - BETA2
        square *= BETA2
        square += term
        np.multiply(square, 1 / (1 - BETA2**self._steps), out=root)
        np.sqrt(root, out=root)
        root += EPSILON
        np.divide(mean, root, out=term)
        term *= rate
        weights *= 1 - RATE * DECAY
        weights -= term


def squared_norm(gradient):
    return float(np.dot(gradient, gradient))
