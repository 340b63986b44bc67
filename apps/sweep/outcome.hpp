// What became of a point, from how its process ended.
#pragma once

#include "apps/sweep/store.hpp"
#include "apps/sweep/workers.hpp"

namespace apps {

// State, message, report and time; which point it is, the caller knows.
[[nodiscard]] Finished outcome_of(const Ended& ended);
// Whether what a report tells of fits in the memory of its GPUs, on every site.
[[nodiscard]] bool fits(const Inputs& report);

}  // namespace apps
