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
    hop.times = times;
    const auto source = static_cast<std::size_t>(hop.source - lowest_source_);
    if (source >= sent_.size()) sent_.resize(source + 1);
    for (Hop& one : sent_[source]) {
      if (one.way() != hop.way()) continue;
      one.times += times;
      return;
    }
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

}  // namespace

int parts_of(const std::vector<Lane>& lanes) {
  int parts = 0;
  for (const Lane& lane : lanes) parts += lane.weight;
  return parts;
}

std::vector<LegDraft> fold_rings(const Cluster& cluster, const std::vector<int>& ranks,
                                 const Rings& rings) {
  if (!lie_evenly(cluster, ranks)) return fold_lanes(cluster, ranks, rings.lanes());
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
    take_legs(cluster, cluster.collectives.channels, shares, legs);
  }
  return legs;
}

std::vector<LegDraft> fold_lanes(const Cluster& cluster, const std::vector<int>& ranks,
                                 const std::vector<Lane>& lanes, const std::vector<Hop>& of_all) {
  const bool together = lie_evenly(cluster, ranks);
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
