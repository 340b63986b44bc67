// SPDX-License-Identifier: Apache-2.0
#include "apps/map/grid_text.hpp"

namespace apps {

sim::StyledText grid_text(const Grid& grid, std::size_t width) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row({grid.corner}));
  for (const std::string& column : grid.columns) {
    table.rows.front().emplace_back(column, sim::Style::heading);
  }
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    table.rows.push_back({grid.rows[i]});
    table.rows.back().insert(table.rows.back().end(), grid.cells[i].begin(), grid.cells[i].end());
  }
  return to_text(table, width);
}

}  // namespace apps
