// SPDX-License-Identifier: Apache-2.0
// The outcome of a point, from how its process ended.
#pragma once

#include "apps/sweep/store.hpp"
#include "apps/sweep/workers.hpp"

namespace apps {

// State, message, report and time; the caller knows the point.
[[nodiscard]] Finished outcome_of(const Ended& ended);

}  // namespace apps
