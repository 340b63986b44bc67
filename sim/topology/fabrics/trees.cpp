// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabrics/trees.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sim::fabrics {

Ports add_nic_ports(Bandwidth nic_rate, std::span<const VertexId> nics, Graph& graph) {
  const auto add = [&](const char* kind, LinkRole role) {
    const auto count = static_cast<int>(nics.size());
    return graph.add_links(kind, "network.nic_bandwidth", count, nic_rate, role);
  };
  const LinkId out = add("nic_out", LinkRole::nic_out);
  return {out, add("nic_in", LinkRole::nic_in)};
}

bool is_tapered(const Network& network, double oversubscription) {
  return oversubscription > 1 || network.uplink_efficiency < 1;
}

Bandwidth uplink_rate(const Network& network, Bandwidth nic_rate) {
  return nic_rate * (network.uplink_bandwidth / network.nic_bandwidth);
}

Ports add_uplinks(const Network& network, const Level& level, Graph& graph) {
  const bool hashed = network.load_balance == LoadBalance::ecmp;
  if (!hashed && !is_tapered(network, level.oversubscription)) return {};
  int lanes = 1;
  if (hashed) {
    const double links = level.capacity / level.uplink;
    lanes = level.lanes * std::max(1, static_cast<int>(std::lround(links / level.lanes)));
  }
  const Bandwidth rate = level.capacity * (network.uplink_efficiency / lanes);
  const int count = level.switches * lanes;
  const LinkId first = graph.add_links(level.up, level.set_by, count, rate);
  return {first, graph.add_links(level.down, level.set_by, count, rate), lanes};
}

void attach_in_order(std::span<const VertexId> below, std::span<const VertexId> switches,
                     int per_switch, const Ports& ports, Graph& graph) {
  const auto numbered = [](LinkId first, LinkId number) {
    return first == kNoLimit ? kNoLimit : first + number;
  };
  for (LinkId i = 0; i < below.size(); ++i) {
    const LinkId number = i * static_cast<LinkId>(ports.lanes);
    graph.attach(below[i], switches[i / static_cast<std::size_t>(per_switch)],
                 numbered(ports.up, number), numbered(ports.down, number), ports.lanes);
  }
}

void attach_to_core(std::span<const VertexId> below, const Ports& ports, Graph& graph) {
  const VertexId core = graph.add_vertex();
  attach_in_order(below, {&core, 1}, static_cast<int>(below.size()), ports, graph);
}

int node_count(const Network& network, std::span<const VertexId> nics) {
  return static_cast<int>(nics.size()) / network.nics_per_node;
}

int blocks(int nodes, int per_block) { return (nodes + per_block - 1) / per_block; }

Leaves add_leaves(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                  Graph& graph) {
  const int nics_per_leaf = network.nodes_per_leaf * network.nics_per_node;
  const int count = blocks(node_count(network, nics), network.nodes_per_leaf);
  std::vector<VertexId> leaves = graph.add_vertices(count);
  attach_in_order(nics, leaves, nics_per_leaf, add_nic_ports(nic_rate, nics, graph), graph);
  const Level level{.up = "leaf_up",
                    .down = "leaf_down",
                    .set_by = "network.oversubscription",
                    .switches = count,
                    .capacity = nic_rate * (nics_per_leaf / network.oversubscription),
                    .oversubscription = network.oversubscription,
                    .uplink = uplink_rate(network, nic_rate)};
  return {std::move(leaves), add_uplinks(network, level, graph)};
}

std::vector<int> leaves_of(const Network& network) { return {network.nodes_per_leaf}; }

std::int64_t uplinks_for(const Network& network, double nics) {
  return rounded_up(nics * (network.nic_bandwidth / network.uplink_bandwidth));
}

LeafTier leaf_tier(const Network& network, const FabricSize& size) {
  const int nics_per_leaf = network.nodes_per_leaf * network.nics_per_node;
  LeafTier tier{.count = blocks(size.nodes, network.nodes_per_leaf),
                .down = nics_per_leaf,
                .nics = static_cast<std::int64_t>(size.nodes) * network.nics_per_node,
                .unit_nodes = network.nodes_per_leaf};
  if (tier.count > 1) tier.up = uplinks_for(network, nics_per_leaf / network.oversubscription);
  return tier;
}

CoreUnits units_of(const LeafTier& leaves, const FabricSize& size) {
  const std::int64_t uplinks = leaves.count * leaves.up;
  return {.count = leaves.count, .ports = uplinks, .cables = uplinks, .nodes = size.nodes};
}

std::vector<int> tapered_leaves(const Network& network) {
  return is_tapered(network, network.oversubscription) ? leaves_of(network) : std::vector<int>{};
}

}  // namespace sim::fabrics
