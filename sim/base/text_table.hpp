// Tables as text. Columns stand side by side while they fit a width, else on several pages below each
// other, each of which repeats the labels of the rows.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/styled_text.hpp"

namespace sim {

struct TableCell {
  // Not explicit: a cell is a text, marked or not.
  TableCell(std::string cell_text, Style cell_style = Style::plain)
      : text(std::move(cell_text)), style(cell_style) {}
  TableCell(const char* cell_text) : text(cell_text) {}

  std::string text;
  Style style = Style::plain;
};

struct TextTable {
  // A row of one cell is a heading of the rows below it: no column is as wide as it. An empty row is an
  // empty line. Missing cells at a row's end are empty.
  std::vector<std::vector<TableCell>> rows = {};
  std::size_t labels = 1;         // leading columns that every page repeats
  std::string align = "<";        // '<' or '>' for each column; '>' for those beyond
  std::string column = "column";  // what one is called: "scheme"
};

// The row as a heading of columns.
[[nodiscard]] std::vector<TableCell> heading_row(const std::vector<std::string>& names);

// At most `width` characters wide, unless the labels and one column need more. No line ends in blanks.
[[nodiscard]] StyledText to_text(const TextTable& table, std::size_t width);

}  // namespace sim
