// SPDX-License-Identifier: Apache-2.0
// Refused points that are input errors, not results: a missing file, a misspelt scheme.
#pragma once

#include <string>

#include "apps/check/results.hpp"

namespace apps {

// One line "WHAT: 2 of 4 points cannot run: CAUSE" for each distinct cause; empty if there is none.
// As in a sweep, a refused combination of values that run elsewhere is a result: the spec may intend
// it. So is a point that --require-fit refuses.
[[nodiscard]] std::string input_errors(const std::string& what, const Results& results);
// Whether none of the points ran because of input errors.
[[nodiscard]] bool all_are_input_errors(const Results& results);

}  // namespace apps
