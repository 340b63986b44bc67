// SPDX-License-Identifier: Apache-2.0
// The answer to `compare` in a sentence: which side is better, by how much, how surely.
#pragma once

#include <string>

#include "apps/compare/sides.hpp"
#include "sim/study/compare/findings.hpp"

namespace apps {

// "round" or "step".
[[nodiscard]] const char* what_is_timed(const Side& side);

// "A beats B: 1.13 times its throughput, likely 1.03 to 1.24 (better in 96 % of 100 repetitions)".
[[nodiscard]] std::string answer_text(const Comparison& comparison,
                                      const sim::study::Findings& findings);

}  // namespace apps
