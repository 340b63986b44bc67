// Legs of collectives before they are part of a schedule: which hops progress together as one flow.
// Pure functions of the cluster and the ranks; communicator.cpp turns them into routes.
#pragma once

#include <vector>

#include "sim/cluster/fabric.hpp"

namespace sim {

// `weight` equal rings; hops[i] leaves the i-th rank of the order in which the ring visits them.
struct Ring {
  std::vector<Hop> hops;
  int weight = 1;
};

// Nodes whose hops one leg may join. SimGrid's work at the end of a flow grows with the flows under
// way, and its work on a route faster than the route's links; between the two, 8 are cheapest.
inline constexpr int kNodesOfLeg = 8;

// Hops that progress together.
struct LegDraft {
  std::vector<Hop> hops = {};
  double unit = 1;      // bytes of each share for each byte of the collective
  double channels = 1;  // of each share: Route::channels
};

// Distinct rings over `ranks` (ascending), their weights summing to the cluster's channels.
[[nodiscard]] std::vector<Ring> ring_channels(const Cluster& cluster,
                                              const std::vector<int>& ranks);

// Whether as many of the ranks, behind as many NICs, are on each node. Else rings differ, and pairs.
[[nodiscard]] bool lie_evenly(const Cluster& cluster, const std::vector<int>& ranks);

// One leg for a few nodes: the hops that leave their GPUs, which progress together because a ring is
// as fast as its slowest hop: of all rings, or of each where they differ. `unit` is per byte that a
// rank sends.
[[nodiscard]] std::vector<LegDraft> fold_rings(const Cluster& cluster,
                                               const std::vector<int>& ranks,
                                               const std::vector<Ring>& rings);

// Few legs a node, one for each class of peers that are equally far: a class goes to one partner
// node, which a permutation inside the class chooses. Its hops have as many channels as the class
// has peers, so that max-min sharing lets the classes progress in proportion, as all pairs at once
// do:
//
//   node 0 ──3 channels──► node 1   for its 3 peers on the same leaf
//   node 0 ──12 channels─► node 4   for its 12 peers on other leaves, over both leaves' uplinks
//
// `unit` is per byte that each rank sends to each other rank.
[[nodiscard]] std::vector<LegDraft> fold_all_to_all(const Cluster& cluster,
                                                    const std::vector<int>& ranks);
// One leg for each ordered pair.
[[nodiscard]] std::vector<LegDraft> list_pairs(const Cluster& cluster,
                                               const std::vector<int>& ranks);

}  // namespace sim
