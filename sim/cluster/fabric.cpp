// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/fabric.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace sim {
namespace {

using Fabric = Network::Fabric;

int nodes_per_pod(const Network& network) {
  return network.nodes_per_leaf * network.leaves_per_pod;
}

int blocks(int nodes, int per_block) { return (nodes + per_block - 1) / per_block; }

}  // namespace

int nic_of(const Cluster& cluster, int rank) {
  return cluster.network.gpu_nic[static_cast<std::size_t>(gpu_of(cluster, rank))];
}

Cluster part_of(Cluster cluster, int nodes, int gpus) {
  require(nodes >= 1 && nodes <= cluster.nodes, "a part of the nodes");
  require(gpus >= 1 && gpus <= cluster.gpus_per_node, "a part of the GPUs of a node");
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus;
  cluster.network.gpu_nic.resize(static_cast<std::size_t>(gpus));
  return cluster;
}

Distance distance(const Cluster& cluster, int a, int b) {
  const Network& network = cluster.network;
  if (a == b) return Distance::node;
  if (network.fabric == Fabric::single_switch) return Distance::leaf;
  if (a / network.nodes_per_leaf == b / network.nodes_per_leaf) return Distance::leaf;
  if (network.fabric != Fabric::fat_tree_3level) return Distance::pod;
  return a / nodes_per_pod(network) == b / nodes_per_pod(network) ? Distance::pod : Distance::core;
}

std::vector<Hop> path_between(const Cluster& cluster, int source, int destination) {
  const int node = node_of(cluster, source);
  if (node == node_of(cluster, destination)) return {{source, destination}};
  const auto nic_in = static_cast<std::int16_t>(nic_of(cluster, destination));
  auto nic_out = static_cast<std::int16_t>(nic_of(cluster, source));
  if (cluster.network.fabric != Fabric::rail_optimized || nic_out == nic_in) {
    return {{source, destination, nic_out, nic_in}};
  }
  for (int gpu = 0; gpu < cluster.gpus_per_node; ++gpu) {
    const int relay = node * cluster.gpus_per_node + gpu;
    if (nic_of(cluster, relay) == nic_in)
      return {{source, relay}, {relay, destination, nic_in, nic_in}};
  }
  return {{source, destination, nic_in, nic_in}};  // no GPU of the node is on that rail
}

Seconds hop_latency(const Cluster& cluster, const Hop& hop) {
  if (!hop.over_network()) return cluster.nvlink.latency;
  const auto far =
      distance(cluster, node_of(cluster, hop.source), node_of(cluster, hop.destination));
  const int further_switches = far == Distance::core ? 4 : far == Distance::pod ? 2 : 0;
  return cluster.network.latency + cluster.network.switch_latency * further_switches;
}

Bandwidth nic_rate(const Cluster& cluster) {
  return cluster.network.nic_bandwidth * cluster.network.efficiency *
         cluster.fitted.network_efficiency.value_or(1);
}

Bandwidth all_nics_rate(const Cluster& cluster) {
  return nic_rate(cluster) * (cluster.nodes * cluster.network.nics_per_node);
}

Bandwidth nvlink_rate(const Cluster& cluster) {
  return cluster.nvlink.bandwidth * cluster.nvlink.efficiency;
}

Links::Links(const Cluster& cluster) : cluster_(cluster) {
  const Network& network = cluster_.network;
  const auto nodes = static_cast<std::size_t>(cluster_.nodes);
  const auto gpus = static_cast<std::size_t>(cluster_.gpus_per_node);
  if (cluster_.nvlink.kind == Nvlink::Kind::switched) {
    nvlink_out_ = add(nodes * gpus, nvlink_rate(cluster_));
    nvlink_in_ = add(nodes * gpus, nvlink_rate(cluster_));
  } else {
    nvlink_pair_ = add(nodes * gpus * gpus, nvlink_rate(cluster_));
  }
  const Bandwidth nic = nic_rate(cluster_);
  nic_out_ = add(nodes * static_cast<std::size_t>(network.nics_per_node), nic);
  nic_in_ = add(nodes * static_cast<std::size_t>(network.nics_per_node), nic);
  if (network.fabric == Fabric::single_switch) return;

  leaf_shared_ = network.oversubscription > 1;
  if (leaf_shared_) {
    const bool rails = network.fabric == Fabric::rail_optimized;
    const int groups = blocks(cluster_.nodes, network.nodes_per_leaf);
    const auto leaves = static_cast<std::size_t>(groups * (rails ? network.nics_per_node : 1));
    const int ports = network.nodes_per_leaf * (rails ? 1 : network.nics_per_node);
    leaf_up_ = add(leaves, nic * (ports / network.oversubscription));
    leaf_down_ = add(leaves, nic * (ports / network.oversubscription));
  }
  pod_shared_ = network.fabric == Fabric::fat_tree_3level && network.pod_oversubscription > 1;
  if (pod_shared_) {
    const auto pods = static_cast<std::size_t>(blocks(cluster_.nodes, nodes_per_pod(network)));
    const Bandwidth capacity = nic * (nodes_per_pod(network) * network.nics_per_node /
                                      (network.oversubscription * network.pod_oversubscription));
    pod_up_ = add(pods, capacity);
    pod_down_ = add(pods, capacity);
  }
}

LinkId Links::add(std::size_t count, Bandwidth capacity) {
  const auto first = static_cast<LinkId>(capacity_.size());
  capacity_.insert(capacity_.end(), count, capacity);
  return first;
}

LinkId Links::leaf(int node, int rail) const {
  const Network& network = cluster_.network;
  const int group = node / network.nodes_per_leaf;
  return static_cast<LinkId>(
      network.fabric == Fabric::rail_optimized ? group * network.nics_per_node + rail : group);
}

void Links::append_core(int from_node, int to_node, int rail, std::vector<LinkId>& links) const {
  const Distance far = distance(cluster_, from_node, to_node);
  if (far < Distance::pod) return;
  if (leaf_shared_) links.push_back(leaf_up_ + leaf(from_node, rail));
  if (far == Distance::core && pod_shared_) {
    const int per_pod = nodes_per_pod(cluster_.network);
    links.push_back(pod_up_ + static_cast<LinkId>(from_node / per_pod));
    links.push_back(pod_down_ + static_cast<LinkId>(to_node / per_pod));
  }
  if (leaf_shared_) links.push_back(leaf_down_ + leaf(to_node, rail));
}

void Links::append(const Hop& hop, std::vector<LinkId>& links) const {
  const int from = node_of(cluster_, hop.source);
  const int to = node_of(cluster_, hop.destination);
  if (hop.over_network()) {
    const int nics = cluster_.network.nics_per_node;
    require(cluster_.network.fabric != Fabric::rail_optimized || hop.nic_out == hop.nic_in,
            "a hop of a rail-optimised fabric stays on its rail");
    links.push_back(nic_out_ + static_cast<LinkId>(from * nics + hop.nic_out));
    append_core(from, to, hop.nic_out, links);
    links.push_back(nic_in_ + static_cast<LinkId>(to * nics + hop.nic_in));
    return;
  }
  require(from == to, "NVLink joins GPUs of one node");
  if (cluster_.nvlink.kind == Nvlink::Kind::switched) {
    links.push_back(nvlink_out_ + static_cast<LinkId>(hop.source));
    links.push_back(nvlink_in_ + static_cast<LinkId>(hop.destination));
  } else {
    const int gpus = cluster_.gpus_per_node;
    links.push_back(nvlink_pair_ +
                    static_cast<LinkId>(hop.source * gpus + gpu_of(cluster_, hop.destination)));
  }
}

LinkKind Links::kind(LinkId link) const {
  struct Row {
    LinkKind kind;
    bool present;
  };
  constexpr const char* kNvlink = "nvlink.bandwidth";
  constexpr const char* kNic = "network.nic_bandwidth";
  constexpr const char* kLeaf = "network.oversubscription";
  constexpr const char* kPod = "network.pod_oversubscription";
  const bool switched = cluster_.nvlink.kind == Nvlink::Kind::switched;
  const Row rows[] = {{{"pod_down", kPod, pod_down_}, pod_shared_},
                      {{"pod_up", kPod, pod_up_}, pod_shared_},
                      {{"leaf_down", kLeaf, leaf_down_}, leaf_shared_},
                      {{"leaf_up", kLeaf, leaf_up_}, leaf_shared_},
                      {{"nic_in", kNic, nic_in_}, true},
                      {{"nic_out", kNic, nic_out_}, true},
                      {{"nvlink_in", kNvlink, nvlink_in_}, switched},
                      {{"nvlink_out", kNvlink, nvlink_out_}, switched},
                      {{"nvlink", kNvlink, nvlink_pair_}, !switched}};
  for (const Row& row : rows) {
    if (row.present && link >= row.kind.first) return row.kind;
  }
  throw std::logic_error("a link of this cluster");
}

std::string Links::name(LinkId link) const {
  const LinkKind kind = this->kind(link);
  return fmt::format("{}_{}", kind.name, link - kind.first);
}

}  // namespace sim
