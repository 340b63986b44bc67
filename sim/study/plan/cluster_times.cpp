// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/cluster_times.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/error.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/schedule/least_time.hpp"

namespace sim::study {

double ClusterTimes::group_bound(const Candidate& group) {
  const auto [found, added] = group_bounds_.try_emplace(group.frame);
  double& least = found->second;
  if (!added) return least;
  const Job& job = space_.job(group);
  const Parallelism& frame = space_.frames[group.frame].parallelism;
  least = std::numeric_limits<double>::infinity();
  for (const Scheme& scheme : space_.schemes) {
    least = std::min(least, first_.kernels_s(job, frame, scheme.activations.tensor));
  }
  return least *= 1 - kRounded;
}

double ClusterTimes::first_bound(const Candidate& candidate) {
  if (candidate.is_group()) return group_bound(candidate);
  const auto [found, added] = first_bounds_.try_emplace(candidate.layout);
  const Job& job = space_.job(candidate);
  if (added) found->second = first_.of(job, space_.setup(candidate));
  return found->second.seconds(job.cluster());
}

double ClusterTimes::planned_bound(const Candidate& candidate) {
  const auto [found, added] = planned_bounds_.try_emplace(key(candidate));
  if (!added) return found->second;
  const Setup setup = space_.setup(candidate);
  const auto [schedule, wiring] = plan_step(space_.job(candidate).context(setup), setup.scheme);
  ++planned_;
  return found->second = least_time(schedule, wiring).base();
}

const Report& ClusterTimes::simulated(const Candidate& candidate) {
  const auto [found, added] = reports_.try_emplace(key(candidate));
  if (!added) return found->second;
  const Job& job = space_.job(candidate);
  const Setup setup = space_.setup(candidate);
  const auto [schedule, wiring] = plan_step(job.context(setup), setup.scheme);
  const Timeline timeline = simulate(schedule, wiring);
  found->second = summarize(job.context(setup), setup.scheme, schedule, wiring, timeline);
  require(first_bound(candidate) <= timeline.makespan_s, "no step beats its first bound");
  const auto planned = planned_bounds_.find(key(candidate));
  const double bound =
      planned == planned_bounds_.end() ? least_time(schedule, wiring).base() : planned->second;
  require(bound <= timeline.makespan_s, "no step beats its schedule's bound");
  return found->second;
}

}  // namespace sim::study
