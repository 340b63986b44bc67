// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/reliability/goodput.hpp"
#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

int spares_for(const Reliability& reliability, const Renewal& job) {
  const std::optional<int> spares = enough_spares(job, kMostWaiting, kMostSpares);
  if (spares) return *spares;
  throw InputError(fmt::format(
      "{}: recovery.spares: is missing, and even with {} spares this job would wait for repairs in "
      "more than {:g} % of its time; write spares, a shorter repair or longer times between "
      "failures",
      printable_path(reliability.file), kMostSpares, 100 * kMostWaiting));
}

}  // namespace

FailureRates failure_rates(const FailureTimes& times, const Cluster& cluster) {
  FailureRates rates;
  // Adds to `kind` too, if the failure takes nodes away.
  const auto add = [&](const char* part, const std::optional<Seconds>& time, double count,
                       double FailureRates::*kind) {
    if (!time) return;
    const double rate = count / time->base();
    rates.by_part.emplace_back(part, rate);
    rates.total += rate;
    if (kind != nullptr) rates.*kind += rate;
  };
  const double nodes = cluster.nodes;
  const auto groups_of = [&](int size) { return (cluster.nodes - 1) / size + 1; };
  add("gpu", times.gpu, rank_count(cluster), &FailureRates::hardware);
  add("nic", times.nic, nodes * cluster.network.nics_per_node, &FailureRates::hardware);
  add("node", times.node, nodes, &FailureRates::hardware);
  add("switch", times.network_switch, groups_of(times.nodes_per_switch), &FailureRates::hardware);
  add("domain", times.domain, groups_of(times.nodes_per_domain), &FailureRates::domain);
  add("software", times.software, nodes, nullptr);
  return rates;
}

Renewal renewal_of(const Reliability& reliability, const FailureRates& rates,
                   const CheckpointTimes& times) {
  const Recovery& recovery = reliability.recovery;
  Renewal job{.failure_rate = rates.total,
              .hardware_rate = rates.hardware,
              .domain_rate = rates.domain,
              .domain_nodes = reliability.failures.nodes_per_domain,
              .stall_s = times.stall_s,
              .write_s = times.write_s,
              .detection_s = recovery.detection.base(),
              .restart_s = recovery.restart.base() + times.load_s,
              .repair_s = recovery.repair.base()};
  job.spares = recovery.spares ? *recovery.spares : spares_for(reliability, job);
  return job;
}

double expected_interruptions(const Reliability& reliability, const Cluster& cluster,
                              double span_s) {
  const Renewal job = renewal_of(reliability, failure_rates(reliability.failures, cluster), {});
  return interruption_rate(job) * span_s;
}

}  // namespace sim
