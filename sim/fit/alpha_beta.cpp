// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/alpha_beta.hpp"

#include <array>

#include "sim/base/error.hpp"
#include "sim/fit/basis.hpp"

namespace sim::fit {

AlphaBeta fit_alpha_beta(std::span<const TimedBytes> rows) {
  require(!rows.empty(), "a law is fitted on a row or more");
  // Row by row, (alpha + beta bytes) / seconds shall be 1. In units of the mean size, or the two
  // columns would differ by ten orders of magnitude.
  double unit = 0;
  for (const TimedBytes& row : rows) unit += row.bytes / static_cast<double>(rows.size());
  std::array<Column, 2> columns;
  for (const TimedBytes& row : rows) {
    columns[0].push_back(1 / row.seconds);
    columns[1].push_back(row.bytes / unit / row.seconds);
  }
  const Column ones(rows.size(), 1);
  const auto least = [&](const Column& column) { return dot(column, ones) / dot(column, column); };
  std::array<double, 2> law{};
  for (std::size_t i = 0; i < law.size(); ++i) {
    const Column own = own_part(columns, i);
    // Rows of one size do not tell the constants apart: each takes half.
    const bool alone = norm(own) > 1e-12 * norm(columns[i]);
    law[i] = alone ? least(own) : least(columns[i]) / 2;
  }
  // With two constants, the best law whose constants are not negative has a 0 where the best of all
  // is negative.
  for (std::size_t negative = 0; negative < law.size(); ++negative) {
    if (law[negative] >= 0) continue;
    law[negative] = 0;
    law[1 - negative] = least(columns[1 - negative]);
    break;
  }
  return {.alpha_s = law[0], .beta_s_per_byte = law[1] / unit};
}

}  // namespace sim::fit
