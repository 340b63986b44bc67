// SPDX-License-Identifier: Apache-2.0
// A comparison as a table, JSON or CSV.
#pragma once

#include "apps/compare/sides.hpp"
#include "sim/study/compare/findings.hpp"

namespace apps {

void print_findings(const Comparison& comparison, const sim::study::Findings& findings);

}  // namespace apps
