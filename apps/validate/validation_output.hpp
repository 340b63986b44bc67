// SPDX-License-Identifier: Apache-2.0
// Output of `validate`.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/base/styled_text.hpp"
#include "sim/validation/constants.hpp"
#include "sim/validation/study.hpp"

namespace apps {

// All results of `validate` on one study.
struct Validation {
  std::string study;  // "sdp4bit"
  std::vector<sim::validation::Row> rows;
  std::vector<sim::validation::Row> both_ways;  // counted_both_ways()
  std::vector<sim::validation::SpeedUp> speed_ups;
  sim::validation::Errors left_out;              // leave_one_out()
  std::map<std::string, sim::Fitted> constants;  // of each cluster, as used
  std::map<std::string, sim::Fitted> refitted;   // with --refit: fitted now, on the same rows
};

// Tables are at most `width` characters wide.
[[nodiscard]] sim::StyledText to_table(const Validation& validation, std::size_t width);
[[nodiscard]] nlohmann::ordered_json json_of(const Validation& validation);
// The lines of its CSV.
[[nodiscard]] std::vector<nlohmann::ordered_json> records_of(const Validation& validation);

[[nodiscard]] sim::StyledText to_table(const std::vector<sim::validation::Constant>& constants,
                                       std::size_t width);
[[nodiscard]] nlohmann::ordered_json json_of(
    const std::vector<sim::validation::Constant>& constants);
[[nodiscard]] std::vector<nlohmann::ordered_json> records_of(
    const std::vector<sim::validation::Constant>& constants);

}  // namespace apps
