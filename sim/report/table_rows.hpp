// SPDX-License-Identifier: Apache-2.0
// The rows of a table of reports.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/text_table.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/report.hpp"

namespace sim {

struct TableRow {
  std::string label;
  std::function<TableCell(const Report&)> cell = {};  // none: a heading; "-": does not apply
  int depth = 0;                 // levels by which it is indented below what it is part of
  std::string_view figure = {};  // whose row it is, if it is one's
};
// Of steps, or of rounds. Figures that have a label but no place among the rows come last.
[[nodiscard]] std::vector<TableRow> table_rows(bool rounds, std::span<const Figure> figures);

// "tuned: sdp4bit": the heading of a report's column.
[[nodiscard]] std::string heading(const Report& report);

}  // namespace sim
