// SPDX-License-Identifier: Apache-2.0
// A map as text: a column for each value of its horizontal axis, and lines for each value of the other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/text_table.hpp"
#include "sim/report/report.hpp"

namespace apps {

// Two setups, each empty where it does not fit: a challenger, which wins, loses or ties, and what it is
// compared with.
struct GridCell {
  std::string challenger, baseline;
  std::optional<sim::Verdict> verdict;
  std::optional<double> speedup;
  std::optional<sim::LikelyRatio> range;
  std::string needs = {};  // flags without which the named setup does not fit
};

struct Grid {
  std::string corner;  // what the axes are
  std::vector<std::string> columns, rows;
  std::vector<std::vector<std::optional<GridCell>>> cells;  // by row and column; none: not known
};

// On pages of at most `width` characters.
[[nodiscard]] sim::StyledText grid_text(const Grid& grid, std::size_t width);

}  // namespace apps
