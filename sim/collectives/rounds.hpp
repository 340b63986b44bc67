// SPDX-License-Identifier: Apache-2.0
// Collectives in rounds: all messages of a round go at once, and a rank takes part in the next one
// when what it sends and what it receives has arrived. Algorithms whose ranks do the same in each
// round are lists of rounds; this lays them out, estimates them and runs them, folded and step by
// step.
#pragma once

#include <utility>
#include <vector>

#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/protocols.hpp"

namespace sim {

struct Round {
  // Of the detail that is asked for: folded, or a leg for each message. `unit` is per byte of the
  // collective.
  std::vector<LegDraft> legs;
  double times = 1;     // that it is repeated, one after the other
  double messages = 0;  // of all ranks together, each time
  // Links that the first byte crosses one after the other, each for the mean latency of the legs'
  // hops; 1: a message for itself, which takes that of its farthest hop.
  double depth = 1;
  double chunk = 0;  // bytes that each of these but the first holds before it passes them on
};
using Rounds = std::vector<Round>;

// What rounds take beside their links.
struct RoundCosts {
  Paces paces;
  double latency_share = 1;        // of a link's latency that each round takes
  double bandwidth_share = 1;      // of a protocol's bandwidth
  double before_s = 0;             // beside the launch
  double least_s = 0;              // of the whole, whatever its size
  double own_copy_s_per_byte = 0;  // of the collective, out of place
  bool holds_multiprocessors = true;
};

// The messages as legs of their own, or folded: one leg for a few nodes whose messages take the same
// kinds of links. `unit` is of each message.
[[nodiscard]] Round round_of(const Cluster& cluster, std::vector<std::vector<Hop>> messages,
                             double unit, Detail detail);
// One step of the rings of groups that do not share a rank; `unit` is what a rank sends in the step.
[[nodiscard]] Round ring_step(const Cluster& cluster, const std::vector<std::vector<int>>& groups,
                              double unit, Detail detail);
// All pairs of each group at once.
[[nodiscard]] Round pairs_of(const Topology& topology, const std::vector<std::vector<int>>& groups,
                             double unit, Detail detail);

// The ranks by node, and by place in their nodes.
[[nodiscard]] std::vector<std::vector<int>> inside_nodes(const Cluster& cluster,
                                                         const std::vector<int>& ranks);
// Nothing unless every node has as many of the ranks.
[[nodiscard]] std::vector<std::vector<int>> between_nodes(const Cluster& cluster,
                                                          const std::vector<int>& ranks);

[[nodiscard]] LaidOut lay_out_rounds(const Topology& topology, Detail detail,
                                     std::vector<std::pair<CollectiveKind, Rounds>> collectives,
                                     const RoundCosts& costs);

}  // namespace sim
