// SPDX-License-Identifier: Apache-2.0
// Where a fit begins: at a cluster, and at four others around it. Which protocol is the fastest at a
// size depends on the constants, so the errors have several local minima.
#pragma once

#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim::fit {

// The cluster itself first; then with all times longer or shorter, or all shares larger or smaller.
[[nodiscard]] std::vector<Cluster> starts_around(const Cluster& base);

}  // namespace sim::fit
