// SPDX-License-Identifier: Apache-2.0
// What a month brings, in tables: to a job that fails, or to sites that come and go; and the days and
// the price of a training.
#pragma once

#include <vector>

#include "sim/report/table_rows.hpp"

namespace sim {

[[nodiscard]] std::vector<TableRow> goodput_rows();
[[nodiscard]] std::vector<TableRow> membership_rows();
[[nodiscard]] std::vector<TableRow> target_rows();

}  // namespace sim
