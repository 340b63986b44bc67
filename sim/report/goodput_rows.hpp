// SPDX-License-Identifier: Apache-2.0
// Goodput in tables; "-" where it was not asked for.
#pragma once

#include <vector>

#include "sim/report/table_rows.hpp"

namespace sim {

[[nodiscard]] std::vector<TableRow> goodput_rows();

}  // namespace sim
