// Flat JSON objects as lines of CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sim {

// A header from the first one's names, then a line for each. Null is an empty field.
[[nodiscard]] std::string csv_text(const std::vector<nlohmann::ordered_json>& rows);

}  // namespace sim
