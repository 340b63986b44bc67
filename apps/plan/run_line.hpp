// SPDX-License-Identifier: Apache-2.0
// The command that runs a step or a round of a plan.
#pragma once

#include <string>

#include "apps/plan/plan_options.hpp"

namespace apps {

// "gardenhose run --topology ...", as a shell takes it.
[[nodiscard]] std::string run_line(const PlanOptions& options, const sim::study::Chosen& chosen);

}  // namespace apps
