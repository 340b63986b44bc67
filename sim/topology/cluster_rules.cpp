// SPDX-License-Identifier: Apache-2.0
// Rules over several keys of a cluster file, apart from those of a dragonfly.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

std::string mesh_too_large(const Cluster& cluster) {
  const int most = cluster.nvlink.kind->most_gpus;
  if (cluster.gpus_per_node <= most) return {};
  return fmt::format("a full mesh joins at most {} GPUs, not {}; write \"switched\"", most,
                     cluster.gpus_per_node);
}

// `whole` is filled by parts of `part`, or lies in one of them: a node whose sockets or bridges are
// not alike is not modelled.
std::string uneven(int part, int whole, std::string_view noun) {
  if (part >= whole || whole % part == 0) return {};
  return fmt::format("{} does not divide the {} {}; write a divisor, or at least {}", part, whole,
                     noun, whole);
}

std::string uneven_bridges(const Cluster& cluster) {
  return uneven(cluster.nvlink.gpus_per_bridge, cluster.nvlink.gpus_per_socket, "GPUs of a socket");
}

std::string uneven_sockets(const Cluster& cluster) {
  return uneven(cluster.nvlink.gpus_per_socket, cluster.gpus_per_node, "GPUs of a node");
}

constexpr const char* kWithoutGpuNic = "remove the key: consecutive GPUs then share a NIC";

std::string no_such_nic(const Cluster& cluster) {
  const int last = cluster.network.nics_per_node - 1;
  for (const int nic : cluster.network.gpu_nic) {
    if (nic >= 0 && nic <= last) continue;
    return fmt::format("{} is out of range; write a whole number from 0 to {} for each GPU, or {}",
                       nic, last, kWithoutGpuNic);
  }
  return {};
}

std::string not_a_nic_for_each_gpu(const Cluster& cluster) {
  const std::size_t nics = cluster.network.gpu_nic.size();
  if (nics == static_cast<std::size_t>(cluster.gpus_per_node)) return {};
  return fmt::format("has {} entries; write one for each of the {} GPUs of a node, or {}", nics,
                     cluster.gpus_per_node, kWithoutGpuNic);
}

std::string no_such_gpu(const Cluster& cluster) {
  const int last = cluster.gpus_per_node - 1;
  for (const int gpu : cluster.network.far_gpus) {
    if (gpu >= 0 && gpu <= last) continue;
    return fmt::format("{} is out of range; write a whole number from 0 to {}", gpu, last);
  }
  return {};
}

std::string adapts_already(const Cluster& cluster) {
  const Network& network = cluster.network;
  if (network.load_balance != LoadBalance::adaptive) return {};
  if (network.fabric->takes("uplink_efficiency")) return {};
  return fmt::format(
      "adaptive is not modelled on {}, whose network.routing adapts; write \"ideal\" "
      "or \"ecmp\"",
      network.fabric->name);
}

// Each uplink is a link of the simulation.
std::string too_many_uplinks(const Cluster& cluster) {
  constexpr double kMost = 1 << 20;  // as all 131 072 nodes have with 8 each
  const Network& network = cluster.network;
  if (network.load_balance != LoadBalance::ecmp) return {};
  const double filled = 1.0 * network.nodes_per_leaf * std::max(1, network.leaves_per_pod);
  const double nics =
      std::max<double>(cluster.nodes, filled) * network.nics_per_node / network.oversubscription;
  const double uplinks = nics * (network.nic_bandwidth / network.uplink_bandwidth);
  if (uplinks <= kMost) return {};
  const std::string remedy = nics <= kMost
                                 ? fmt::format("write a network.uplink_bandwidth of at least {}",
                                               to_text(network.nic_bandwidth * (nics / kMost)))
                                 : std::string("write smaller leaves or pods");
  return fmt::format("takes {:.3g} uplinks, but a simulation holds {:.0f}; {}", uplinks, kMost,
                     remedy);
}

std::string no_such_torus(const Cluster& cluster) {
  std::int64_t product = 1;
  for (const int size : cluster.network.dimensions) {
    product = std::min<std::int64_t>(product * size, std::int64_t{1} << 32);
  }
  if (product == cluster.nodes) return {};
  return fmt::format("[{}] is not a torus of {} nodes; write numbers whose product is {}",
                     joined(cluster.network.dimensions), cluster.nodes, cluster.nodes);
}

std::string has_no_sums(const Cluster& cluster) {
  if (has_switch(cluster.nvlink)) return {};
  return fmt::format(
      "nodes of kind \"{}\" have no switch that adds; remove the keys `nvls_efficiency` and "
      "`nvls_latency`, or write \"switched\"",
      cluster.nvlink.kind->name);
}

std::string does_not_add(const Cluster& cluster) {
  if (cluster.network.fabric->append_way == append_switched_way) return {};
  return fmt::format(
      "switches of a {} do not add; remove the keys `sharp_efficiency` and "
      "`sharp_latency`, or choose a fabric of switches",
      cluster.network.fabric->name);
}

constexpr Rule<Cluster> uplink_rule(std::string_view key, std::string_view other) {
  return {
      key,
      {other, "cluster.nodes", "network.fabric", "network.nics_per_node", "network.nic_bandwidth",
       "network.oversubscription", "network.nodes_per_leaf", "network.leaves_per_pod"},
      too_many_uplinks};
}

constexpr Rule<Cluster> kClusterRules[] = {
    {"nvlink.kind", {"cluster.gpus_per_node"}, mesh_too_large},
    {"nvlink.gpus_per_bridge", {"nvlink.kind", "nvlink.gpus_per_socket"}, uneven_bridges},
    {"nvlink.gpus_per_socket", {"nvlink.kind", "cluster.gpus_per_node"}, uneven_sockets},
    {"network.gpu_nic", {"network.nics_per_node"}, no_such_nic},
    {"network.gpu_nic", {"cluster.gpus_per_node"}, not_a_nic_for_each_gpu},
    {"network.far_gpus", {"cluster.gpus_per_node"}, no_such_gpu},
    {"network.load_balance", {"network.fabric"}, adapts_already},
    // In this order: the first to speak silences the other, which rests on its key.
    uplink_rule("network.uplink_bandwidth", "network.load_balance"),
    uplink_rule("network.load_balance", "network.uplink_bandwidth"),
    {"network.dimensions", {"cluster.nodes"}, no_such_torus},
    {"nvlink.nvls_efficiency", {"nvlink.kind"}, has_no_sums},
    {"network.sharp_efficiency", {"network.fabric"}, does_not_add},
};

}  // namespace

std::span<const Rule<Cluster>> cluster_rules() { return kClusterRules; }

}  // namespace sim
