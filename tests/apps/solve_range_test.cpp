// SPDX-License-Identifier: Apache-2.0
// The likely range of what solve finds.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "sim/study/search/break_even.hpp"
#include "sim/study/solve/solve.hpp"
#include "tests/apps/jobs.hpp"

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
    const auto [least, greatest] = ends_of({met_at(as_is), met_at(slower), met_at(faster)});
    EXPECT_EQ(least.met, 218);
    EXPECT_EQ(greatest.met, 243);
  }
}

// What is met everywhere needs less than any figure, what is met nowhere more.
TEST(SolveRange, EndsBeyondTheFigures) {
  const auto low = ends_of({met_at(218), everywhere(), met_at(243)});
  EXPECT_TRUE(low.first.found.always);
  EXPECT_EQ(low.second.met, 243);
  const auto high = ends_of({met_at(218), nowhere(), met_at(243)});
  EXPECT_EQ(high.first.met, 218);
  EXPECT_FALSE(high.second.found.ever);
}

// `run --break-even` and `solve --beats` ask the same, in either direction.
TEST(SolveRange, OfABreakEvenIsTheSameHoweverItIsAsked) {
  const std::string flags =
      "--topology dgx_h100_x16 --nodes 4 --model gpt_1.3b --overlap all --accumulation 8 --scheme ";
  const Job job = apps_tests::job_of(flags + "sdp4bit,sharded");
  StepTimes times(job);
  const std::span all(job.setups);
  const auto found = find_break_even(job, all.first(1), all.last(1), times);
  ASSERT_TRUE(found && found->low_Bps > 0);
  EXPECT_LT(found->low_Bps, found->pays_at_Bps);
  // Hidden communication does not tell them apart, nor does the model.
  EXPECT_TRUE(std::isinf(found->high_Bps));
  const auto solved = [&](const char* schemes, const char* beaten) {
    return solve(apps_tests::job_of(flags + schemes), nic_bandwidth(),
                 {.levels = {}, .beats = beaten});
  };
  const double Gbps = 1e9 / 8;
  const Answers up_to = solved("sdp4bit,sharded", "sharded");
  EXPECT_DOUBLE_EQ(up_to.as_is.front().met * Gbps, found->pays_at_Bps);
  EXPECT_DOUBLE_EQ(up_to.likely.front().first.met * Gbps, found->low_Bps);
  EXPECT_TRUE(up_to.likely.front().second.found.always);
  const Answers from = solved("sharded,sdp4bit", "sdp4bit");
  EXPECT_NEAR(from.likely.front().first.met * Gbps / found->low_Bps, 1, 0.03);
  EXPECT_FALSE(from.likely.front().second.found.ever);
}

}  // namespace
}  // namespace sim::study
