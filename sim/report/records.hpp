// SPDX-License-Identifier: Apache-2.0
// Parts of reports as text and JSON, and records as text. JSON has no infinity: it becomes null.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/report.hpp"

namespace sim {

// "global batch: 256 sequences x 2048 tokens = 524288 tokens per step"
[[nodiscard]] std::string batch_text(std::int64_t sequences, int tokens, std::string_view step);

// "120 ms"; "never" where it is infinite.
[[nodiscard]] std::string time_text(double seconds);
// With so many decimals, or in scientific notation if it would be long.
[[nodiscard]] std::string number_text(double number, int decimals);

// "29.4 days", "7.2 h", "13.6 min", "42 s": nothing longer than days, as trainings take weeks.
[[nodiscard]] std::string long_time_text(double seconds);
// In the unit of `like`, beside which it is read; likewise "987 kUSD".
[[nodiscard]] std::string long_time_text(double seconds, double like);
[[nodiscard]] std::string total_text(double usd, double like);
// "0.166" of one distribution; "not known", or "-" where no distribution has an error.
[[nodiscard]] std::string error_text(const CodecErrors& errors, const std::string& distribution);

// What is no UTF-8 in its texts, as a file's name may have it, becomes U+FFFD.
[[nodiscard]] std::string dumped(const nlohmann::ordered_json& json, int indent);
// One object where there is one, else a list.
[[nodiscard]] std::string json_text(const std::vector<nlohmann::ordered_json>& records);
// A header from the first one's names, then a line for each. Null and infinity are empty fields. A
// text that a spreadsheet would compute, as it begins with = + - or @ and is no number, gets an
// apostrophe before it.
[[nodiscard]] std::string csv_text(const std::vector<nlohmann::ordered_json>& records);

}  // namespace sim
