// SPDX-License-Identifier: Apache-2.0
// What rail-optimised fabrics share: NIC r of `nodes_per_leaf` nodes on leaf switch r of their group,
// and leaves joined by spines.
#pragma once

#include "sim/topology/fabrics/trees.hpp"

namespace sim::fabrics {

void build_rails(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                 Graph& graph);
// With spines or without.
[[nodiscard]] FabricParts parts_of_rails(const Network& network, const FabricSize& size,
                                         bool has_spines);

}  // namespace sim::fabrics
