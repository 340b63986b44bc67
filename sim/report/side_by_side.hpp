// SPDX-License-Identifier: Apache-2.0
// Reports side by side: a column for each, a row for each figure.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/text_table.hpp"
#include "sim/report/records.hpp"

namespace sim {

template <class Report>
struct TableRow {
  std::string label;                               // a part of what is above begins with blanks
  std::function<TableCell(const Report&)> cell{};  // none: a heading
};

// Rows whose every cell is "-" are left out, and headings without a part below them.
template <class Report>
TextTable side_by_side(std::span<const Report> reports, const std::vector<TableRow<Report>>& rows) {
  TextTable table{.column = "scheme"};
  const auto drop_heading = [&] {
    if (!table.rows.empty() && table.rows.back().size() == 1) table.rows.pop_back();
  };
  for (const TableRow<Report>& row : rows) {
    if (!row.label.starts_with(' ')) drop_heading();
    if (!row.cell) {
      table.rows.push_back({{row.label, Style::heading}});
      continue;
    }
    std::vector<TableCell> cells{row.label};
    for (const Report& report : reports) cells.push_back(row.cell(report));
    const bool empty = std::all_of(cells.begin() + 1, cells.end(),
                                   [](const TableCell& cell) { return cell.text == "-"; });
    if (!empty) table.rows.push_back(std::move(cells));
  }
  drop_heading();
  return table;
}

// How figures are marked of what does not fit in memory: nothing trains so fast, or so cheaply.
inline constexpr const char* kDoesNotFit = " !";
inline constexpr const char* kDoesNotFitNote =
    "!: does not fit in memory; the figure assumes GPUs with more memory\n";
inline constexpr const char* kBaselineDoesNotFitNote =
    "!: next to a speed-up: the scheme or its baseline does not fit in memory\n";

// The rows, with the cells marked of reports that do not fit.
template <class Report>
std::vector<TableRow<Report>> if_they_fit(std::vector<TableRow<Report>> rows,
                                          bool (*fits)(const Report&)) {
  for (TableRow<Report>& row : rows) {
    row.cell = [cell = row.cell, fits](const Report& report) {
      TableCell one = cell(report);
      return fits(report) || one.text == "-" ? one : TableCell(one.text + kDoesNotFit, Style::bad);
    };
  }
  return rows;
}

// Whether memory holds what is reported.
template <class Report>
TableRow<Report> fit_row(bool (*fits)(const Report&)) {
  return {"  fits", [fits](const Report& report) {
            return fits(report) ? TableCell("yes") : TableCell("DOES NOT FIT", Style::bad);
          }};
}

// The speed-up, and over what.
template <class Report>
std::vector<TableRow<Report>> speedup_rows(bool (*fits)(const Report&)) {
  const TableRow<Report> speedup{
      "speed-up", [](const Report& r) {
        if (r.baseline.empty()) return TableCell("-");
        const Style style = r.speedup > 1 ? Style::good : r.speedup < 1 ? Style::bad : Style::plain;
        return TableCell(fmt::format("{:.2f}x", r.speedup), style);
      }};
  std::vector<TableRow<Report>> rows = if_they_fit<Report>({speedup}, fits);
  rows.push_back({"  over", [](const Report& r) { return r.baseline.empty() ? "-" : r.baseline; }});
  return rows;
}

// The link that is busiest, by the name that `named` makes of it, and how busy it is.
template <class Report>
std::vector<TableRow<Report>> link_rows(const char* share_label,
                                        std::string (*named)(std::string)) {
  return {{"busiest link",
           [named](const Report& r) {
             return r.busiest_links.empty() ? "-" : named(r.busiest_links.front().link);
           }},
          {share_label, [](const Report& r) {
             if (r.busiest_links.empty()) return std::string("-");
             return fmt::format("{:.0f} %", 100 * r.busiest_links.front().busy);
           }}};
}

// Relative L2 errors by distribution.
template <class Report>
std::vector<TableRow<Report>> error_rows(const char* heading) {
  const auto error_of = [](const char* distribution) {
    return [distribution](const Report& r) { return error_text(r.codec_error, distribution); };
  };
  return {{heading},
          {"  normal values", error_of("normal")},
          {"  Student's t values", error_of("student_t3")}};
}

// What the rows under a throughput and a price say.
inline constexpr const char* kLikely = "likely range";
inline constexpr const char* kRangeLabel = "  likely range";
inline constexpr const char* kRangeNote =
    "likely range: with the compute efficiency one standard deviation lower and higher, all else "
    "equal\n";

template <class Report>
TableCell throughput_range(const Report& r) {
  if (!r.range) return "-";
  return fmt::format("{:.0f}-{:.0f}", r.range->tokens_per_s_low, r.range->tokens_per_s_high);
}
template <class Report>
TableCell price_range(const Report& r) {
  if (!r.range) return "-";
  return fmt::format("{:.3f}-{:.3f}", r.range->usd_per_million_tokens_low,
                     r.range->usd_per_million_tokens_high);
}

// What the likely range and the mark of what does not fit mean, where a table has them.
[[nodiscard]] inline StyledText range_and_fit_notes(bool ranged, bool all_fit) {
  StyledText text;
  if (ranged) append(text, kRangeNote, Style::note);
  if (!all_fit) append(text, kDoesNotFitNote, Style::bad);
  return text;
}
template <class Report>
StyledText range_and_fit_notes(std::span<const Report> reports, bool (*fits)(const Report&)) {
  const bool ranged =
      std::ranges::any_of(reports, [](const Report& r) { return r.range.has_value(); });
  const bool all_fit = std::ranges::all_of(reports, fits);
  const bool baselines_fit = std::ranges::all_of(reports, &Report::baseline_fits);
  StyledText text;
  if (ranged || !all_fit || !baselines_fit) append(text, "\n");
  append(text, range_and_fit_notes(ranged, all_fit));
  if (!baselines_fit) append(text, kBaselineDoesNotFitNote, Style::bad);
  return text;
}

// The sources of all reports, each line once.
template <class Report>
StyledText source_lines(std::span<const Report> reports) {
  std::string lines;
  for (const Report& report : reports) {
    for (const auto& [constant, source] : report.sources) {
      const std::string line = fmt::format("  {}: {}\n", constant, source);
      if (lines.find(line) == std::string::npos) lines += line;
    }
  }
  StyledText text;
  append(text, "sources\n", Style::heading);
  append(text, lines, Style::note);
  return text;
}

}  // namespace sim
