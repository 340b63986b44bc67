// SPDX-License-Identifier: Apache-2.0
// What tests of collectives share: a collective alone over some ranks, and what it puts on links.
#pragma once

#include <array>
#include <numeric>
#include <vector>

#include "sim/collectives/collective_rows.hpp"

namespace sim {

inline constexpr std::array kDetails{Detail::folded, Detail::step_by_step};

inline std::vector<int> all_ranks(const Cluster& cluster) {
  std::vector<int> ranks(static_cast<std::size_t>(rank_count(cluster)));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

inline Schedule schedule_of(const CollectiveRow& row, const Cluster& cluster,
                            const std::vector<int>& ranks, double bytes, Detail detail) {
  return schedule_of(row, cluster, {&ranks, 1}, bytes, detail);
}

// Bytes that the schedule puts on each link of the cluster.
inline std::vector<double> link_bytes(const Schedule& schedule, const Topology& topology) {
  std::vector<double> bytes(topology.links().size());
  for (const Operation& operation : schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    for (const Hop& hop : schedule.routes[operation.route].hops) {
      for (const LinkId link : topology.way(hop).links) bytes[link] += operation.bytes * hop.times;
    }
  }
  return bytes;
}

}  // namespace sim
