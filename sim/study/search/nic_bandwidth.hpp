// SPDX-License-Identifier: Apache-2.0
// NIC bandwidth as the unknown of a search, in multiples of the cluster's.
#pragma once

#include "sim/study/search/bracket.hpp"
#include "sim/topology/cluster.hpp"

namespace sim::study {

inline constexpr Range kNicFactors{.lowest = 1.0 / 256, .highest = 256};

// The cluster with NICs `factor` times as fast. A cap on one communicator scales along.
[[nodiscard]] Cluster with_nics(Cluster cluster, double factor);
// The same for NICs of that speed.
[[nodiscard]] Cluster with_nics(Cluster cluster, Bandwidth bandwidth);

}  // namespace sim::study
