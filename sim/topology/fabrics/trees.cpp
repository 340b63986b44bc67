// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabrics/trees.hpp"

#include <utility>

namespace sim::fabrics {

Ports add_nic_ports(Bandwidth nic_rate, std::span<const VertexId> nics, Graph& graph) {
  const auto add = [&](const char* kind) {
    return graph.add_links(kind, "network.nic_bandwidth", static_cast<int>(nics.size()), nic_rate);
  };
  const LinkId out = add("nic_out");
  return {out, add("nic_in")};
}

Ports add_uplinks(const char* up, const char* down, const char* set_by, int count,
                  Bandwidth capacity, bool oversubscribed, Graph& graph) {
  if (!oversubscribed) return {};
  const LinkId first = graph.add_links(up, set_by, count, capacity);
  return {first, graph.add_links(down, set_by, count, capacity)};
}

void attach_in_order(std::span<const VertexId> below, std::span<const VertexId> switches,
                     int per_switch, const Ports& ports, Graph& graph) {
  const auto numbered = [](LinkId first, LinkId number) {
    return first == kNoLimit ? kNoLimit : first + number;
  };
  for (LinkId i = 0; i < below.size(); ++i) {
    graph.attach(below[i], switches[i / static_cast<std::size_t>(per_switch)],
                 numbered(ports.up, i), numbered(ports.down, i));
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
  return {std::move(leaves), add_uplinks("leaf_up", "leaf_down", "network.oversubscription", count,
                                         nic_rate * (nics_per_leaf / network.oversubscription),
                                         network.oversubscription > 1, graph)};
}

std::vector<int> leaves_of(const Network& network) { return {network.nodes_per_leaf}; }

LeafTier leaf_tier(const Network& network, const FabricSize& size) {
  const int nics_per_leaf = network.nodes_per_leaf * network.nics_per_node;
  LeafTier tier{.count = blocks(size.nodes, network.nodes_per_leaf),
                .down = nics_per_leaf,
                .nics = static_cast<std::int64_t>(size.nodes) * network.nics_per_node,
                .unit_nodes = network.nodes_per_leaf};
  if (tier.count > 1) tier.up = rounded_up(nics_per_leaf / network.oversubscription);
  return tier;
}

std::vector<int> tapered_leaves(const Network& network) {
  return network.oversubscription > 1 ? leaves_of(network) : std::vector<int>{};
}

}  // namespace sim::fabrics
