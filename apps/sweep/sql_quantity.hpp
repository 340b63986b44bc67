// Quantities in SQL: quantity('400 Gbps') in the conditions that people write.
#pragma once

#include <optional>
#include <string_view>

#include "apps/sweep/sql.hpp"

namespace apps {

// "400 Gbps" in bytes per second; bytes, seconds or FLOPs per second by the unit, which no two of
// them share. Nothing for other text.
[[nodiscard]] std::optional<double> base_value(std::string_view text);

// Makes quantity() known to the database's SQL.
void add_quantity(Database& database);

}  // namespace apps
