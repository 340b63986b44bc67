// SPDX-License-Identifier: Apache-2.0
// Pods of `leaves_per_pod` leaves, each leaf as in fat_tree_2level; pods joined by core switches.
#include <algorithm>

#include "sim/topology/fabrics/trees.hpp"

namespace sim::fabrics {
namespace {

constexpr auto kPodKeys = [] {
  std::array<std::string_view, kLeafKeys.size() + 2> keys{"leaves_per_pod", "pod_oversubscription"};
  std::ranges::copy(kLeafKeys, keys.begin() + 2);
  return keys;
}();

// A pod with places for more nodes than there can be holds all.
int nodes_per_pod(const Network& network) {
  constexpr std::int64_t kAll = 1 << 30;
  return static_cast<int>(
      std::min(kAll, std::int64_t{network.nodes_per_leaf} * network.leaves_per_pod));
}

void build_three_levels(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                        Graph& graph) {
  const Leaves leaves = add_leaves(network, nic_rate, nics, graph);
  const int pods = blocks(node_count(network, nics), nodes_per_pod(network));
  const std::vector<VertexId> spines = graph.add_vertices(pods);
  attach_in_order(leaves.switches, spines, network.leaves_per_pod, leaves.uplinks, graph);
  const Bandwidth capacity = nic_rate * (1.0 * nodes_per_pod(network) * network.nics_per_node /
                                         (network.oversubscription * network.pod_oversubscription));
  const Level level{.up = "pod_up",
                    .down = "pod_down",
                    .set_by = "network.pod_oversubscription",
                    .switches = pods,
                    .capacity = capacity,
                    .oversubscription = network.pod_oversubscription,
                    .uplink = uplink_rate(network, nic_rate),
                    .lanes = leaves.uplinks.lanes};
  attach_to_core(spines, add_uplinks(network, level, graph), graph);
}

std::vector<int> tapered_pods(const Network& network) {
  std::vector<int> units = tapered_leaves(network);
  if (is_tapered(network, network.pod_oversubscription)) units.push_back(nodes_per_pod(network));
  return units;
}

std::vector<int> leaves_and_pods(const Network& network) {
  return {network.nodes_per_leaf, nodes_per_pod(network)};
}

FabricParts parts_of_three_levels(const Network& network, const FabricSize& size) {
  FabricParts parts;
  const LeafTier leaves = leaf_tier(network, size);
  add_leaf_tier(size, leaves, parts);
  if (leaves.count == 1) return parts;
  const std::int64_t pods = blocks(size.nodes, nodes_per_pod(network));
  const std::int64_t in_pod = std::min<std::int64_t>(leaves.count, network.leaves_per_pod);
  const std::int64_t down = in_pod * leaves.up;
  const std::int64_t up =
      pods == 1 ? 0 : rounded_up(static_cast<double>(down) / network.pod_oversubscription);
  const std::string top = add_core(size,
                                   {.count = in_pod,
                                    .ports = down,
                                    .cables = leaves.count * leaves.up,
                                    .nodes = nodes_per_pod(network),
                                    .in_pod = true,
                                    .copies = pods,
                                    .up = up},
                                   parts);
  const std::int64_t out = pods * up;
  if (pods > 1) {
    add_core(size, {.name = top, .count = pods, .ports = out, .cables = out, .nodes = size.nodes},
             parts);
  }
  return parts;
}

}  // namespace

constinit const NetworkFabric fat_tree_3level{.name = "fat_tree_3level",
                                              .keys = kPodKeys,
                                              .build = build_three_levels,
                                              .tapered_units = tapered_pods,
                                              .units = leaves_and_pods,
                                              .parts = parts_of_three_levels};

}  // namespace sim::fabrics
