// SPDX-License-Identifier: Apache-2.0
// Output of rows and errors, shared by the studies of `validate`.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sim/validation/study.hpp"

namespace apps {

// The predictions of studies whose null model is not refitted, by name.
inline constexpr std::array<std::pair<const char*, sim::validation::Column>, 4> kPlainColumns{
    {{"blind", &sim::validation::Columns::blind},
     {"default", &sim::validation::Columns::by_default},
     {"fitted", &sim::validation::Columns::fitted},
     {"null_model", &sim::validation::Columns::null_model}}};

// Explains the blind columns.
inline constexpr const char* kBlindNote =
    "  blind: data sheets alone; default: with the compute efficiency of traces/"
    "compute_efficiency.toml\n";
inline constexpr const char* kDefaultNote =
    "  ~ the default rests on this row's source: excluded from its errors\n";

// "*", "~", "*~" or nothing.
template <class Row>
[[nodiscard]] std::string mark_of(const Row& row) {
  return std::string(row.used_in_fit ? "*" : "") + (row.used_in_default ? "~" : "");
}

// "a100/gpt_1.3b/sharded" of "sdp4bit_throughput/a100/gpt_1.3b/sharded".
[[nodiscard]] std::string short_name(const std::string& row);
// "57.83x  +12 %": what is predicted, and how far off what is published.
[[nodiscard]] std::string off_text(double predicted, double published, const char* unit = "");
// "4.8 / 11.3 %", mean and worst; "-" of no rows.
[[nodiscard]] std::string error_text(const sim::validation::Errors& errors);
[[nodiscard]] nlohmann::ordered_json error_object(const sim::validation::Errors& errors);

}  // namespace apps
