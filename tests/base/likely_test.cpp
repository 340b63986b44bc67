// SPDX-License-Identifier: Apache-2.0
// Chances of keeping a limit, from a likely range.
#include "sim/base/likely.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace sim {
namespace {

constexpr Likely kTenDays{.low = 8.5, .as_is = 10, .high = 12.5};

TEST(ChanceWithin, IsAHalfAtThePredictionAndNineTenthsAtTheEndOfTheRange) {
  EXPECT_EQ(chance_within(10, kTenDays), 0.5);
  EXPECT_NEAR(chance_within(12.5, kTenDays), 0.9, 1e-6);
  EXPECT_NEAR(chance_within(8.5, kTenDays), 0.1, 1e-6);
}

TEST(ChanceWithin, GrowsWithTheLimit) {
  double last = 0;
  for (double limit = 5; limit < 20; limit += 0.25) {
    const double chance = chance_within(limit, kTenDays);
    EXPECT_GT(chance, last) << limit;
    last = chance;
  }
  EXPECT_NEAR(last, 1, 1e-3);
}

TEST(ChanceWithin, IsNoneOrAllWithoutARange) {
  constexpr Likely kSure{.low = 10, .as_is = 10, .high = 10};
  EXPECT_EQ(chance_within(9.99, kSure), 0);
  EXPECT_EQ(chance_within(10, kSure), 0.5);
  EXPECT_EQ(chance_within(10.01, kSure), 1);
}

TEST(LimitKept, IsWhereTheChanceIs) {
  for (const double chance : {0.01, 0.3, 0.5, 0.8, 0.99}) {
    EXPECT_NEAR(chance_within(limit_kept(chance, kTenDays), kTenDays), chance, 1e-9);
  }
}

}  // namespace
}  // namespace sim
