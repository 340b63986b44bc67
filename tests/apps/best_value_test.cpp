// SPDX-License-Identifier: Apache-2.0
// The search for the best value, on functions whose summit is known.
#include "sim/study/search/best_value.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sim::study {
namespace {

// 1 at the summit, 1 - x^2 at e^x times as much.
double parabola(double value, double summit) {
  const double x = std::log(value / summit);
  return 1 - x * x;
}

TEST(BestValue, IsTheLastThatIsAboutAsGoodAsTheBest) {
  const double far = std::exp(std::sqrt(kAsGood));
  for (const double summit : {0.37, 20.0, 9000.0}) {
    int tries = 0;
    const Range range{1e-3, 1e6};
    const auto score = [&](double value) { return parabola(value, summit); };
    const auto step = [&] { ++tries; };
    EXPECT_NEAR(best_value(range, true, score, step).value, summit * far, 0.02 * summit);
    EXPECT_NEAR(best_value(range, false, score, step).value, summit / far, 0.02 * summit);
    EXPECT_LE(tries, 2 * most_best_tries(range));
  }
}

// Of whole numbers, the very one.
TEST(BestValue, OfWholeNumbersIsExact) {
  for (const double summit : {1.0, 7.0, 30.0, 777.0, 1000.0}) {
    const auto score = [&](double value) { return -std::abs(value - summit); };
    EXPECT_EQ(best_value({1, 1000, true}, true, score, [] {}).value, summit);
    EXPECT_EQ(best_value({1, 1000, true}, false, score, [] {}).value, summit);
  }
}

TEST(BestValue, OfAPlateauIsAnEndOfIt) {
  const auto score = [](double value) { return value >= 10 && value <= 50 ? 2.0 : 1.0; };
  EXPECT_EQ(best_value({1, 100, true}, true, score, [] {}).value, 50);
  EXPECT_EQ(best_value({1, 100, true}, false, score, [] {}).value, 10);
  EXPECT_EQ(best_value(
                {1, 100}, true, [](double) { return 1.0; }, [] {})
                .value,
            100);
}

// The better of two summits that are further apart than the values tried first.
TEST(BestValue, IsThatOfTheHigherSummit) {
  const auto score = [](double value) {
    return std::max(parabola(value, 5) - 0.1, parabola(value, 500));
  };
  EXPECT_NEAR(best_value({1, 1000}, true, score, [] {}).score, 1, 1e-4);
  EXPECT_NEAR(best_value({1, 1000}, true, score, [] {}).value, 500, 25);
}

}  // namespace
}  // namespace sim::study
