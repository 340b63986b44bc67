// SPDX-License-Identifier: Apache-2.0
// Which part of a cluster is to blame, as sentences and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/study/fit/diagnosis.hpp"

namespace apps {

// The sentences, and an empty line.
void print(const sim::study::Diagnosis& diagnosis);

[[nodiscard]] nlohmann::ordered_json diagnosis_json(const sim::study::Diagnosis& diagnosis);

// Warns of each misfit, and says how to take the fit all the same. 1 if there are any and the fit is not
// forced, else 0.
[[nodiscard]] int exit_code_of_misfits(const std::vector<std::string>& misfits, bool is_forced);

}  // namespace apps
