// SPDX-License-Identifier: Apache-2.0
// plan: the best ways to train a model on so many tokens.
#pragma once

#include <functional>
#include <span>

#include "sim/study/plan/plan_report.hpp"

namespace sim::study {

// Up to ten plans, or the closest one if none meets the limits of the goal. Of the best setups, and with a gap
// of 0, the search is exact: it finds what simulating every setup would. `progress` is called now and then.
// Throws InputError, also (NothingFits) if nothing fits in memory.
[[nodiscard]] PlanReport plan(
    const PlanQuestion& question,
    const std::function<void(const Searched&)>& progress = [](const Searched&) {});

// The same over several topologies, of one model: whatever is not a topology's, the goal and the way to search,
// is the first question's.
[[nodiscard]] PlanReport plan(
    std::span<const PlanQuestion> questions,
    const std::function<void(const Searched&)>& progress = [](const Searched&) {});

}  // namespace sim::study
