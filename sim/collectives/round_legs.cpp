// SPDX-License-Identifier: Apache-2.0
// The legs of rounds: messages, steps of rings and all pairs, of several groups at once.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/collectives/legs.hpp"
#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

double hop_count(const std::vector<Lane>& lanes) {
  double count = 0;
  for (const Lane& lane : lanes) count += static_cast<double>(lane.hops.size());
  return count;
}

// The hops of a few nodes as one leg.
std::vector<LegDraft> folded(const Cluster& cluster, const std::vector<std::vector<Hop>>& messages,
                             double unit) {
  std::map<int, std::vector<Hop>> places;
  for (const std::vector<Hop>& message : messages) {
    const int place = node_of(cluster, message.front().source) / kNodesOfLeg;
    std::vector<Hop>& hops = places[place];
    hops.insert(hops.end(), message.begin(), message.end());
  }
  std::vector<LegDraft> legs;
  for (auto& [place, hops] : places) {
    std::ranges::sort(hops);
    LegDraft& leg = legs.emplace_back(LegDraft{.hops = {}, .unit = unit});
    for (auto same = hops.begin(); same != hops.end();) {
      const auto next = std::upper_bound(same, hops.end(), *same);
      leg.hops.push_back(*same);
      leg.hops.back().times = static_cast<int>(next - same);
      same = next;
    }
  }
  return legs;
}

}  // namespace

Round round_of(const Cluster& cluster, std::vector<std::vector<Hop>> messages, double unit,
               Detail detail) {
  Round round{.legs = {}, .messages = static_cast<double>(messages.size())};
  if (detail == Detail::folded) {
    round.legs = folded(cluster, messages, unit);
    return round;
  }
  for (std::vector<Hop>& message : messages) {
    round.legs.push_back({.hops = std::move(message), .unit = unit});
  }
  return round;
}

Round ring_step(const Cluster& cluster, const std::vector<std::vector<int>>& groups, double unit,
                Detail detail) {
  std::vector<Lane> lanes;
  std::vector<int> ranks;
  for (const std::vector<int>& group : groups) {
    for (Lane& lane : Rings(cluster, group).lanes()) lanes.push_back(std::move(lane));
    ranks.insert(ranks.end(), group.begin(), group.end());
  }
  std::ranges::sort(ranks);
  const double parts = static_cast<double>(cluster.collectives.channels);
  Round round{.legs = {}, .messages = hop_count(lanes)};
  if (detail == Detail::folded) {
    round.legs = fold_lanes(cluster, ranks, lanes);
    // A group's lanes together carry all that a rank sends.
    for (LegDraft& leg : round.legs) leg.unit *= unit * static_cast<double>(groups.size());
    return round;
  }
  for (const Lane& lane : lanes) {
    for (const Hop& hop : lane.hops) {
      round.legs.push_back({.hops = {hop},
                            .unit = unit * lane.weight / parts,
                            .channels = static_cast<double>(lane.weight)});
    }
  }
  return round;
}

Round pairs_of(const Topology& topology, const std::vector<std::vector<int>>& groups, double unit,
               Detail detail) {
  Round round;
  // Legs of the groups at equal places become one: they have the same classes of peers.
  using Kind = std::tuple<int, double, double, std::size_t>;
  std::map<Kind, LegDraft> alike;
  for (const std::vector<int>& group : groups) {
    const auto size = static_cast<double>(group.size());
    round.messages += size * (size - 1);
    std::vector<LegDraft> legs =
        detail == Detail::folded ? fold_all_to_all(topology, group) : list_pairs(topology, group);
    for (std::size_t i = 0; i < legs.size(); ++i) {
      LegDraft& leg = legs[i];
      leg.unit *= unit;
      if (detail == Detail::step_by_step) {
        round.legs.push_back(std::move(leg));
        continue;
      }
      const int place = node_of(topology.cluster(), leg.hops.front().source) / kNodesOfLeg;
      const auto [it, added] = alike.try_emplace({place, leg.unit, leg.channels, i}, leg);
      if (!added) it->second.hops.insert(it->second.hops.end(), leg.hops.begin(), leg.hops.end());
    }
  }
  for (auto& [kind, leg] : alike) round.legs.push_back(std::move(leg));
  return round;
}

std::vector<std::vector<int>> inside_nodes(const Cluster& cluster, const std::vector<int>& ranks) {
  std::vector<std::vector<int>> nodes;
  for (const int rank : ranks) {
    if (nodes.empty() || node_of(cluster, nodes.back().front()) != node_of(cluster, rank)) {
      nodes.emplace_back();
    }
    nodes.back().push_back(rank);
  }
  return nodes;
}

std::vector<std::vector<int>> between_nodes(const Cluster& cluster, const std::vector<int>& ranks) {
  const auto nodes = inside_nodes(cluster, ranks);
  std::vector<std::vector<int>> places(nodes.front().size());
  for (const std::vector<int>& members : nodes) {
    if (members.size() != places.size()) return {};
    for (std::size_t place = 0; place < places.size(); ++place) {
      places[place].push_back(members[place]);
    }
  }
  return places;
}

}  // namespace sim
