// SPDX-License-Identifier: Apache-2.0
// The cost of --step-by-step, before it starts.
#pragma once

namespace apps {

// Refuses simulations with more flows than fit in memory or in the hour allowed for each; warns of
// long ones.
void check_step_by_step(double flows, double simulations = 1);

}  // namespace apps
