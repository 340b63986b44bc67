// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/alpha_beta.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sim::fit {
namespace {

TEST(AlphaBetaLaw, ReturnsTheConstantsOfDataOfItsOwnMaking) {
  std::vector<TimedBytes> rows;
  for (double bytes = 8; bytes < 1e10; bytes *= 4) rows.push_back({bytes, 20e-6 + bytes / 300e9});
  const AlphaBeta law = fit_alpha_beta(rows);
  EXPECT_NEAR(law.alpha_s, 20e-6, 1e-12);
  EXPECT_NEAR(law.beta_s_per_byte * 300e9, 1, 1e-9);
}

TEST(AlphaBetaLaw, HasTheLeastSquaredRelativeErrors) {
  std::vector<TimedBytes> rows{{1e3, 18e-6}, {1e6, 31e-6}, {1e8, 500e-6}, {1e9, 3600e-6}};
  const auto squares = [&](const AlphaBeta& law) {
    double sum = 0;
    for (const TimedBytes& row : rows) sum += std::pow(law.seconds(row.bytes) / row.seconds - 1, 2);
    return sum;
  };
  const AlphaBeta law = fit_alpha_beta(rows);
  for (const double factor : {0.99, 1.01}) {
    EXPECT_GT(squares({law.alpha_s * factor, law.beta_s_per_byte}), squares(law));
    EXPECT_GT(squares({law.alpha_s, law.beta_s_per_byte * factor}), squares(law));
  }
}

TEST(AlphaBetaLaw, HasNoNegativeConstant) {
  // Times that rise faster than their sizes, and times that fall.
  const AlphaBeta steep = fit_alpha_beta(std::vector<TimedBytes>{{1e6, 1e-6}, {2e6, 4e-6}});
  EXPECT_EQ(steep.alpha_s, 0);
  EXPECT_GT(steep.beta_s_per_byte, 0);
  const AlphaBeta falling = fit_alpha_beta(std::vector<TimedBytes>{{1e6, 4e-6}, {2e6, 1e-6}});
  EXPECT_EQ(falling.beta_s_per_byte, 0);
  EXPECT_GT(falling.alpha_s, 0);
}

}  // namespace
}  // namespace sim::fit
