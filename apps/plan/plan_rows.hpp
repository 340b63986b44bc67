// SPDX-License-Identifier: Apache-2.0
// A row of a plan as figures, for tables and records.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"
#include "sim/topology/bill.hpp"

namespace apps {

struct Cell {
  std::string heading;
  std::string text;
};
// Of the network that a row trains on, without --parts nothing.
using RowBill = std::optional<sim::Bill>;
[[nodiscard]] RowBill bill_of_row(const Places& places, const sim::study::PlanRow& row);

// Of what a plan's rows have in common.
struct RowsOf {
  bool topologies = false;  // several
  bool both = false;        // clusters and several sites
  bool nics = false;        // several NIC bandwidths
};
[[nodiscard]] RowsOf rows_of(const Places& places);
// The same headings for all rows of a plan.
[[nodiscard]] std::vector<Cell> cells_of(const sim::study::PlanRow& row, const RowsOf& rows,
                                         const RowBill& bill);

// Without its command.
[[nodiscard]] nlohmann::ordered_json record_of(const sim::study::PlanRow& row, const RowBill& bill);

// "4 nodes with qwd take 29.4 days (likely 25.1 to 34.6 days) and 114 kUSD (likely 96.7 to 133 kUSD)"; with
// topology and NICs where there are several, "4 nodes of dgx_h200_x16 at 100 Gbps with qwd".
[[nodiscard]] std::string summary_of(const sim::study::PlanRow& row, const RowsOf& rows);

}  // namespace apps
