// SPDX-License-Identifier: Apache-2.0
// Rails joined by spines, which messages between rails cross, as those between groups of nodes do:
// NCCL without PXN, nodes without NVLink, other libraries. Rings and trees stay on their rails.
#include "sim/topology/fabrics/rails.hpp"

namespace sim::fabrics {
namespace {

// A single leaf alone needs no spine.
FabricParts parts_of_joined_rails(const Network& network, const FabricSize& size) {
  const bool several = network.nics_per_node > 1 || size.nodes > network.nodes_per_leaf;
  return parts_of_rails(network, size, several);
}

}  // namespace

constinit const NetworkFabric rail_spine{.name = "rail_spine",
                                         .keys = kLeafKeys,
                                         .rails = true,
                                         .build = build_rails,
                                         .tapered_units = tapered_leaves,
                                         .units = leaves_of,
                                         .parts = parts_of_joined_rails};

}  // namespace sim::fabrics
