// The bandwidth of NICs as what is searched for, in multiples of the cluster's.
#pragma once

#include "apps/search/bracket.hpp"
#include "sim/cluster/cluster.hpp"

namespace apps {

inline constexpr Range kNicFactors{.lowest = 1.0 / 256, .highest = 256};

// The cluster where NICs are `factor` times as fast. A cap of one communicator scales along.
[[nodiscard]] sim::Cluster with_nics(sim::Cluster cluster, double factor);
// The same for NICs of that speed.
[[nodiscard]] sim::Cluster with_nics(sim::Cluster cluster, sim::Bandwidth bandwidth);

}  // namespace apps
