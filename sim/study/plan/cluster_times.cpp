// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/cluster_times.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/schedule/least_time.hpp"

namespace sim::study {

double ClusterTimes::group_bound(const Candidate& group) {
  return group_bounds_.of({group.frame, group.offer}, [&] {
    const Parallelism& frame = space_.frames[group.frame].parallelism;
    double least = std::numeric_limits<double>::infinity();
    std::vector<const ActivationExchange*> seen;
    for (const Scheme& scheme : space_.schemes) {
      const auto is_same = [&](const auto* other) { return *other == scheme.activations; };
      if (std::ranges::any_of(seen, is_same)) continue;
      seen.push_back(&scheme.activations);
      least = std::min(least, first_.kernels_s(space_.job(group), frame, scheme.activations));
    }
    return least * (1 - kRounded);
  });
}

double ClusterTimes::first_bound(const Candidate& candidate) {
  if (candidate.is_group()) return group_bound(candidate);
  return first_bounds_.of(key(candidate), [&] {
    const Job& job = space_.job(candidate);
    return first_.of(job, space_.setup(candidate)).seconds(job.cluster());
  });
}

double ClusterTimes::ordered_bound(const Candidate& candidate) {
  return first_.in_order_s(space_.job(candidate), space_.setup(candidate));
}

double ClusterTimes::planned_bound(const Candidate& candidate) {
  return planned_bounds_.of(key(candidate), [&] {
    const Setup setup = space_.setup(candidate);
    const auto [schedule, wiring] =
        plan_for_bound(space_.job(candidate).context(setup), setup.scheme);
    return least_time(schedule, wiring).base();
  });
}

const Report& ClusterTimes::simulated(const Candidate& candidate) {
  return reports_.of(key(candidate), [&] {
    const Job& job = space_.job(candidate);
    const Setup setup = space_.setup(candidate);
    const StepContext context = job.context(setup);
    PlannedStep step = plan_few_periods(context, setup.scheme);
    const Timeline timeline = simulate_step(context, setup.scheme, step);
    require(first_bound(candidate) <= timeline.makespan_s, "no step beats its first bound");
    const double* planned = planned_bounds_.find(key(candidate));
    const double bound =
        planned == nullptr ? least_time(step.schedule, step.wiring).base() : *planned;
    require(bound <= timeline.makespan_s, "no step beats its schedule's bound");
    return summarize(context, setup.scheme, step.schedule, step.wiring, timeline);
  });
}

}  // namespace sim::study
