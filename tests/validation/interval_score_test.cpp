// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/interval_score.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "sim/base/likely.hpp"

namespace sim::validation {
namespace {

RangedPrediction of(double low, double high, double measured, const char* fold = "one") {
  return {.fold = fold, .low = low, .predicted = 1, .high = high, .measured = measured};
}

TEST(IntervalScore, IsTheWidthAndTenTimesWhatLiesBeyond) {
  const double width = std::log(2 / 0.5);
  for (const double inside : {0.5, 1.0, 2.0}) {
    EXPECT_NEAR(interval_score(of(0.5, 2, inside)), width, 1e-12);
  }
  EXPECT_NEAR(interval_score(of(0.5, 2, 4)), width + 10 * std::log(2), 1e-9);
  EXPECT_NEAR(interval_score(of(0.5, 2, 0.25)), width + 10 * std::log(2), 1e-9);
}

TEST(IntervalScore, GivesEachFoldTheSameWeight) {
  const std::array rows{of(0.5, 2, 1, "many"), of(0.5, 2, 1, "many"), of(0.5, 2, 1, "many"),
                        of(0.25, 4, 1, "few")};
  EXPECT_NEAR(interval_scores(rows).score, (std::log(4) + std::log(16)) / 2, 1e-12);
}

// Of values whose errors are those of a normal law, the best width is that of its middle eight tenths.
TEST(IntervalScore, IsBestAtTheTrueQuantiles) {
  constexpr double kSpread = 0.1;
  std::vector<RangedPrediction> rows;
  for (int i = 1; i < 1000; ++i) {
    const double at = -4 + 8 * i / 1000.0;  // spreads
    const auto times = static_cast<int>(1000 * std::exp(-at * at / 2));
    for (int n = 0; n < times; n += 20) rows.push_back(of(1, 1, std::exp(kSpread * at)));
  }
  EXPECT_NEAR(std::log(interval_scores(rows).constant_factor), kLikelySpreads * kSpread, 0.004);
}

}  // namespace
}  // namespace sim::validation
