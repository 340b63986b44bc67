// SPDX-License-Identifier: Apache-2.0
// All NICs of `nodes_per_leaf` nodes on one leaf switch; leaves joined by spines.
#include "sim/topology/fabrics/trees.hpp"

namespace sim::fabrics {
namespace {

void build_two_levels(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                      Graph& graph) {
  const Leaves leaves = add_leaves(network, nic_rate, nics, graph);
  attach_to_core(leaves.switches, leaves.uplinks, graph);
}

FabricParts parts_of_two_levels(const Network& network, const FabricSize& size) {
  FabricParts parts;
  const LeafTier leaves = leaf_tier(network, size);
  add_leaf_tier(size, leaves, parts);
  if (leaves.count > 1) add_core(size, units_of(leaves, size), parts);
  return parts;
}

}  // namespace

constinit const NetworkFabric fat_tree_2level{.name = "fat_tree_2level",
                                              .keys = kLeafKeys,
                                              .build = build_two_levels,
                                              .tapered_units = tapered_leaves,
                                              .units = leaves_of,
                                              .parts = parts_of_two_levels};

}  // namespace sim::fabrics
