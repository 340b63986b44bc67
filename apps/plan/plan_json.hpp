// SPDX-License-Identifier: Apache-2.0
// A plan as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace apps {

[[nodiscard]] nlohmann::ordered_json json_of(const Places& places,
                                             const sim::study::PlanReport& report);

}  // namespace apps
