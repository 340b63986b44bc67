// What --step-by-step costs, before it starts.
#pragma once

namespace apps {

// Refuses simulations of so many flows each that would not fit in memory, or in the hour that each
// may take; warns of those that take long.
void check_step_by_step(double flows, double simulations = 1);

}  // namespace apps
