// SPDX-License-Identifier: Apache-2.0
// The rows of a table of reports.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/base/text_table.hpp"
#include "sim/report/report.hpp"

namespace sim {

struct TableRow {
  std::string label;                               // a part of what is above begins with blanks
  std::function<TableCell(const Report&)> cell{};  // none: a heading; "-": does not apply
};
// Of steps, or of rounds.
[[nodiscard]] std::vector<TableRow> table_rows(bool rounds);

// "tuned: sdp4bit": the heading of a report's column.
[[nodiscard]] std::string heading(const Report& report);

}  // namespace sim
