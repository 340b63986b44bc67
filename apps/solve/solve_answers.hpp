// SPDX-License-Identifier: Apache-2.0
// Prints the answers of `solve`.
#pragma once

#include <string>

#include "sim/study/solve/solve.hpp"

namespace apps {

// The question: the unknown and its unit, and the job.
struct Question {
  std::string unknown, unit, topology, model;
};

// `format` is table, csv or json.
void print(const std::string& format, const Question& question, const sim::study::Answers& answers);

}  // namespace apps
