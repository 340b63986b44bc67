// SPDX-License-Identifier: Apache-2.0
// Published layouts: what a predicted order costs, and what a refusal is scored as.
#include "sim/validation/layouts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

TEST(RankCorrelation, IsOneOfTheSameOrderAndMinusOneOfTheReverse) {
  const std::vector<double> up{1, 2, 5, 9}, faster{10, 20, 30, 1000}, down{4, 3, 2, 1};
  EXPECT_NEAR(rank_correlation(up, faster), 1, 1e-12);
  EXPECT_NEAR(rank_correlation(up, down), -1, 1e-12);
  EXPECT_EQ(rank_correlation(up, std::vector<double>{7, 7, 7, 7}), 0);
}

// 1 - 6 sum d^2 / (n (n^2 - 1)), without ties; with two that are equal, of mean ranks.
TEST(RankCorrelation, IsSpearmans) {
  const std::vector<double> a{1, 2, 3, 4, 5}, b{2, 1, 4, 3, 5};
  EXPECT_NEAR(rank_correlation(a, b), 1 - 6.0 * 4 / (5 * 24), 1e-12);
  const std::vector<double> tied{1, 2, 2, 3};
  EXPECT_NEAR(rank_correlation(std::vector<double>{1, 2, 3, 4}, tied), 4.5 / std::sqrt(5 * 4.5),
              1e-12);
}

LayoutRow ran(const char* group, double measured) {
  return {.id = "a", .group = group, .ran = true, .tokens_per_s_per_gpu = measured};
}

TEST(Layouts, LoseWhatTheBestIsFasterThanTheOneThatIsPicked) {
  const std::vector<LayoutRow> rows{ran("a", 100), ran("a", 80), ran("b", 50), ran("b", 40)};
  std::vector<LayoutPrediction> predictions{{0.5, 10, 20}, {0.5, 12, 10}, {0.5, 9, 1}, {0.5, 8, 2}};
  LayoutScores scores = score_layouts(rows, predictions, 0);
  EXPECT_NEAR(scores.groups.at("a").simulated.regret, 0.25, 1e-12);
  EXPECT_EQ(scores.groups.at("b").simulated.regret, 0);
  EXPECT_NEAR(scores.simulated.regret, 0.125, 1e-12);
  EXPECT_EQ(scores.groups.at("a").serial.regret, 0);
  EXPECT_NEAR(scores.serial.regret, 0.125, 1e-12);
  // The one that was picked is predicted not to fit, so that the other one is.
  predictions[1].memory_share = 0.99;
  scores = score_layouts(rows, predictions, 0.02);
  EXPECT_EQ(scores.groups.at("a").simulated.regret, 0);
  EXPECT_EQ(scores.ran, 4);
  EXPECT_EQ(scores.ran_refused, 1);
}

TEST(Layouts, AreRefusedIfTheyNeedMoreThanTheHeadroomLeaves) {
  const std::vector<LayoutRow> rows{{.id = "out", .group = "a"}, {.id = "too", .group = "a"}};
  const LayoutScores scores =
      score_layouts(rows, std::vector<LayoutPrediction>{{.memory_share = 0.97}, {1.5}}, 0.02);
  EXPECT_EQ(scores.out_of_memory, 2);
  EXPECT_EQ(scores.out_refused, 1);
  EXPECT_TRUE(scores.groups.empty());
}

TEST(Layouts, AreReadFromThePublishedFile) {
  const auto rows = read_layouts(source_directory());
  int with_memory = 0;
  for (const LayoutRow& row : rows) {
    with_memory += row.ran ? 1 : 0;
    EXPECT_EQ(row.ran, row.tokens_per_s_per_gpu > 0) << row.id;
    EXPECT_NE(row.flags.find("--tp "), std::string::npos) << row.id;
  }
  EXPECT_EQ(rows.size(), 964U);
  EXPECT_EQ(with_memory, 401);
}

}  // namespace
}  // namespace sim::validation
