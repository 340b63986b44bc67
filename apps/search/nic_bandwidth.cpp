// SPDX-License-Identifier: Apache-2.0
#include "apps/search/nic_bandwidth.hpp"

#include <utility>

namespace apps {

sim::Cluster with_nics(sim::Cluster cluster, double factor) {
  cluster.network.nic_bandwidth = cluster.network.nic_bandwidth * factor;
  auto& cap = cluster.fitted.communicator_bandwidth;
  if (cap) cap = *cap * factor;
  return cluster;
}

sim::Cluster with_nics(sim::Cluster cluster, sim::Bandwidth bandwidth) {
  cluster = with_nics(std::move(cluster), bandwidth / cluster.network.nic_bandwidth);
  cluster.network.nic_bandwidth = bandwidth;  // to the last bit
  return cluster;
}

}  // namespace apps
