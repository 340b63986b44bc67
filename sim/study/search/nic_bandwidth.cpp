// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/nic_bandwidth.hpp"

#include <utility>

namespace sim::study {

Cluster with_nics(Cluster cluster, double factor) {
  cluster.network.nic_bandwidth = cluster.network.nic_bandwidth * factor;
  auto& cap = cluster.fitted.communicator_bandwidth;
  if (cap) cap = *cap * factor;
  return cluster;
}

Cluster with_nics(Cluster cluster, Bandwidth bandwidth) {
  cluster = with_nics(std::move(cluster), bandwidth / cluster.network.nic_bandwidth);
  cluster.network.nic_bandwidth = bandwidth;  // to the last bit
  return cluster;
}

}  // namespace sim::study
