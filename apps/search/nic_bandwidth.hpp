// SPDX-License-Identifier: Apache-2.0
// NIC bandwidth as the unknown of a search, in multiples of the cluster's.
#pragma once

#include "apps/search/bracket.hpp"
#include "sim/topology/cluster.hpp"

namespace apps {

inline constexpr Range kNicFactors{.lowest = 1.0 / 256, .highest = 256};

// The cluster with NICs `factor` times as fast. A cap on one communicator scales along.
[[nodiscard]] sim::Cluster with_nics(sim::Cluster cluster, double factor);
// The same for NICs of that speed.
[[nodiscard]] sim::Cluster with_nics(sim::Cluster cluster, sim::Bandwidth bandwidth);

}  // namespace apps
