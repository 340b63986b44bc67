// SPDX-License-Identifier: Apache-2.0
// A comparison as a table, JSON or CSV.
#pragma once

#include "apps/compare/findings.hpp"

namespace apps {

void print_findings(const Comparison& comparison, const Findings& findings);

}  // namespace apps
