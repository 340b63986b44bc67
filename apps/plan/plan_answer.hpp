// SPDX-License-Identifier: Apache-2.0
// The first lines of a plan: what to take, what it is up against, and what is assumed.
#pragma once

#include <string>
#include <vector>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace apps {

// " within 30.0 days with a probability of 80 %"
[[nodiscard]] std::string limits_text(const sim::study::PlanQuestion& question);

[[nodiscard]] std::string answer_of(const Places& places, const sim::study::PlanReport& report);

}  // namespace apps
