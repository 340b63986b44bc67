// A map as text: a row and a column for each value of its axes.
#pragma once

#include <string>
#include <vector>

namespace apps {

struct Grid {
  std::string corner;  // what the columns are of
  std::vector<std::string> columns, rows;
  std::vector<std::vector<std::string>> cells;  // by row and column
};

[[nodiscard]] std::string grid_text(const Grid& grid);

}  // namespace apps
