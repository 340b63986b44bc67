// SPDX-License-Identifier: Apache-2.0
// The choices of a plan for several sites: which of them take part, what they exchange, and the
// ways to run a step inside them.
#pragma once

#include <memory>

#include "sim/study/plan/choices.hpp"
#include "sim/study/plan/plan_question.hpp"

namespace sim::study {

// Throws InputError, also if nothing fits in memory.
[[nodiscard]] std::unique_ptr<Choices> site_choices(const PlanQuestion& question);

}  // namespace sim::study
