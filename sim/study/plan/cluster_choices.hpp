// SPDX-License-Identifier: Apache-2.0
// The choices of a plan for one cluster: its sizes, its links, and the ways to run a step there.
#pragma once

#include <memory>

#include "sim/study/plan/choices.hpp"
#include "sim/study/plan/plan_question.hpp"

namespace sim::study {

// Throws InputError, too where nothing fits in memory. Simulates nothing yet.
[[nodiscard]] std::unique_ptr<Choices> cluster_choices(const PlanQuestion& question);

}  // namespace sim::study
