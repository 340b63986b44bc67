// SPDX-License-Identifier: Apache-2.0
// Tables as text. Columns stand side by side if they fit the width; otherwise they continue on
// pages below each other, each of which repeats the row labels.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/styled_text.hpp"

namespace sim {

struct TableCell {
  // Not explicit: a cell is simply text, marked or not.
  TableCell(std::string cell_text, Style cell_style = Style::plain)
      : text(std::move(cell_text)), style(cell_style) {}
  TableCell(const char* cell_text) : text(cell_text) {}

  std::string text;
  Style style = Style::plain;
};

struct TextTable {
  // A row of one cell is a heading for the rows below it and does not widen any column. An empty
  // row is an empty line. Missing cells at the end of a row are empty.
  std::vector<std::vector<TableCell>> rows = {};
  std::size_t labels = 1;         // leading columns that every page repeats
  std::string align = "<";        // '<' or '>' for each column; '>' for any further ones
  std::string column = "column";  // what a column stands for: "scheme"
};

// The row as column headings.
[[nodiscard]] std::vector<TableCell> heading_row(const std::vector<std::string>& names);

// At most `width` characters wide, unless the labels and one column need more. No line has trailing
// blanks.
[[nodiscard]] StyledText to_text(const TextTable& table, std::size_t width);

}  // namespace sim
