// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/legs.hpp"

namespace sim {
namespace {

// How often lanes take each hop. A rank sends a few, which are found faster than in a table by hash.
class Shares {
 public:
  explicit Shares(int lowest_source = 0) : lowest_source_(lowest_source) {}
  // Of none that were added.
  void begin(int lowest_source) { lowest_source_ = lowest_source; }

  void add(Hop hop, int times) {
    const auto source = static_cast<std::size_t>(hop.source - lowest_source_);
    if (source >= sent_.size()) sent_.resize(source + 1);
    for (Hop& one : sent_[source]) {
      hop.times = one.times;
      if (one != hop) continue;
      one.times += times;
      return;
    }
    hop.times = times;
    sent_[source].push_back(hop);
  }

  // Gives all of them, each with its `times`, and forgets them.
  template <class Function>
  void take(Function function) {
    for (std::vector<Hop>& of_rank : sent_) {
      std::ranges::for_each(of_rank, function);
      of_rank.clear();
    }
  }

 private:
  int lowest_source_;
  std::vector<std::vector<Hop>> sent_;  // by source, from the lowest on
};

int place_of(const Cluster& cluster, const Hop& hop) {
  return node_of(cluster, hop.source) / kNodesOfLeg;
}

// Legs of all that has been added, by the place of their nodes.
void take_legs(const Cluster& cluster, double parts, Shares& shares, std::vector<LegDraft>& legs) {
  std::map<int, std::vector<Hop>> by_place;
  shares.take([&](const Hop& hop) { by_place[place_of(cluster, hop)].push_back(hop); });
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

bool are_in_order(const Cluster& cluster, const std::vector<Lane>& lanes) {
  return std::ranges::all_of(lanes, [&](const Lane& lane) {
    return std::ranges::is_sorted(lane.hops, {},
                                  [&](const Hop& hop) { return place_of(cluster, hop); });
  });
}

// Of lanes whose hops are in order: one place after the other, so that few shares are held at a time.
std::vector<LegDraft> fold_in_order(const Cluster& cluster, const std::vector<int>& ranks,
                                    const std::vector<Lane>& lanes) {
  const double parts = parts_of(lanes);
  const int ranks_of_leg = kNodesOfLeg * cluster.gpus_per_node;
  std::vector<std::size_t> next(lanes.size());  // hop of each lane
  std::vector<LegDraft> legs;
  Shares shares;
  for (int place = ranks.front() / ranks_of_leg; place <= ranks.back() / ranks_of_leg; ++place) {
    shares.begin(place * ranks_of_leg);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto& [hops, weight] = lanes[i];
      for (; next[i] < hops.size() && place_of(cluster, hops[next[i]]) == place; ++next[i]) {
        shares.add(hops[next[i]], weight);
      }
    }
    take_legs(cluster, parts, shares, legs);
  }
  return legs;
}

}  // namespace

int parts_of(const std::vector<Lane>& lanes) {
  int parts = 0;
  for (const Lane& lane : lanes) parts += lane.weight;
  return parts;
}

std::vector<LegDraft> fold_rings(const Cluster& cluster, const std::vector<int>& ranks,
                                 const Rings& rings) {
  if (!lie_evenly(cluster, ranks)) return fold_lanes(cluster, ranks, rings.lanes());
  double parts = 0;
  for (std::size_t ring = 0; ring < rings.size(); ++ring) parts += rings.weight(ring);
  std::vector<LegDraft> legs;
  Shares shares;
  std::vector<Hop> hops;
  for (std::size_t node = 0; node < rings.nodes();) {
    const int place = rings.node(node) / kNodesOfLeg;
    shares.begin(place * kNodesOfLeg * cluster.gpus_per_node);
    for (; node < rings.nodes() && rings.node(node) / kNodesOfLeg == place; ++node) {
      for (std::size_t ring = 0; ring < rings.size(); ++ring) {
        hops.clear();
        rings.append(ring, node, hops);
        for (const Hop& hop : hops) shares.add(hop, rings.weight(ring));
      }
    }
    take_legs(cluster, parts, shares, legs);
  }
  return legs;
}

std::vector<LegDraft> fold_lanes(const Cluster& cluster, const std::vector<int>& ranks,
                                 const std::vector<Lane>& lanes, const std::vector<Hop>& of_all) {
  const bool together = lie_evenly(cluster, ranks);
  if (together && of_all.empty() && are_in_order(cluster, lanes)) {
    return fold_in_order(cluster, ranks, lanes);
  }
  std::vector<LegDraft> legs;
  Shares shares(ranks.front());
  for (const Lane& lane : lanes) {
    for (const Hop& hop : lane.hops) shares.add(hop, lane.weight);
    if (together && &lane != &lanes.back()) continue;
    for (const Hop& hop : of_all) shares.add(hop, together ? parts_of(lanes) : lane.weight);
    take_legs(cluster, parts_of(lanes), shares, legs);
  }
  return legs;
}

}  // namespace sim
