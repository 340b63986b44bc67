// SPDX-License-Identifier: Apache-2.0
// The likely range of what solve finds.
#include <gtest/gtest.h>

#include <array>

#include "sim/study/solve/solve.hpp"

namespace sim::study {
namespace {

// Met at so many Gbps, and not with 1 % less.
Answer met_at(double figure) {
  return {.scheme = "sharded",
          .goal = "utilisation 0.99",
          .found = {.met = figure, .missed = figure / 1.01, .ever = true},
          .met = figure,
          .missed = figure / 1.01};
}

Answer everywhere() { return {.found = {.ever = true, .always = true}}; }
Answer nowhere() { return {}; }

// Near a utilisation of 1 a step may need less of the network than a slower and a faster one.
TEST(SolveRange, HoldsTheAnswerWhereTheQuestionIsNotMonotone) {
  for (const auto& [slower, as_is, faster] : {std::array{229.0, 218.0, 243.0},
                                              {218.0, 229.0, 243.0},
                                              {243.0, 229.0, 218.0},
                                              {218.0, 243.0, 229.0}}) {
    const auto [least, greatest] =
        ends_of({{met_at(as_is)}, {{met_at(slower)}, {met_at(faster)}}}, 0);
    EXPECT_EQ(least.met, 218);
    EXPECT_EQ(greatest.met, 243);
  }
}

// What is met everywhere needs less than any figure, what is met nowhere more.
TEST(SolveRange, EndsBeyondTheFigures) {
  const auto low = ends_of({{met_at(218)}, {{everywhere()}, {met_at(243)}}}, 0);
  EXPECT_TRUE(low.first.found.always);
  EXPECT_EQ(low.second.met, 243);
  const auto high = ends_of({{met_at(218)}, {{nowhere()}, {met_at(243)}}}, 0);
  EXPECT_EQ(high.first.met, 218);
  EXPECT_FALSE(high.second.found.ever);
}

}  // namespace
}  // namespace sim::study
