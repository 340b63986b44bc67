// What reports of steps and of rounds have alike as JSON, and records as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/report/report.hpp"

namespace sim {

// The parts of a time, by the names that sweeps read.
void add_time_parts(const TimeParts& parts, nlohmann::ordered_json& record);
// [{"link": ..., "set_by": ..., "busy": ...}, ...]
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<LinkUse>& links);

// One object where there is one, else a list.
[[nodiscard]] std::string json_text(const std::vector<nlohmann::ordered_json>& records);
// A header from the first one's names, then a line for each. Null is an empty field.
[[nodiscard]] std::string csv_text(const std::vector<nlohmann::ordered_json>& records);

}  // namespace sim
