// SPDX-License-Identifier: Apache-2.0
// The search of a plan among its choices, and its report.
#pragma once

#include <functional>

#include "sim/study/plan/choices.hpp"
#include "sim/study/plan/plan_question.hpp"

namespace sim::study {

// Without the names of the topologies. Throws InputError where no step or round ends.
[[nodiscard]] PlanReport search(const PlanQuestion& question, Choices& choices,
                                const std::function<void(const Choices&)>& progress);

}  // namespace sim::study
