// How the GPUs of a cluster differ.
#pragma once

#include <vector>

#include "sim/cluster/cluster.hpp"

namespace sim {

// By rank, the time of a matrix product over that on a mean GPU. The GPUs are what a sample of as
// many from a normal distribution of Cluster::speed_spread is expected to be (Blom's plotting
// positions), so that no seed decides and the slowest of many is slower than that of few; slow and
// fast ones are spread over the nodes. All 1 without a spread.
[[nodiscard]] std::vector<double> rank_slowdowns(const Cluster& cluster);

}  // namespace sim
