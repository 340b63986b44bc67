// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/next_dollar.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/parallel.hpp"
#include "sim/study/search/assumptions.hpp"

namespace sim::study {
namespace {

// Of all ports, for the bandwidth that a tenth is.
std::optional<double> cost_of_faster_nics(const Cluster& cluster, Seconds time) {
  const Network& network = cluster.network;
  if (!network.bandwidth_price) return std::nullopt;
  const DollarRate port =
      *network.bandwidth_price * (network.nic_bandwidth * (kSensitivityStep - 1));
  return (port * (double{1} * network.nics_per_node * cluster.nodes) * time).base();
}

// The share of the time that is left with a tenth more of what makes it shorter, or less of what
// makes it longer.
double left_of_time(const Improvement& one, const Assumption& assumption) {
  const double gain = assumption.more_is_faster ? one.sensitivity : -one.sensitivity;
  return std::pow(kSensitivityStep, -gain);
}

Improvement improvement(const Assumption& assumption, double sensitivity, const Price& price) {
  Improvement one{.name = std::string(assumption.name),
                  .meaning = std::string(assumption.meaning),
                  .sensitivity = sensitivity};
  one.saves_usd = price.of_time() * (1 - left_of_time(one, assumption));
  return one;
}

bool is_between_nodes(const Assumption& assumption) {
  return assumption.constant == Constant::nic_bandwidth ||
         assumption.constant == Constant::network_latency;
}

}  // namespace

std::vector<Improvement> improvements(const Job& job, const Setup& setup, const Trained& now,
                                      int jobs) {
  const bool single_nodes = std::ranges::all_of(
      job.topology.sites, [](const Site& site) { return site.cluster.nodes == 1; });
  std::vector<const Assumption*> parts;
  for (const Assumption& assumption : assumptions()) {
    if (is_between_nodes(assumption) && single_nodes) continue;
    if (rests_on(job, assumption)) parts.push_back(&assumption);
  }
  std::vector<Improvement> all = in_parallel(jobs, parts.size(), [&](std::size_t i) {
    const Assumption& part = *parts[i];
    Improvement one = improvement(part, sensitivity(job, setup, part, now.step_s), now.price);
    if (part.constant == Constant::nic_bandwidth && !job.inner) {
      one.costs_usd = cost_of_faster_nics(job.cluster(), now.time * left_of_time(one, part));
    }
    return one;
  });
  std::ranges::stable_sort(all, std::ranges::greater(), &Improvement::saves_usd);
  return all;
}

}  // namespace sim::study
