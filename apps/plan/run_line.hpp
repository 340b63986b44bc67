// SPDX-License-Identifier: Apache-2.0
// The commands that run candidates' steps and rounds.
#pragma once

#include <string>

#include "apps/plan/plan_options.hpp"
#include "apps/plan/site_space.hpp"
#include "apps/plan/space.hpp"

namespace apps {

// "gardenhose run --topology ...", as a shell takes it.
[[nodiscard]] std::string run_line(const PlanOptions& options, const Space& space,
                                   const Candidate& candidate);
[[nodiscard]] std::string run_line(const PlanOptions& options, const SiteSpace& space,
                                   const SiteCandidate& candidate);

}  // namespace apps
