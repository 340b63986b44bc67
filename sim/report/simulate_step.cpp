// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sim/report/report.hpp"
#include "sim/report/settle.hpp"

namespace sim {

Timeline simulate_step(const StepContext& context, const Scheme& scheme, PlannedStep& step) {
  while (true) {
    Timeline timeline = simulate_to_end(
        step.schedule, step.wiring,
        fmt::format("{}: the step of {}", context.cluster.name, context.model.name));
    if (settle(step.schedule, timeline)) return timeline;
    step = plan_few_periods(context, scheme, &step.schedule);
  }
}

}  // namespace sim
