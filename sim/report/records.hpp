// SPDX-License-Identifier: Apache-2.0
// What reports of steps and of rounds have alike as JSON, and records as text.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/report.hpp"

namespace sim {

// "global batch: 256 sequences x 2048 tokens = 524288 tokens per step"
[[nodiscard]] std::string batch_text(std::int64_t sequences, int tokens, std::string_view step);

// The parts of a time, by the names that sweeps read.
void add_time_parts(const TimeParts& parts, nlohmann::ordered_json& record);
// The ends of the range, null where it was not simulated.
void add_range(const std::optional<EfficiencyRange>& range, nlohmann::ordered_json& record);
// [{"link": ..., "set_by": ..., "busy": ...}, ...]
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<LinkUse>& links);

// By distribution, null where an error is not known.
[[nodiscard]] nlohmann::ordered_json json_of(const CodecErrors& errors);
// "0.166" of one distribution; "not known", or "-" where no distribution has an error.
[[nodiscard]] std::string error_text(const CodecErrors& errors, const std::string& distribution);

// What is no UTF-8 in its texts, as a file's name may have it, becomes U+FFFD.
[[nodiscard]] std::string dumped(const nlohmann::ordered_json& json, int indent);
// One object where there is one, else a list.
[[nodiscard]] std::string json_text(const std::vector<nlohmann::ordered_json>& records);
// A header from the first one's names, then a line for each. Null is an empty field. A text that a
// spreadsheet would compute, as it begins with = + - or @ and is no number, gets an apostrophe before
// it.
[[nodiscard]] std::string csv_text(const std::vector<nlohmann::ordered_json>& records);

}  // namespace sim
