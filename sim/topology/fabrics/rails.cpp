// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabrics/rails.hpp"

namespace sim::fabrics {

void build_rails(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                 Graph& graph) {
  const int rails = network.nics_per_node;
  const int leaves = blocks(node_count(network, nics), network.nodes_per_leaf) * rails;
  const Ports ports = add_nic_ports(nic_rate, nics, graph);
  const std::vector<VertexId> switches = graph.add_vertices(leaves);
  for (LinkId nic = 0; nic < nics.size(); ++nic) {
    const int group = static_cast<int>(nic) / rails / network.nodes_per_leaf;
    const int leaf = group * rails + static_cast<int>(nic) % rails;
    graph.attach(nics[nic], switches[static_cast<std::size_t>(leaf)], ports.up + nic,
                 ports.down + nic);
  }
  const Level level{.up = "leaf_up",
                    .down = "leaf_down",
                    .set_by = "network.oversubscription",
                    .switches = leaves,
                    .capacity = nic_rate * (network.nodes_per_leaf / network.oversubscription),
                    .oversubscription = network.oversubscription,
                    .uplink = uplink_rate(network, nic_rate)};
  attach_to_core(switches, add_uplinks(network, level, graph), graph);
}

FabricParts parts_of_rails(const Network& network, const FabricSize& size, bool has_spines) {
  FabricParts parts;
  const std::int64_t groups = blocks(size.nodes, network.nodes_per_leaf);
  const std::int64_t rails = network.nics_per_node;
  const double up = network.nodes_per_leaf / network.oversubscription;
  const LeafTier leaves{.count = groups * rails,
                        .down = network.nodes_per_leaf,
                        .up = has_spines ? uplinks_for(network, up) : 0,
                        .nics = size.nodes * rails,
                        .unit_nodes = network.nodes_per_leaf};
  add_leaf_tier(size, leaves, parts);
  if (has_spines) add_core(size, units_of(leaves, size), parts);
  return parts;
}

}  // namespace sim::fabrics
