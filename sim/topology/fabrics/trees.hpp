// SPDX-License-Identifier: Apache-2.0
// What the fabrics that are trees of switches share.
#pragma once

#include <array>

#include "sim/topology/fabrics.hpp"

namespace sim::fabrics {

inline constexpr std::array<std::string_view, 8> kLeafKeys{
    "switch_latency",   "nodes_per_leaf",    "oversubscription", "load_balance",
    "uplink_bandwidth", "uplink_efficiency", "queue_pairs",      "ecmp_seed"};

// Links from and to vertices that come to lie under switches.
struct Ports {
  LinkId up = kNoLimit, down = kNoLimit;  // the first ones; the others follow
  int lanes = 1;                          // of each vertex
};

// The links of NICs: "nic_out_0" and "nic_in_0" and so on.
[[nodiscard]] Ports add_nic_ports(Bandwidth nic_rate, std::span<const VertexId> nics, Graph& graph);
// Switches of one kind, and what they have towards the next level.
struct Level {
  const char *up, *down;  // kinds of their links
  const char* set_by;
  int switches = 0;
  Bandwidth capacity;  // of each, up and down
  double oversubscription = 1;
  Bandwidth uplink;  // of one link, where they are told apart
  int lanes = 1;     // of the level below
};
// The links of switches towards the next level, "leaf_up_0" and "leaf_down_0" and so on: one for each,
// or where a hash chooses among them as many as have its capacity, a whole number on each switch
// behind a lane of the level below. None if they cannot be a bottleneck.
[[nodiscard]] Ports add_uplinks(const Network& network, const Level& level, Graph& graph);
// Whether all links of a switch towards the next level, taken as one, can be a bottleneck.
[[nodiscard]] bool is_tapered(const Network& network, double oversubscription);
[[nodiscard]] Bandwidth uplink_rate(const Network& network, Bandwidth nic_rate);
// Puts as many vertices as fit under each of the switches, in order.
void attach_in_order(std::span<const VertexId> below, std::span<const VertexId> switches,
                     int per_switch, const Ports& ports, Graph& graph);
// Puts all vertices under one more switch.
void attach_to_core(std::span<const VertexId> below, const Ports& ports, Graph& graph);

[[nodiscard]] int node_count(const Network& network, std::span<const VertexId> nics);
[[nodiscard]] int blocks(int nodes, int per_block);  // rounded up

// The leaves of fat trees, all NICs of `nodes_per_leaf` nodes under one, and their uplinks.
struct Leaves {
  std::vector<VertexId> switches;
  Ports uplinks;
};
[[nodiscard]] Leaves add_leaves(const Network& network, Bandwidth nic_rate,
                                std::span<const VertexId> nics, Graph& graph);
[[nodiscard]] std::vector<int> leaves_of(const Network& network);
// Those that carry as much as so many NICs, rounded up.
[[nodiscard]] std::int64_t uplinks_for(const Network& network, double nics);
// The same leaves as switches, with their uplinks where there are several.
[[nodiscard]] LeafTier leaf_tier(const Network& network, const FabricSize& size);
// What joins several such leaves.
[[nodiscard]] CoreUnits units_of(const LeafTier& leaves, const FabricSize& size);
// The leaf, if its uplinks can be a bottleneck.
[[nodiscard]] std::vector<int> tapered_leaves(const Network& network);

}  // namespace sim::fabrics
