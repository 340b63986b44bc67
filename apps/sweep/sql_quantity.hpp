// Quantities in SQL: quantity('400 Gbps') in the conditions that people write.
#pragma once

#include <optional>
#include <string_view>

#include "apps/sweep/sql.hpp"

namespace apps {

// A text with a unit in base units: bytes per second, bytes, seconds or FLOPs per second. None where
// it is no quantity.
[[nodiscard]] std::optional<double> quantity_value(std::string_view text);

// Makes quantity('400 Gbps') known to the database's SQL: what quantity_value() has of the text.
void add_quantity(Database& database);

}  // namespace apps
