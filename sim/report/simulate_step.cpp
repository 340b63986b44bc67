// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "sim/report/activity.hpp"
#include "sim/report/report.hpp"
#include "sim/report/settle.hpp"
#include "sim/times/published.hpp"

namespace sim {
namespace {

// Rates that differ by less are the same.
constexpr double kSameRate = 1e-3;
// Steps that are simulated to find the rate at most. Three suffice for nearly all.
constexpr int kMostRates = 8;

Timeline simulate_periods(const StepContext& context, const Scheme& scheme, PlannedStep& step) {
  while (true) {
    Timeline timeline = simulate_to_end(
        step.schedule, step.wiring,
        fmt::format("{}: the step of {}", context.cluster.name, context.model.name));
    if (settle(step.schedule, timeline)) return timeline;
    step = plan_few_periods(context, scheme, &step.schedule);
  }
}

}  // namespace

Timeline simulate_step(const StepContext& context, const Scheme& scheme, PlannedStep& step) {
  Timeline timeline = simulate_periods(context, scheme, step);
  if (!context.parallelism.power_throttling) return timeline;
  const Gpu& gpu = context.cluster.gpu;
  Calibration at_rate = context.calibration;
  for (int i = 0; i < kMostRates; ++i) {
    const StepActivity activity = activity_of(step.schedule, timeline);
    const double rate = sustained_rate(*at_rate.published->power, gpu, activity);
    if (std::abs(rate / activity.rate - 1) < kSameRate) break;
    at_rate.product_rate = rate;
    const StepContext changed{
        context.cluster, context.model,       at_rate,       context.parallelism,
        context.detail,  context.each_kernel, context.whole, context.each_micro_batch,
        context.known};
    step = plan_few_periods(changed, scheme);
    timeline = simulate_periods(changed, scheme, step);
  }
  return timeline;
}

}  // namespace sim
