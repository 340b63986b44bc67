// SPDX-License-Identifier: Apache-2.0
#include "apps/job/simulation.hpp"

#include <utility>

#include "apps/words.hpp"
#include "sim/rounds/round_report.hpp"

namespace apps {
namespace {

Simulation simulate_rounds(const Job& job, const Setup& setup) {
  sim::RoundResult result = sim::simulate_round(job.round(setup), setup.scheme, job.deadline);
  sim::Report report = sim::summarize(job.round(setup), setup.scheme, result);
  for (std::string& event : report.round->events) event = with_flags(event);
  return {std::move(result.plan.schedule), std::move(result.timeline), std::move(report)};
}

}  // namespace

// The main line: what goes in, the schedule, when it ran, what that means.
Simulation simulate(const Job& job, const Setup& setup) {
  if (job.inner) return simulate_rounds(job, setup);
  const sim::StepContext context = job.context(setup);
  auto [schedule, wiring] = sim::wired_step(context, setup.scheme);
  sim::Timeline timeline = sim::simulate(schedule, wiring);
  sim::Report report = sim::summarize(context, setup.scheme, schedule, wiring, timeline);
  return {std::move(schedule), std::move(timeline), std::move(report)};
}

double seconds_of(const Job& job, const Setup& setup) {
  if (job.inner) {
    return sim::simulate_round(job.round(setup), setup.scheme, job.deadline).round_s;
  }
  const auto [schedule, wiring] = sim::wired_step(job.context(setup), setup.scheme);
  return sim::simulate(schedule, wiring).makespan_s;
}

}  // namespace apps
