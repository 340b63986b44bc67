// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabrics.hpp"

#include <algorithm>

namespace sim {
namespace {

constexpr const NvlinkFabric* kNvlinkFabrics[] = {&fabrics::switched, &fabrics::full_mesh,
                                                  &fabrics::pcie};
constexpr const NetworkFabric* kNetworkFabrics[] = {
    &fabrics::single_switch,   &fabrics::rail_optimized,  &fabrics::rail_spine,
    &fabrics::fat_tree_2level, &fabrics::fat_tree_3level, &fabrics::torus,
    &fabrics::dragonfly};

}  // namespace

void append_switched_way(const Network&, const Graph& graph, const NicPair& nics, Way& way) {
  append_hashed_way(graph, nics.from, nics.to, nics.hash, way);
}

bool NetworkFabric::takes(std::string_view key) const {
  return std::ranges::find(keys, key) != keys.end();
}

std::span<const NvlinkFabric* const> all_nvlink_fabrics() { return kNvlinkFabrics; }
std::span<const NetworkFabric* const> all_network_fabrics() { return kNetworkFabrics; }

}  // namespace sim
