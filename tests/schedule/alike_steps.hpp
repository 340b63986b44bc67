// SPDX-License-Identifier: Apache-2.0
// Steps in which one rank stands for all that do the same, compared with the same steps of every rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/schedule/fold_steps.hpp"

namespace sim {

struct AlikeStep {
  int ranks = 0;                    // of the job
  int classes = 0;                  // of alike ranks, or `ranks` where all are simulated
  double alike_s = 0, whole_s = 0;  // the step
  double apart = 0;  // alike ranks in the whole: between times of one operation, over the step's
  double difference = 0;  // from the whole, of any operation's start or end, over the step's
};

// The times of each rank's operations in order.
inline std::vector<std::vector<double>> times_by_rank(const Schedule& schedule,
                                                      const Timeline& timeline) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(schedule.ranks));
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.rank < 0) continue;
    times[static_cast<std::size_t>(operation.rank)].push_back(timeline.start_s[id]);
    times[static_cast<std::size_t>(operation.rank)].push_back(timeline.end_s[id]);
  }
  return times;
}

// Infinite if there are not as many.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

inline AlikeStep compare_alike(const StepPoint& point, const Conditions& conditions = {}) {
  const Calibration calibration = roofline();
  StepContext context{point.cluster, point.model, calibration, point.parallelism, {}};
  const PlannedStep alike = plan_step(context, *point.scheme);
  context.whole = true;
  const PlannedStep whole = plan_step(context, *point.scheme);
  const Timeline of_alike = simulate(alike.schedule, alike.wiring, conditions);
  const Timeline of_whole = simulate(whole.schedule, whole.wiring, conditions);
  const auto few = times_by_rank(alike.schedule, of_alike);
  const auto all = times_by_rank(whole.schedule, of_whole);
  AlikeStep step{.ranks = whole.schedule.ranks,
                 .classes = alike.schedule.ranks,
                 .alike_s = of_alike.makespan_s,
                 .whole_s = of_whole.makespan_s};
  for (std::size_t i = 0; i < few.size(); ++i) {
    const std::vector<int>& ranks = alike.schedule.alike[i];
    const auto& first = all[static_cast<std::size_t>(ranks.front())];
    step.difference = std::max(step.difference, largest_difference(few[i], first));
    for (const int rank : ranks) {
      step.apart =
          std::max(step.apart, largest_difference(all[static_cast<std::size_t>(rank)], first));
    }
  }
  step.difference /= step.whole_s;
  step.apart /= step.whole_s;
  return step;
}

// What such a step may differ by where alike ranks of the whole differ by no more than kSame.
inline constexpr double kMostApart = 1e-9;
inline constexpr double kSame = 1e-12;

}  // namespace sim
