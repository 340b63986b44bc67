// SPDX-License-Identifier: Apache-2.0
// Of a linear problem, what a fit without a row would give is exact.
#include "sim/fit/left_out.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sim::fit {
namespace {

// A line through (0, 1), (1, 3), (2, 4) and (3, 8): 0.7 + 2.2 x. Errors are line less point.
const std::vector<Column> kSlopes{{1, 1, 1, 1}, {0, 1, 2, 3}};
const Column kErrors{-0.3, -0.1, 1.1, -0.7};

TEST(LeftOut, AtTheFitNoStepIsLeft) {
  for (const double step : step_of(kSlopes, kErrors)) EXPECT_NEAR(step, 0, 1e-12);
  // From 1 + 2 x, whose errors are 0, 0, 1 and -1.
  const std::vector<double> step = step_of(kSlopes, {0, 0, 1, -1});
  EXPECT_NEAR(step[0], -0.3, 1e-12);
  EXPECT_NEAR(step[1], 0.2, 1e-12);
}

// Without (3, 8) the line is 7/6 + 1.5 x, which gives 17/3 there; without (0, 1) it is 2.5 x, which
// gives 0.
TEST(LeftOut, ARowIsPredictedByTheOthers) {
  const Column errors = errors_without_rows(kSlopes, kErrors);
  EXPECT_NEAR(errors[3], 17.0 / 3 - 8, 1e-12);
  EXPECT_NEAR(errors[0], 0.0 - 1, 1e-12);
  const auto steps = steps_without_rows(kSlopes, kErrors);
  EXPECT_NEAR(steps[3][0], 7.0 / 6 - 0.7, 1e-12);
  EXPECT_NEAR(steps[3][1], 1.5 - 2.2, 1e-12);
}

// Of a mean of n values it is their standard deviation over the root of n: of 1, 2 and 3, whose
// means without one are 2.5, 2 and 1.5, sqrt(1 / 3).
TEST(LeftOut, TheJackknifeOfAMeanIsItsStandardError) {
  const double steps[] = {0.5, 0, -0.5};
  EXPECT_NEAR(jackknife_deviation(steps), std::sqrt(1.0 / 3), 1e-12);
  EXPECT_NEAR(size_of({3, 4}), std::sqrt(12.5), 1e-12);
}

}  // namespace
}  // namespace sim::fit
