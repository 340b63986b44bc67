// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/legs.hpp"

namespace sim {

int parts_of(const std::vector<Lane>& lanes) {
  int parts = 0;
  for (const Lane& lane : lanes) parts += lane.weight;
  return parts;
}

std::vector<LegDraft> fold_lanes(const Cluster& cluster, const std::vector<int>& ranks,
                                 const std::vector<Lane>& lanes) {
  const bool together = lie_evenly(cluster, ranks);
  std::map<std::pair<std::size_t, int>, std::map<Hop, int>> shares;  // by lane, and place of nodes
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (const Hop& hop : lanes[i].hops) {
      const int place = node_of(cluster, hop.source) / kNodesOfLeg;
      shares[{together ? 0 : i, place}][hop] += lanes[i].weight;
    }
  }
  const double parts = parts_of(lanes);
  std::vector<LegDraft> legs;
  for (const auto& [progress, hops] : shares) {
    int divisor = 0;
    for (const auto& [hop, times] : hops) divisor = std::gcd(divisor, times);
    LegDraft leg{.unit = divisor / parts,
                 .channels = divisor * (cluster.collectives.channels / parts)};
    for (const auto& [hop, times] : hops) {
      leg.hops.push_back(hop);
      leg.hops.back().times = times / divisor;
    }
    legs.push_back(std::move(leg));
  }
  return legs;
}

}  // namespace sim
