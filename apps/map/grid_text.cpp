// SPDX-License-Identifier: Apache-2.0
#include "apps/map/grid_text.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/report/writers.hpp"

namespace apps {
namespace {

bool has_both(const GridCell& cell) { return !cell.challenger.empty() && !cell.baseline.empty(); }

std::string name_in(const GridCell& cell) {
  if (!cell.verdict) return "does not fit";
  return cell.challenger.empty() ? cell.baseline : cell.challenger;
}

std::string speedup_in(const GridCell& cell) {
  if (!cell.verdict) return "";
  return has_both(cell) && cell.speedup ? fmt::format("{:.2f}x", *cell.speedup) : "alone fits";
}

std::string range_in(const GridCell& cell) {
  if (!has_both(cell) || !cell.range) return "";
  return fmt::format("{:.2f}-{:.2f}", cell.range->low, cell.range->high);
}

std::string needs_in(const GridCell& cell) { return cell.needs; }

// The lines of a row below each other.
struct Line {
  const char* label;  // none: the row's
  std::string (*text)(const GridCell&);
};
constexpr std::array kLines{Line{nullptr, name_in}, Line{"  speed-up", speedup_in},
                            Line{sim::kRangeLabel, range_in}, Line{"  needs", needs_in}};

// In brackets where the challenger does not win.
sim::TableCell cell_of(const std::optional<GridCell>& cell, const Line& line) {
  if (!cell) return line.label == nullptr ? "-" : "";
  const std::string text = line.text(*cell);
  if (!cell->verdict) return {text, sim::Style::bad};
  if (cell->verdict == sim::Verdict::win) return {text, sim::Style::good};
  return text.empty() ? text : "(" + text + ")";
}

bool is_blank(const std::vector<sim::TableCell>& row) {
  return std::all_of(row.begin() + 1, row.end(), [](const auto& one) { return one.text.empty(); });
}

}  // namespace

sim::StyledText grid_text(const Grid& grid, std::size_t width) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row({grid.corner}));
  for (const std::string& column : grid.columns) {
    table.rows.front().emplace_back(column, sim::Style::heading);
  }
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    for (const Line& line : kLines) {
      std::vector<sim::TableCell> row{line.label == nullptr ? grid.rows[i] : line.label};
      for (const auto& cell : grid.cells[i]) row.push_back(cell_of(cell, line));
      if (!is_blank(row)) table.rows.push_back(std::move(row));
    }
  }
  return to_text(table, width);
}

}  // namespace apps
