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
// The report and its baseline.
[[nodiscard]] bool both_fit(const Report& report);
[[nodiscard]] std::string time_text(double seconds);
// "0.166" of one distribution; "not known", or "-" where no distribution has an error.
[[nodiscard]] std::string error_text(const CodecErrors& errors, const std::string& distribution);

}  // namespace sim
