// SPDX-License-Identifier: Apache-2.0
// A plan's prices from a list of one's own.
#pragma once

#include <string>

#include "apps/plan/plan_options.hpp"

namespace apps {

// Gives each GPU of the question's job the price that the list has for it, on the spot market where that is asked
// for, and the goal what the list says of the rest; `passed_on` says the same of a cluster. An instance that is taken
// back is a node that fails. Throws InputError.
void use_prices(PlanOptions& options);

// "NVIDIA H100 80GB HBM3 4.916 USD (end of 2024)", of an hour of each GPU that there is to choose.
[[nodiscard]] std::string prices_text(const Places& places);

}  // namespace apps
