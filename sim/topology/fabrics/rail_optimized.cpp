// SPDX-License-Identifier: Apache-2.0
// Rails whose messages stay on them: first over NVLink to a GPU with the receiver's NIC. Spines join
// the groups of nodes.
#include "sim/topology/fabrics/rails.hpp"

namespace sim::fabrics {
namespace {

// Messages stay on their rails, so that a single group of leaves needs no spines.
FabricParts parts_of_relayed_rails(const Network& network, const FabricSize& size) {
  return parts_of_rails(network, size, blocks(size.nodes, network.nodes_per_leaf) > 1);
}

}  // namespace

constinit const NetworkFabric rail_optimized{.name = "rail_optimized",
                                             .keys = kLeafKeys,
                                             .rails = true,
                                             .relays = true,
                                             .build = build_rails,
                                             .tapered_units = tapered_leaves,
                                             .units = leaves_of,
                                             .parts = parts_of_relayed_rails};

}  // namespace sim::fabrics
