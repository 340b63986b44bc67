// SPDX-License-Identifier: Apache-2.0
#include "sim/report/activity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/report/report.hpp"

namespace sim {
namespace {

// A kernel's seconds that memory bandwidth bounds.
double memory_seconds(const Schedule& schedule, const Operation& kernel) {
  double share = 0;
  for (const KernelPart& part : schedule.parts[kernel.parts]) {
    share += part.share * part.memory_share;
  }
  return kernel.seconds * share;
}

}  // namespace

StepActivity activity_of(const Schedule& schedule, const Timeline& timeline) {
  const int rank = last_rank(schedule, timeline);
  StepActivity activity{.step = timeline.makespan_s, .rate = schedule.product_rate};
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.rank != rank || std::isnan(timeline.end_s[id])) continue;
    if (operation.kind != OperationKind::work || operation.on_host) continue;
    const double memory_s = memory_seconds(schedule, operation);
    activity.copies += operation.times * memory_s;
    activity.products += operation.times * (operation.seconds - memory_s);
  }
  return activity;
}

std::string power_text(const PublishedPower& power, const Gpu& gpu, const Schedule& schedule,
                       const Timeline& timeline) {
  return fmt::format(
      "products at {:.3g} of their rate at the full clock; {:.0f} W of {:.0f} W ({})",
      schedule.product_rate / fastest_rate(power, gpu),
      mean_power(power, gpu, activity_of(schedule, timeline)).base(), gpu.power.base(),
      power.source);
}

}  // namespace sim
