// SPDX-License-Identifier: Apache-2.0
// Prints the answers of `solve`.
#pragma once

#include <string>

#include "sim/study/solve/solve.hpp"

namespace apps {

// `format` is table, csv or json.
void print(const std::string& format, const sim::study::Unknown& unknown,
           const sim::study::Job& job, const sim::study::SolveGoal& goal,
           const sim::study::Answers& answers);

}  // namespace apps
