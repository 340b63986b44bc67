// SPDX-License-Identifier: Apache-2.0
// What a month brings to sites that come and go, in tables and records.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/report/table_rows.hpp"

namespace sim {

[[nodiscard]] std::vector<TableRow> membership_rows();
// Every name carries its unit.
void add_membership(const MembershipFigures& membership, nlohmann::ordered_json& record);

}  // namespace sim
