// SPDX-License-Identifier: Apache-2.0
// The command that runs a step or a round of a plan.
#pragma once

#include <string>
#include <vector>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace apps {

// "gardenhose run --topology ...", as a shell takes it.
[[nodiscard]] std::string run_line(const PlanOptions& options, const sim::study::Chosen& chosen);
// Of a cluster with these NICs: the compressed setup beside the plain one, or each of them where their layouts differ.
[[nodiscard]] std::vector<std::string> run_lines(const PlanOptions& options,
                                                 const sim::study::PlanCompression& compression);

}  // namespace apps
