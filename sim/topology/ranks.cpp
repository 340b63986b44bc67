// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/ranks.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {

int nic_of(const Cluster& cluster, int rank) {
  return cluster.network.gpu_nic[static_cast<std::size_t>(gpu_of(cluster, rank))];
}

int fabric_nodes(const Cluster& cluster) { return std::max(cluster.nodes, cluster.fabric_nodes); }

Cluster part_of(Cluster cluster, int nodes, int gpus) {
  require(nodes >= 1 && nodes <= cluster.nodes, "a part of the nodes");
  require(gpus >= 1 && gpus <= cluster.gpus_per_node, "a part of the GPUs of a node");
  cluster.fabric_nodes = fabric_nodes(cluster);
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus;
  cluster.network.gpu_nic.resize(static_cast<std::size_t>(gpus));
  std::erase_if(cluster.network.far_gpus, [&](int gpu) { return gpu >= gpus; });
  return cluster;
}

double network_share(const Network& network) {
  if (!network.copy_bandwidth) return network.efficiency;
  return std::min(network.efficiency, *network.copy_bandwidth / network.nic_bandwidth);
}

Bandwidth nic_rate(const Cluster& cluster) {
  const Bandwidth rate = cluster.network.nic_bandwidth * network_share(cluster.network) *
                         cluster.fitted.network_efficiency.value_or(1);
  if (!cluster.host.cores || !cluster.host.core_bandwidth) return rate;
  const double ranks_per_nic = 1.0 * cluster.gpus_per_node / cluster.network.nics_per_node;
  const double cores_per_nic = *cluster.host.cores / ranks_per_host(cluster) * ranks_per_nic;
  return std::min(rate, *cluster.host.core_bandwidth * cores_per_nic);
}

int ranks_per_host(const Cluster& cluster) {
  return cluster.host.ranks.value_or(cluster.gpus_per_node);
}

Bandwidth all_nics_rate(const Cluster& cluster) {
  return nic_rate(cluster) * (cluster.nodes * cluster.network.nics_per_node);
}

Bandwidth nvlink_rate(const Cluster& cluster) {
  return cluster.nvlink.bandwidth * cluster.nvlink.efficiency;
}

bool joins_pairs(const Cluster& cluster) { return cluster.nvlink.kind->direct; }

bool has_switch(const Nvlink& nvlink) { return !nvlink.kind->direct && !nvlink.kind->bridges; }

Bandwidth gpu_rate(const Cluster& cluster) {
  return nvlink_rate(cluster) * (joins_pairs(cluster) ? std::max(1, cluster.gpus_per_node - 1) : 1);
}

}  // namespace sim
