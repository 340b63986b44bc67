// SPDX-License-Identifier: Apache-2.0
// Every NIC on one non-blocking switch.
#include <algorithm>

#include "sim/topology/fabrics/trees.hpp"

namespace sim::fabrics {
namespace {

void build_single_switch(const Network&, Bandwidth nic_rate, std::span<const VertexId> nics,
                         Graph& graph) {
  attach_to_core(nics, add_nic_ports(nic_rate, nics, graph), graph);
}

// One switch, or the smallest non-blocking tree that stands in for it.
FabricParts parts_of_single_switch(const Network& network, const FabricSize& size) {
  FabricParts parts;
  const std::int64_t nics = static_cast<std::int64_t>(size.nodes) * network.nics_per_node;
  if (nics <= size.radix) {
    add_leaf_tier(size, {.down = nics, .nics = nics, .unit_nodes = size.nodes}, parts);
    return parts;
  }
  const std::int64_t half = size.radix / 2;
  const std::int64_t leaves = (nics + half - 1) / half;
  const std::int64_t nodes = std::max<std::int64_t>(1, half / network.nics_per_node);
  add_leaf_tier(size, {leaves, half, half, nics, nodes}, parts);
  add_core(size, {.count = leaves, .ports = nics, .cables = nics, .nodes = size.nodes}, parts);
  return parts;
}

}  // namespace

constinit const NetworkFabric single_switch{
    .name = "single_switch",
    .build = build_single_switch,
    .tapered_units = [](const Network&) { return std::vector<int>{}; },
    .parts = parts_of_single_switch};

}  // namespace sim::fabrics
