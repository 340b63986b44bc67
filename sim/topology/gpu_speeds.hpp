// SPDX-License-Identifier: Apache-2.0
// Differences in speed between the GPUs of a cluster.
#pragma once

#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim {

// By rank, the time of a matrix product relative to a mean GPU. The GPUs are the expected order
// statistics of a sample of this size from a normal distribution with Cluster::speed_spread (Blom's
// plotting positions), so no seed is involved, and the slowest of many GPUs is slower than the
// slowest of few. Slow and fast GPUs are spread over the nodes. All 1 without a spread.
[[nodiscard]] std::vector<double> rank_slowdowns(const Cluster& cluster);

// That of the slowest of `count` GPUs, as all ranks wait for it.
[[nodiscard]] double slowest_of(const Cluster& cluster, int count);

// How the ranks of a step follow each other.
struct Turns {
  int stages = 1;  // of a pipeline
  int blocks = 1;  // that a stage runs in turn: micro-batches times virtual stages
  int tensor = 1;  // ranks of a stage of one replica, which wait for each other
};
// That at which all ranks together take as long as each at its own: the slowest GPU of all holds up
// every block of its pipeline, whose other stages fill and drain it at their own pace.
[[nodiscard]] double slowdown_of_step(const Cluster& cluster, const Turns& turns);

}  // namespace sim
