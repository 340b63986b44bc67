// SPDX-License-Identifier: Apache-2.0
// Prints a plan.
#pragma once

#include <vector>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace apps {

// table, json or csv. The options are those of each topology.
void print(const Places& options, const sim::study::PlanReport& report);

}  // namespace apps
