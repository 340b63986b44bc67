// The bandwidth of NICs as what is searched for, in multiples of the cluster's.
#pragma once

#include "apps/job/job.hpp"
#include "apps/search/bracket.hpp"

namespace apps {

inline constexpr Range kNicFactors{.lowest = 1.0 / 256, .highest = 256};

// The cluster where NICs are `factor` times as fast. A cap of one communicator scales along.
[[nodiscard]] sim::Cluster with_nics(sim::Cluster cluster, double factor);

// Seconds of a simulated step there.
[[nodiscard]] double step_time(const Job& job, const Setup& setup, double factor);

}  // namespace apps
