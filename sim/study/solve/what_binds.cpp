// SPDX-License-Identifier: Apache-2.0
#include "sim/study/solve/what_binds.hpp"

#include <fmt/format.h>

#include "sim/study/simulation.hpp"
#include "sim/study/solve/unknowns.hpp"

namespace sim::study {
namespace {

// Between sites, or else inside the cluster.
Job without_latency(Job job) {
  if (job.inner) {
    unknown_named("latency").set(job, 0);
    if (job.topology.store) job.topology.store->request = {};
    return job;
  }
  Cluster& cluster = job.cluster();
  for (Seconds* latency :
       {&cluster.network.latency, &cluster.network.switch_latency, &cluster.nvlink.latency}) {
    *latency = {};
  }
  return job;
}

}  // namespace

std::string what_binds(const Job& job, const Setup& setup, const Report& report) {
  const std::string bound = report.bound.substr(0, report.bound.find(';'));
  if (!report.ended() || report.time.compute_s > report.time_s / 2) return bound;
  const double without_s = simulate(without_latency(job), setup).report.time_s;
  const double share = 1 - without_s / report.time_s;
  if (!(share > 0.5 * (1 - report.time.compute_s / report.time_s))) return bound;
  return fmt::format("latency ({:.0f} % of the {})", 100 * share, report.round ? "round" : "step");
}

}  // namespace sim::study
