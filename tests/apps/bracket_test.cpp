// SPDX-License-Identifier: Apache-2.0
// Two ways to search for the value at which a goal starts or stops being met.
#include "sim/study/search/bracket.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace sim::study {
namespace {

using Margin = std::function<double(double)>;

constexpr Range kFactors{.lowest = 1.0 / 256, .highest = 256};

struct Tried {
  Found found;
  int tries = 0;
};

Tried by_verdict(const Range& range, const Margin& margin) {
  Tried tried;
  tried.found = bracket(
      range, [&](double value) { return margin(value) > 0; }, [&] { ++tried.tries; });
  return tried;
}

Tried by_margin(const Range& range, const Margin& margin) {
  Tried tried;
  tried.found = bracket_by_margin(range, margin, [&] { ++tried.tries; });
  return tried;
}

void expect_same_ends(const Range& range, const Margin& margin) {
  const Found one = by_verdict(range, margin).found, other = by_margin(range, margin).found;
  EXPECT_EQ(one.met, other.met);
  EXPECT_EQ(one.missed, other.missed);
  EXPECT_EQ(one.ever, other.ever);
  EXPECT_EQ(one.always, other.always);
}

// What is sent takes a time in proportion to the inverse of a bandwidth: two tries confirm the ends that the
// margins at the ends of the range foretell.
TEST(BracketByMargin, FindsWhereALineInTheInverseIsZeroWithFourTries) {
  for (const double change : {0.013, 0.37, 1.0, 20.0, 231.0}) {
    for (const double sign : {1, -1}) {
      const auto line = [&](double value) { return sign * (1 / value - 1 / change); };
      expect_same_ends(kFactors, line);
      EXPECT_LE(by_margin(kFactors, line).tries, 4) << change;
    }
  }
}

TEST(BracketByMargin, HasTheEndsThatVerdictsHaveWhateverTheMargin) {
  for (const double change : {0.0051, 0.37, 16.0, 255.0}) {
    const std::vector<Margin> margins{
        [&](double value) { return value < change ? 1.0 : -1e-9; },
        [&](double value) { return value < change ? 1e-9 : -1.0; },
        [&](double value) { return value < change ? 2.0 : 0.0; },
        [&](double value) { return std::expm1(10 * std::log(value / change)); },
        [&](double value) { return std::max(1 / value, 1 / change) - 2 / change; },
        [&](double value) { return -std::atan(value - change); }};
    for (const Margin& margin : margins) {
      expect_same_ends(kFactors, margin);
      expect_same_ends({.lowest = 1.0 / 256, .highest = 256, .close = 1.1}, margin);
      EXPECT_LE(by_margin(kFactors, margin).tries, 4 * most_tries(kFactors));
    }
  }
}

TEST(BracketByMargin, TellsWhatChangesNowhere) {
  expect_same_ends(kFactors, [](double) { return 1; });
  expect_same_ends(kFactors, [](double) { return 0; });
}

}  // namespace
}  // namespace sim::study
