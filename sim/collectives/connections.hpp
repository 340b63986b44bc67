// SPDX-License-Identifier: Apache-2.0
// Connections: what ecmp hashes. Each channel of a collective between two NICs has one or several
// (network.queue_pairs), and each carries an equal part of the channel's bytes.
#pragma once

#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace sim {

// The same legs with a hop for each connection, numbered in order of the legs; with other ways of
// spreading messages, the legs as they are.
[[nodiscard]] std::vector<LegDraft> over_connections(const Cluster& cluster,
                                                     std::vector<LegDraft> legs);

}  // namespace sim
