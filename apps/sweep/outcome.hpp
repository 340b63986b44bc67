// What became of a point, from how its process ended.
#pragma once

#include "apps/sweep/store.hpp"
#include "apps/sweep/workers.hpp"

namespace apps {

// State, message and report; the origin is the caller's.
[[nodiscard]] Finished outcome_of(const Ended& ended);

}  // namespace apps
