// SPDX-License-Identifier: Apache-2.0
// --step-by-step, and what it costs before it starts.
#pragma once

namespace apps {

inline constexpr const char* kStepByStepHelp =
    "simulate every step of a ring, every chunk in a tree and every pair of ranks separately "
    "(slow; a check "
    "of the folded simulation)";

// Refuses simulations with more flows than fit in memory or in the hour allowed for each; warns of
// long ones.
void check_step_by_step(double flows, double simulations = 1);

}  // namespace apps
