// Conditions that people write in SQL, in which quantity('400 Gbps') is what quantity_value() has of
// the text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "apps/sweep/sql.hpp"

namespace apps {

// A text with a unit in base units: bytes per second, bytes, seconds or FLOPs per second. None where
// it is no quantity.
[[nodiscard]] std::optional<double> quantity_value(std::string_view text);

// Runs a statement that has a person's condition in it; `row` is called for each row of it. What is
// wrong with it, where something is: that it is no SQL, or more than a condition.
[[nodiscard]] std::optional<std::string> run_condition(
    Database& database, const std::string& sql, const std::function<void(sqlite3_stmt*)>& row);

}  // namespace apps
