#include "apps/search/nic_bandwidth.hpp"

namespace apps {

sim::Cluster with_nics(sim::Cluster cluster, double factor) {
  cluster.network.nic_bandwidth = cluster.network.nic_bandwidth * factor;
  auto& cap = cluster.fitted.communicator_bandwidth;
  if (cap) cap = *cap * factor;
  return cluster;
}

}  // namespace apps
