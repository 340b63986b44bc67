// SPDX-License-Identifier: Apache-2.0
// Goodput in tables and records. Empty, or without a name, where it was not asked for.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/report/table_rows.hpp"

namespace sim {

[[nodiscard]] std::vector<TableRow> goodput_rows();
// Every name carries its unit.
void add_goodput(const GoodputFigures& goodput, nlohmann::ordered_json& record);

}  // namespace sim
