// SPDX-License-Identifier: Apache-2.0
// Legs of collectives before they become part of a schedule: which hops progress together as one
// flow. Pure functions of the cluster and the ranks; communicator.cpp turns legs into routes.
#pragma once

#include <vector>

#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/channels.hpp"
#include "sim/topology/topology.hpp"

namespace sim {

// `weight` equal parts of a collective's traffic, each with the same share of the buffer: a channel's
// ring, or one of its two trees. Its hops progress together, as it is as fast as its slowest hop.
struct Lane {
  std::vector<Hop> hops;
  int weight = 1;
};

// Most nodes whose hops one leg joins. SimGrid's work at the end of a flow grows with the number of
// running flows, and its work on a route faster than with the route's links; 8 nodes are the
// cheapest compromise.
inline constexpr int kNodesOfLeg = 8;

// Distinct rings over `ranks` (ascending), their weights summing to the cluster's channels. A ring crosses
// between nodes on a NIC and visits the group's GPUs of a node over NVLink:
//
//   node 0                    node 1
//   GPU0 ─► GPU1 ─► GPU2 ─NIC─► GPU0 ─► GPU1 ─► GPU2 ─NIC─► node 0
//
// Cluster and ranks must outlive them.
class Rings {
 public:
  Rings(const Cluster& cluster, const std::vector<int>& ranks);

  [[nodiscard]] std::size_t size() const { return rings_.size(); }
  [[nodiscard]] int weight(std::size_t ring) const { return rings_[ring].weight; }
  [[nodiscard]] std::size_t nodes() const { return channels_.nodes(); }
  [[nodiscard]] int node(std::size_t n) const { return node_of(cluster_, channels_.rank(n, 0)); }
  // Appends the hops that leave the ranks of the n-th node, in the ring's order.
  void append(std::size_t ring, std::size_t n, std::vector<Hop>& hops) const;
  // All hops of each.
  [[nodiscard]] std::vector<Lane> lanes() const;

 private:
  struct Ring {
    std::size_t channel = 0;  // the first of those that are the same
    int weight = 0;
  };
  const Cluster& cluster_;
  Channels channels_;
  std::vector<Ring> rings_;
};

[[nodiscard]] int parts_of(const std::vector<Lane>& lanes);
// One leg per few nodes: the hops that leave their GPUs, of all lanes, or of each lane if nodes
// differ. `unit` is per byte that passes each hop of all lanes together. Hops `of_all` are in each lane.
[[nodiscard]] std::vector<LegDraft> fold_lanes(const Cluster& cluster,
                                               const std::vector<int>& ranks,
                                               const std::vector<Lane>& lanes,
                                               const std::vector<Hop>& of_all = {});
// The same of rings, whose hops are never there all at once where nodes lie evenly.
[[nodiscard]] std::vector<LegDraft> fold_rings(const Cluster& cluster,
                                               const std::vector<int>& ranks, const Rings& rings);

// A few legs per node, one for each class of peers at equal distance: a class sends to one partner
// node, chosen by a permutation inside the class. Its hops have as many channels as the class has
// peers, so that max-min sharing lets the classes progress in proportion, as all pairs at once
// would:
//
//   node 0 ──3 channels──► node 1   for its 3 peers on the same leaf
//   node 0 ──12 channels─► node 4   for its 12 peers on other leaves, over both leaves' uplinks
//
// `unit` is per byte that each rank sends to each other rank.
[[nodiscard]] std::vector<LegDraft> fold_all_to_all(const Topology& topology,
                                                    const std::vector<int>& ranks);
// One leg for each ordered pair.
[[nodiscard]] std::vector<LegDraft> list_pairs(const Topology& topology,
                                               const std::vector<int>& ranks);

}  // namespace sim
