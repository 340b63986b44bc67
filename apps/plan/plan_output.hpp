// SPDX-License-Identifier: Apache-2.0
// Prints a plan.
#pragma once

#include <string>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace apps {

// table, json or csv.
void print(const PlanOptions& options, const sim::study::PlanReport& report);

}  // namespace apps
