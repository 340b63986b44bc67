// SPDX-License-Identifier: Apache-2.0
// Tokens to train on, their days and their price, in tables: of a job that fails, or of sites that
// come and go.
#pragma once

#include <string>
#include <vector>

#include "sim/report/table_rows.hpp"

namespace sim {

[[nodiscard]] std::vector<TableRow> target_rows();

// With so many decimals, or in scientific notation if it would be long.
[[nodiscard]] std::string number_text(double number, int decimals);

// "29.4 days", "7.2 h", "13.6 min", "42 s": nothing longer than days, as trainings take weeks.
[[nodiscard]] std::string long_time_text(double seconds);
// In the unit of `like`, beside which it is read; likewise "987 kUSD".
[[nodiscard]] std::string long_time_text(double seconds, double like);
[[nodiscard]] std::string total_text(double usd, double like);

}  // namespace sim
