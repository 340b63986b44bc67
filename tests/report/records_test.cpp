// SPDX-License-Identifier: Apache-2.0
// Long times and prices as people read them.
#include "sim/report/records.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sim {
namespace {

// A figure and its range, below the unit's first whole number and above its last, are read together.
TEST(LongTimes, HaveTheUnitOfTheFigureBesideThem) {
  constexpr double kHour = 3600;
  EXPECT_EQ(long_time_text(21.8 * kHour), "21.8 h");
  EXPECT_EQ(long_time_text(18.9 * kHour, 21.8 * kHour), "18.9 h");
  EXPECT_EQ(long_time_text(24.6 * kHour, 21.8 * kHour), "24.6 h");
  EXPECT_EQ(long_time_text(18 * kHour, 30 * kHour), "0.75 days");
  EXPECT_EQ(long_time_text(48, 90), "0.80 min");
}

TEST(LongTimes, NeverEndWhereTheyAreInfinite) {
  constexpr double kEver = std::numeric_limits<double>::infinity();
  EXPECT_EQ(long_time_text(kEver, 10), "never");
  EXPECT_EQ(long_time_text(7200, kEver), "2.0 h");
  EXPECT_EQ(total_text(kEver, 10), "never");
}

TEST(Prices, HaveTheUnitOfTheFigureBesideThem) {
  EXPECT_EQ(total_text(980, 980), "980 USD");
  EXPECT_EQ(total_text(1050, 980), "1050 USD");
  EXPECT_EQ(total_text(980, 1010), "0.98 kUSD");
}

}  // namespace
}  // namespace sim
