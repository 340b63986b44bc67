// SPDX-License-Identifier: Apache-2.0
// What a month brings to sites that come and go, in tables.
#pragma once

#include <vector>

#include "sim/report/table_rows.hpp"

namespace sim {

[[nodiscard]] std::vector<TableRow> membership_rows();

}  // namespace sim
