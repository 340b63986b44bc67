// SPDX-License-Identifier: Apache-2.0
// A map as text: a row and a column for each value of its axes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/base/text_table.hpp"

namespace apps {

struct Grid {
  std::string corner;  // what the columns are of
  std::vector<std::string> columns, rows;
  std::vector<std::vector<sim::TableCell>> cells;  // by row and column
};

// On pages of at most `width` characters.
[[nodiscard]] sim::StyledText grid_text(const Grid& grid, std::size_t width);

}  // namespace apps
