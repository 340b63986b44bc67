#include "apps/search/nic_bandwidth.hpp"

#include "sim/engine/simulate.hpp"

namespace apps {

sim::Cluster with_nics(sim::Cluster cluster, double factor) {
  cluster.network.nic_bandwidth = cluster.network.nic_bandwidth * factor;
  auto& cap = cluster.fitted.communicator_bandwidth;
  if (cap) cap = *cap * factor;
  return cluster;
}

double step_time(const Job& job, const Setup& setup, double factor) {
  const sim::Cluster cluster = with_nics(job.cluster, factor);
  return sim::simulate(sim::plan_step(job.context(setup, cluster), setup.scheme), cluster)
      .makespan_s;
}

}  // namespace apps
