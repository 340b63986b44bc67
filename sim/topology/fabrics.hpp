// SPDX-License-Identifier: Apache-2.0
// Fabrics: what joins the GPUs of a node, and what joins the NICs of all nodes. Each is a row, with a
// file of its own in sim/topology/fabrics. A new one needs a line in fabrics.cpp and nothing else,
// if the keys of [network] suffice for it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/topology/cluster.hpp"
#include "sim/topology/fabric_parts.hpp"
#include "sim/topology/graph.hpp"

namespace sim {

// The links between the GPUs of a node (nvlink.kind).
struct NvlinkFabric {
  std::string_view name;
  // Whether each pair of GPUs has links of its own. Otherwise each GPU has one port, and the order
  // in which a ring visits the GPUs does not matter.
  bool direct = false;
  int most_gpus = 0;  // of a node
  // Whether it has bridges and sockets, which other fabrics may not have. The NICs are on it too, each
  // at the switch of the GPU that uses it.
  bool bridges = false;
  // Adds the links of all nodes. The GPUs are given node by node.
  void (*build)(const Cluster& cluster, std::span<const VertexId> gpus, Graph& graph) = nullptr;
  AppendWay append_way = append_tree_way;
};

struct NicPair {
  VertexId from, to;
  bool detours = false;    // by way of a third group, or router, if the fabric has groups
  std::uint64_t hash = 0;  // of the connection, which chooses among parallel links; 0 without ecmp
};
// Appends the way from a NIC to another one.
using AppendNetworkWay = void (*)(const Network& network, const Graph& graph, const NicPair& nics,
                                  Way& way);
// append_hashed_way().
void append_switched_way(const Network& network, const Graph& graph, const NicPair& nics, Way& way);

// The links between the NICs of all nodes (network.fabric).
struct NetworkFabric {
  std::string_view name;
  // The keys of [network] that it needs and other fabrics may not have.
  std::span<const std::string_view> keys = {};
  // Channels of rings and trees stay on one rail, the NICs of one number (NCCL_CROSS_NIC=0).
  bool rails = false;
  // A message to another rail first goes over NVLink to a GPU with the receiver's NIC (NCCL's PXN).
  bool relays = false;
  // Adds the links of all NICs, those of the NICs included. The NICs are given node by node.
  void (*build)(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                Graph& graph) = nullptr;
  AppendNetworkWay append_way = append_switched_way;
  // Sizes in nodes of the units, innermost first, whose links to the outside can be a bottleneck:
  // units of equal size, each within the next. An all_to_all takes all peers outside the same units
  // as equal, and so becomes a few flows per node. Without this function it is one flow per node,
  // over every link that the node's pairs cross.
  std::vector<int> (*tapered_units)(const Network& network) = nullptr;

  // Sizes in nodes of all its units, innermost first, each within the next: what scattered nodes are
  // dealt to. Without this function it has none.
  std::vector<int> (*units)(const Network& network) = nullptr;
  // The switches and cables that it is built of. Throws InputError for switches too small for it.
  FabricParts (*parts)(const Network& network, const FabricSize& size) = nullptr;

  [[nodiscard]] bool takes(std::string_view key) const;  // "switch_latency"
};

[[nodiscard]] std::span<const NvlinkFabric* const> all_nvlink_fabrics();
[[nodiscard]] std::span<const NetworkFabric* const> all_network_fabrics();

}  // namespace sim
