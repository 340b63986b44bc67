// The command that runs a candidate's step.
#pragma once

#include <string>

#include "apps/plan/plan_options.hpp"
#include "apps/plan/space.hpp"

namespace apps {

// "gardenhose run --topology ...", as a shell takes it.
[[nodiscard]] std::string run_line(const PlanOptions& options, const Space& space,
                                   const Candidate& candidate);

}  // namespace apps
