// SPDX-License-Identifier: Apache-2.0
#include "sim/base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sim {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

// Characters, not bytes: those that continue one in UTF-8 begin with the bits 10.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned>(c) & 0xc0U) != 0x80U; }));
}

std::vector<std::size_t> widths_of(const TextTable& table) {
  std::vector<std::size_t> widths(table.labels, 0);
  for (const auto& row : table.rows) {
    if (row.size() < 2) continue;
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i].text));
    }
  }
  return widths;
}

// The columns of a page, the first one and the one past its last.
struct Page {
  std::size_t begin = 0, end = 0;
};

std::vector<Page> pages_of(const TextTable& table, const std::vector<std::size_t>& widths,
                           std::size_t width) {
  std::size_t labels = 0;
  for (std::size_t i = 0; i < table.labels; ++i) labels += widths[i] + (i > 0 ? kGap : 0);
  std::vector<Page> pages{{table.labels, table.labels}};
  std::size_t used = labels;
  for (std::size_t column = table.labels; column < widths.size(); ++column) {
    const bool first = pages.back().begin == column;
    if (!first && used + kGap + widths[column] > width) {
      pages.push_back({column, column});
      used = labels;
    }
    used += kGap + widths[column];
    pages.back().end = column + 1;
  }
  return pages;
}

void append_row(StyledText& text, const std::vector<TableCell>& row, const TextTable& table,
                const std::vector<std::size_t>& widths, const Page& page) {
  std::size_t blanks = 0;  // that a later cell of the row makes necessary
  const auto add = [&](std::size_t column) {
    if (column > 0) blanks += kGap;
    const bool left = column < table.align.size() && table.align[column] == '<';
    const std::size_t size = column < row.size() ? width_of(row[column].text) : 0;
    const std::size_t padding = widths[column] - std::min(size, widths[column]);
    if (!left) blanks += padding;
    if (size > 0) {
      append(text, std::string(blanks, ' '));
      append(text, row[column].text, row[column].style);
      blanks = 0;
    }
    if (left) blanks += padding;
  };
  for (std::size_t column = 0; column < table.labels; ++column) add(column);
  for (std::size_t column = page.begin; column < page.end; ++column) add(column);
  append(text, "\n");
}

// "schemes 1 to 3 of 5".
std::string heading_of(const Page& page, const TextTable& table, std::size_t columns) {
  const std::size_t first = page.begin - table.labels + 1;
  const std::size_t last = page.end - table.labels;
  const std::size_t all = columns - table.labels;
  if (first == last) return fmt::format("{} {} of {}\n", table.column, last, all);
  return fmt::format("{}s {} to {} of {}\n", table.column, first, last, all);
}

}  // namespace

std::vector<TableCell> heading_row(const std::vector<std::string>& names) {
  std::vector<TableCell> row;
  for (const std::string& name : names) row.emplace_back(name, Style::heading);
  return row;
}

StyledText to_text(const TextTable& table, std::size_t width) {
  const std::vector<std::size_t> widths = widths_of(table);
  const std::vector<Page> pages = pages_of(table, widths, width);
  StyledText text;
  for (const Page& page : pages) {
    if (page.begin > table.labels) append(text, "\n");
    if (pages.size() > 1) append(text, heading_of(page, table, widths.size()), Style::note);
    for (const auto& row : table.rows) append_row(text, row, table, widths, page);
  }
  return text;
}

}  // namespace sim
