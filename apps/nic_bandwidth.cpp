#include "apps/nic_bandwidth.hpp"

#include "sim/engine/simulate.hpp"

namespace apps {

double step_time(const Job& job, const Setup& setup, double factor) {
  Job scaled = job;
  scaled.cluster.network.nic_bandwidth = job.cluster.network.nic_bandwidth * factor;
  auto& cap = scaled.cluster.fitted.communicator_bandwidth;
  if (cap) cap = *cap * factor;
  return sim::simulate(sim::plan_step(scaled.context(setup), setup.scheme), scaled.cluster)
      .makespan_s;
}

}  // namespace apps
