// SPDX-License-Identifier: Apache-2.0
// Prints a plan.
#pragma once

#include <string>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace apps {

// "1200 setups, 40 planned, 12 simulated".
[[nodiscard]] std::string how_far(const sim::study::Searched& searched);
// table, json or csv.
void print(const PlanOptions& options, const sim::study::PlanReport& report);

}  // namespace apps
