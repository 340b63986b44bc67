# SPDX-License-Identifier: Apache-2.0
"""The model of one rank: its passes compute layer by layer, and leave gradients behind."""
import numpy as np

RATE = np.float32(0.01)  # of learning


def random_gradient(rank, elements):
    return np.random.default_rng(rank).standard_normal(elements, dtype=np.float32)


def squared_error(values, true):
    """And what it is relative to; of all ranks together, sums of both give the relative L2 error."""
    difference = values - true
    return [float(np.dot(difference, difference)), float(np.dot(true, true))]


class Model:
    def __init__(self, job, rank):
        self._forward_s = [job["compute_s"] / 3 * place["share"] for place in job["places"]]
        ends = np.cumsum([place["elements"] for place in job["places"]]).tolist()
        self._slices = [slice(*pair) for pair in zip([0, *ends], ends)]
        self.elements = ends[-1]
        self.buckets = [slice(one["begin"], one["end"]) for one in job["buckets"]]
        self._first_places = [one["first_place"] for one in job["buckets"]]
        self._source = random_gradient(rank, self.elements) / np.float32(job["ranks"])
        self.gradient = np.zeros_like(self._source)
        self._ranks = job["ranks"]

    def forward(self, computing, before_bucket=None):
        for place, seconds in enumerate(self._forward_s):
            if before_bucket and place in self._first_places:
                before_bucket(self._first_places.index(place))
            computing.sleep(seconds)

    def backward(self, computing, after_bucket=None):
        """Computes twice what the forward pass does."""
        for place, seconds in reversed(list(enumerate(self._forward_s))):
            computing.sleep(2 * seconds)
            with computing.traffic():
                self.gradient[self._slices[place]] = self._source[self._slices[place]]
            if after_bucket and place in self._first_places:
                after_bucket(self._first_places.index(place))

    def true_sum(self):
        """Of all ranks' gradients."""
        true = np.zeros_like(self._source)
        for rank in range(self._ranks):
            true += random_gradient(rank, true.size) / np.float32(self._ranks)
        return true
