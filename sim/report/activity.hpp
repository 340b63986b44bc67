// SPDX-License-Identifier: Apache-2.0
// How long the GPU that ends last does what draws power.
#pragma once

#include <string>

#include "sim/engine/simulate.hpp"
#include "sim/schedule/schedule.hpp"
#include "sim/times/throttling.hpp"

namespace sim {

// Of the schedule's last rank, over the whole step.
[[nodiscard]] StepActivity activity_of(const Schedule& schedule, const Timeline& timeline);

// For a report: "products at 0.93 of their rate at the full clock; 700 W of 700 W (...)".
[[nodiscard]] std::string power_text(const PublishedPower& power, const Gpu& gpu,
                                     const Schedule& schedule, const Timeline& timeline);

}  // namespace sim
