// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/alpha_beta.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "sim/base/error.hpp"

namespace sim::fit {

AlphaBeta fit_alpha_beta(std::span<const TimedBytes> rows) {
  require(!rows.empty(), "a law is fitted on a row or more");
  // Row by row, (alpha + beta bytes) / seconds shall be 1. In units of the mean size, or the two
  // columns would differ by ten orders of magnitude.
  double unit = 0;
  for (const TimedBytes& row : rows) unit += row.bytes / static_cast<double>(rows.size());
  Eigen::MatrixX2d relative(rows.size(), 2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double weight = 1 / rows[i].seconds;
    relative.row(static_cast<Eigen::Index>(i)) << weight, weight * rows[i].bytes / unit;
  }
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(relative.rows());
  Eigen::Vector2d law = relative.completeOrthogonalDecomposition().solve(ones);
  // With two constants, the best law whose constants are not negative has a 0 where the best of all
  // is negative.
  for (const Eigen::Index negative : {0, 1}) {
    if (law[negative] >= 0) continue;
    const auto other = relative.col(1 - negative);
    law[negative] = 0;
    law[1 - negative] = other.sum() / other.squaredNorm();
    break;
  }
  return {.alpha_s = law[0], .beta_s_per_byte = law[1] / unit};
}

}  // namespace sim::fit
