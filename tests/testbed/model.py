# SPDX-License-Identifier: Apache-2.0
"""The model of one rank: its passes compute layer by layer, and leave gradients behind."""
import numpy as np


def random_gradient(rank, elements):
    return np.random.default_rng(rank).standard_normal(elements, dtype=np.float32)


class Gradients:
    """Of one rank, other ones in each step: windows of a longer array of normal random numbers."""

    LONGER, STRIDE = 65536, 7919

    def __init__(self, rank, elements):
        self._values = random_gradient(rank, elements + self.LONGER)
        self._elements = elements

    def of_step(self, step):
        begin = step * self.STRIDE % self.LONGER
        return self._values[begin:begin + self._elements]


def squared_error(values, true):
    """And what it is relative to; of all ranks together, sums of both give the relative L2 error."""
    difference = values - true
    return [float(np.dot(difference, difference)), float(np.dot(true, true))]


class Model:
    def __init__(self, job, rank):
        self._places = job["places"]
        ends = np.cumsum([place["elements"] for place in self._places]).tolist()
        self._slices = [slice(*pair) for pair in zip([0, *ends], ends)]
        self.elements = ends[-1]
        self.buckets = [slice(one["begin"], one["end"]) for one in job["buckets"]]
        self._first_places = [one["first_place"] for one in job["buckets"]]
        self._ranks = job["ranks"]
        self._gradients, self._steps = Gradients(rank, self.elements), 0
        self.gradient = np.zeros(self.elements, np.float32)

    def forward(self, computing, before_bucket=None):
        with computing.traffic():
            self.gradient[:] = 0
        for place, one in enumerate(self._places):
            if before_bucket and place in self._first_places:
                before_bucket(self._first_places.index(place))
            computing.sleep(one["forward_s"])

    def backward(self, computing, after_bucket=None):
        """Gradients of a bucket become the ranks' part of a mean before `after_bucket`, if it is given."""
        source = self._gradients.of_step(self._steps)
        self._steps += 1
        for place, one in reversed(list(enumerate(self._places))):
            computing.sleep(one["backward_s"], lambda at=self._slices[place]: self._leave(source, at))
            if after_bucket and place in self._first_places:
                index = self._first_places.index(place)
                with computing.traffic():
                    self.gradient[self.buckets[index]] *= np.float32(1 / self._ranks)
                after_bucket(index)

    def _leave(self, source, at):
        self.gradient[at] = source[at]

    def true_sum(self):
        """Of all ranks' gradients in the last step, the mean."""
        true = np.zeros_like(self.gradient)
        for rank in range(self._ranks):
            true += Gradients(rank, true.size).of_step(self._steps - 1) * np.float32(1 / self._ranks)
        return true
