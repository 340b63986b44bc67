// SPDX-License-Identifier: Apache-2.0
// Conditions written by people in SQL, in which quantity('400 Gbps') is the result of
// in_base_units().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "apps/sweep/sql.hpp"

namespace apps {

// Runs a statement that has a person's condition over so many points in it; `row` is called for each
// row of it. What is wrong with it, where something is: that it is no SQL, more than a condition, or
// more than a condition needs: functions that make long texts, joins that take for ever.
[[nodiscard]] std::optional<std::string> run_condition(
    Database& database, const std::string& sql, std::int64_t points,
    const std::function<void(sqlite3_stmt*)>& row);

}  // namespace apps
