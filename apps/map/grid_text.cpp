#include "apps/map/grid_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace apps {

std::string grid_text(const Grid& grid) {
  std::size_t names = grid.corner.size();
  for (const std::string& row : grid.rows) names = std::max(names, row.size());
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    std::size_t width = std::max<std::size_t>(10, grid.columns[column].size());
    for (const auto& row : grid.cells) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  const auto line = [&](const std::string& name, const std::vector<std::string>& cells) {
    std::string text = fmt::format("{:{}}", name, names);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += fmt::format("  {:>{}}", cells[i], widths[i]);
    }
    return text + "\n";
  };
  std::string text = line(grid.corner, grid.columns);
  for (std::size_t i = 0; i < grid.rows.size(); ++i) text += line(grid.rows[i], grid.cells[i]);
  return text;
}

}  // namespace apps
