// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/hop_map.hpp"
#include "sim/collectives/legs.hpp"

namespace sim {

int parts_of(const std::vector<Lane>& lanes) {
  int parts = 0;
  for (const Lane& lane : lanes) parts += lane.weight;
  return parts;
}

std::vector<LegDraft> fold_lanes(const Cluster& cluster, const std::vector<int>& ranks,
                                 const std::vector<Lane>& lanes, const std::vector<Hop>& of_all) {
  const bool together = lie_evenly(cluster, ranks);
  const double parts = parts_of(lanes);
  std::vector<LegDraft> legs;
  HopMap<int> shares;
  shares.reserve(of_all.size() + (together ? lanes.size() : 1) * lanes.front().hops.size());
  for (const Lane& lane : lanes) {
    for (const Hop& hop : lane.hops) shares[hop] += lane.weight;
    if (together && &lane != &lanes.back()) continue;
    for (const Hop& hop : of_all) shares[hop] += together ? parts_of(lanes) : lane.weight;
    std::map<int, std::vector<Hop>> by_place;
    for (const auto& [hop, times] : shares) {
      Hop& one = by_place[node_of(cluster, hop.source) / kNodesOfLeg].emplace_back(hop);
      one.times = times;
    }
    shares.clear();
    for (auto& [place, hops] : by_place) {
      int divisor = 0;
      for (const Hop& hop : hops) divisor = std::gcd(divisor, hop.times);
      for (Hop& hop : hops) hop.times /= divisor;
      std::ranges::sort(hops);
      legs.push_back({.hops = std::move(hops),
                      .unit = divisor / parts,
                      .channels = divisor * (cluster.collectives.channels / parts)});
    }
  }
  return legs;
}

}  // namespace sim
