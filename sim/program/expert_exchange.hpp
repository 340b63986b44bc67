// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/program/plan_step.hpp"

namespace sim {

// Why the job's dispatcher cannot run over its groups of experts, of a job that has no problems itself;
// empty if it can.
[[nodiscard]] std::string dispatcher_problem(const StepContext& context);

}  // namespace sim
