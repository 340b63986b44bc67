// SPDX-License-Identifier: Apache-2.0
// The rule for a win.
#include "sim/study/search/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/likely.hpp"
#include "sim/study/search/spread.hpp"

namespace sim::study {
namespace {

TEST(VerdictRule, AWinNeedsTheWholeRangeAboveOne) {
  EXPECT_EQ(verdict_of({.speedup = 1.3, .range = LikelyRatio{1.01, 1.7}}), Verdict::win);
  EXPECT_EQ(verdict_of({.speedup = 1.3, .range = LikelyRatio{0.99, 1.7}}), Verdict::tie);
  EXPECT_EQ(verdict_of({.speedup = 0.9, .range = LikelyRatio{0.8, 1.01}}), Verdict::tie);
  EXPECT_EQ(verdict_of({.speedup = 0.9, .range = LikelyRatio{0.8, 0.99}}), Verdict::loss);
}

// What fits beats what does not, however fast that would be; of two that do not fit, neither wins.
TEST(VerdictRule, OnlyWhatFitsWins) {
  for (const double speedup : {0.5, 1.0, 2.0}) {
    EXPECT_EQ(verdict_of({.speedup = speedup, .other_fits = false}), Verdict::win);
    EXPECT_EQ(verdict_of({.speedup = speedup, .fits = false}), Verdict::loss);
    EXPECT_EQ(verdict_of({.speedup = speedup, .fits = false, .other_fits = false}), std::nullopt);
  }
}

// Without a range, a speed-up is as uncertain as the model: eight cases of ten lie within 1.28 of its
// standard deviations.
TEST(VerdictRule, WithoutARangeTheModelsErrorDecides) {
  const double least = std::exp(kLikelySpreads * ratio_spread().of_logarithm);
  EXPECT_DOUBLE_EQ(least_win(), least);
  EXPECT_EQ(verdict_of({.speedup = least * 1.0001}), Verdict::win);
  EXPECT_EQ(verdict_of({.speedup = least / 1.0001}), Verdict::tie);
  EXPECT_EQ(verdict_of({.speedup = 1.0001 / least}), Verdict::tie);
  EXPECT_EQ(verdict_of({.speedup = 1 / least / 1.0001}), Verdict::loss);
}

// A round that never ends loses to one that does.
TEST(VerdictRule, HoldsForRoundsThatNeverEnd) {
  EXPECT_EQ(verdict_of({.speedup = INFINITY}), Verdict::win);
  EXPECT_EQ(verdict_of({.speedup = 0}), Verdict::loss);
  EXPECT_EQ(verdict_of({.speedup = NAN}), std::nullopt);
}

}  // namespace
}  // namespace sim::study
