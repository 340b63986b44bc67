// SPDX-License-Identifier: Apache-2.0
#include "sim/study/simulation.hpp"

#include <utility>

#include "sim/rounds/round_report.hpp"

namespace sim::study {
namespace {

Simulation simulate_rounds(const Job& job, const Setup& given) {
  const Setup setup = balanced(job, given);
  RoundResult result = simulate_round(job.round(setup), setup.scheme, job.deadline);
  Report report = summarize(job.round(setup), setup.scheme, result);
  return {std::move(result.plan.schedule), std::move(result.timeline), std::move(report)};
}

}  // namespace

// The main line: what goes in, the schedule, when it ran, what that means.
Simulation simulate(const Job& job, const Setup& setup) {
  if (job.inner) return simulate_rounds(job, setup);
  const StepContext context = job.context(setup);
  PlannedStep step = plan_few_periods(context, setup.scheme);
  Timeline timeline = simulate_step(context, setup.scheme, step);
  Report report = summarize(context, setup.scheme, step.schedule, step.wiring, timeline);
  return {std::move(step.schedule), std::move(timeline), std::move(report)};
}

double seconds_of(const Job& job, const Setup& setup) {
  if (job.inner) {
    const Setup divided = balanced(job, setup);
    return simulate_round(job.round(divided), divided.scheme, job.deadline).round_s;
  }
  const StepContext context = job.context(setup);
  PlannedStep step = plan_few_periods(context, setup.scheme);
  return simulate_step(context, setup.scheme, step).makespan_s;
}

}  // namespace sim::study
