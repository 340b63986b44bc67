// SPDX-License-Identifier: Apache-2.0
// The choices of several topologies, as those of one.
#pragma once

#include <memory>
#include <vector>

#include "sim/study/plan/choices.hpp"

namespace sim::study {

// The rows of the plans have the place of their topology in PlanRow::question.
[[nodiscard]] std::unique_ptr<Choices> together(std::vector<std::unique_ptr<Choices>> parts);

}  // namespace sim::study
