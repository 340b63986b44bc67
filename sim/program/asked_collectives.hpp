// SPDX-License-Identifier: Apache-2.0
// What becomes, in a step, of the algorithm and the protocol that its cluster asks for.
#pragma once

#include "sim/collectives/asked.hpp"
#include "sim/program/plan_step.hpp"

namespace sim {

// Of all collectives of the step; the sum of the gradients' norm, a few bytes, has its own tree.
// The job has no other problems. Empty where nothing is asked for.
[[nodiscard]] AskedOutcome asked_outcome(const StepContext& context, const Scheme& scheme);

}  // namespace sim
