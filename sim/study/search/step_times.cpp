// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/step_times.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/base/parallel.hpp"
#include "sim/report/report.hpp"
#include "sim/schedule/least_time.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {
namespace {

// The busiest GPU's.
double compute_seconds(const Schedule& schedule) {
  std::vector<double> seconds(static_cast<std::size_t>(schedule.ranks));
  for (const Operation& operation : schedule.operations) {
    if (operation.kind != OperationKind::work) continue;
    if (operation.stream != Stream::compute) continue;
    seconds[static_cast<std::size_t>(operation.rank)] += operation.times * operation.seconds;
  }
  return *std::max_element(seconds.begin(), seconds.end());
}

// Of the busiest link out of a NIC.
double sending_seconds(const Schedule& schedule, const Wiring& wiring) {
  std::vector<double> seconds(wiring.links.size());
  for (const Operation& operation : schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    for (const auto& [id, times] : wiring.routes[operation.route]) {
      const Link& link = wiring.links[id];
      if (link.role != LinkRole::nic_out) continue;
      seconds[id] += operation.times * operation.bytes * times / link.rate_Bps;
    }
  }
  return *std::ranges::max_element(seconds);
}

}  // namespace

// A slower network makes no step faster. And a step is a longest path, whose lengths grow linearly
// with the inverse of the bandwidth, so its time is convex in that: what two faster networks gave,
// carried on, is a bound. Flows that share links are no paths: some is left for them.
double StepTimes::at_least(const Known& known, double factor) const {
  constexpr double kLeft = 0.99;
  double bound = known.first->seconds(job_.cluster(), factor);
  if (known.bound) {
    bound = std::max({bound, known.bound->compute_s, known.bound->network_s / factor});
  }
  const auto faster = known.seconds.lower_bound(factor);
  if (faster == known.seconds.end()) return bound;
  bound = std::max(bound, faster->second);
  const auto fastest = std::next(faster);
  if (fastest == known.seconds.end()) return bound;
  const double rise = (faster->second - fastest->second) / (1 / faster->first - 1 / fastest->first);
  const double carried_on = faster->second + rise * (1 / factor - 1 / faster->first);
  return std::max(bound, kLeft * carried_on);
}

StepTimes::Known& StepTimes::known(const Setup& setup) {
  Known& known = known_.at(setup.parallelism, setup.scheme).first;
  if (!known.first) known.first = first_.of(job_, setup);
  return known;
}

void StepTimes::know(const Setup& setup, double seconds) {
  known_.at(setup.parallelism, setup.scheme).first.seconds[1] = seconds;
}

double StepTimes::seconds(const Setup& setup, double factor, double limit) {
  return seconds(known(setup), setup, factor, limit);
}

std::vector<double> StepTimes::seconds(std::span<const Setup* const> setups, double factor,
                                       double limit, const std::function<void()>& step) {
  std::vector<Known*> of;
  for (const Setup* setup : setups) of.push_back(&known(*setup));
  return in_parallel(jobs_, setups.size(), [&](std::size_t i) {
    step();
    return seconds(*of[i], *setups[i], factor, limit);
  });
}

double StepTimes::seconds(Known& known, const Setup& setup, double factor, double limit) const {
  if (const auto found = known.seconds.find(factor); found != known.seconds.end()) {
    return found->second;
  }
  if (const double bound = at_least(known, factor); bound >= limit) return bound;
  const Cluster cluster = with_nics(job_.cluster(), factor);
  const StepContext context = job_.context(setup, cluster);
  PlannedStep step = plan_few_periods(context, setup.scheme);
  if (!known.bound) {
    known.bound = {compute_seconds(step.schedule),
                   sending_seconds(step.schedule, step.wiring) * factor};
  }
  if (const double bound = at_least(known, factor); bound >= limit) return bound;
  if (limit < std::numeric_limits<double>::infinity()) {
    const double bound = least_time(step.schedule, step.wiring).base();
    if (bound >= limit) return bound;
  }
  return known.seconds[factor] = simulate_step(context, setup.scheme, step).makespan_s;
}

std::vector<std::pair<double, const Setup*>> StepTimes::by_bound(std::span<const Setup> setups,
                                                                 double factor) {
  std::vector<std::pair<double, const Setup*>> sorted;
  for (const Setup& setup : setups) {
    sorted.emplace_back(at_least(known(setup), factor), &setup);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return sorted;
}

double StepTimes::least(std::span<const Setup> setups, double factor, double limit) {
  constexpr std::size_t kRace = 2;  // the least bound is mostly that of the fastest
  const auto sorted = by_bound(setups, factor);
  for (auto next = sorted.begin();;) {
    std::vector<const Setup*> wave;
    while (next != sorted.end() && next->first < limit && wave.size() < kRace) {
      wave.push_back(next++->second);
    }
    if (wave.empty()) return limit;
    for (const double found : seconds(wave, factor, limit)) limit = std::min(limit, found);
  }
}

}  // namespace sim::study
