// Reports side by side: a column for each, a row for each figure.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sim {

template <class Report>
struct TableRow {
  std::string label;
  std::function<std::string(const Report&)> cell;  // none: a heading
};

// Rows whose every cell is "-" are left out.
template <class Report>
std::string side_by_side(std::span<const Report> reports,
                         const std::vector<TableRow<Report>>& rows) {
  constexpr int kLabelWidth = 38;
  std::vector<std::size_t> widths(reports.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < reports.size() && row.cell; ++i) {
      widths[i] = std::max(widths[i], row.cell(reports[i]).size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    bool empty = row.cell != nullptr;
    std::string line = fmt::format("{:<{}}", row.label, kLabelWidth);
    for (std::size_t i = 0; i < reports.size() && row.cell; ++i) {
      const std::string cell = row.cell(reports[i]);
      empty = empty && cell == "-";
      line += fmt::format("  {:>{}}", cell, widths[i]);
    }
    if (!empty) text += line + "\n";
  }
  return text;
}

// How figures are marked of what does not fit in memory: nothing trains so fast, or so cheaply.
inline constexpr const char* kDoesNotFit = " !";
inline constexpr const char* kDoesNotFitNote =
    "!: does not fit in memory; so it would be with GPUs of more memory\n";

// The rows, with the cells marked of reports that do not fit.
template <class Report>
std::vector<TableRow<Report>> if_they_fit(std::vector<TableRow<Report>> rows,
                                          bool (*fits)(const Report&)) {
  for (TableRow<Report>& row : rows) {
    row.cell = [cell = row.cell, fits](const Report& report) {
      const std::string text = cell(report);
      return fits(report) || text == "-" ? text : text + kDoesNotFit;
    };
  }
  return rows;
}

// What the rows under a throughput and a price say.
inline constexpr const char* kRangeLabel = "  one spread of efficiency either way";

template <class Report>
std::string throughput_range(const Report& r) {
  if (!r.range) return "-";
  return fmt::format("{:.0f} to {:.0f}", r.range->tokens_per_s_low, r.range->tokens_per_s_high);
}
template <class Report>
std::string price_range(const Report& r) {
  if (!r.range) return "-";
  return fmt::format("{:.3f} to {:.3f}", r.range->usd_per_million_tokens_low,
                     r.range->usd_per_million_tokens_high);
}

// The sources of all reports, each line once.
template <class Report>
std::string source_lines(std::span<const Report> reports) {
  std::string text = "sources\n";
  for (const Report& report : reports) {
    for (const auto& [constant, source] : report.sources) {
      const std::string line = fmt::format("  {}: {}\n", constant, source);
      if (text.find(line) == std::string::npos) text += line;
    }
  }
  return text;
}

}  // namespace sim
