// SPDX-License-Identifier: Apache-2.0
// How errors, speed-ups and rankings are counted, on rows made up for it.
#include "sim/validation/study.hpp"

#include <gtest/gtest.h>

namespace sim::validation {
namespace {

Row row(const std::string& model, const std::string& scheme, double measured, double predicted,
        bool used_in_fit = false) {
  const Setup setup{.cluster = "cluster", .model = model, .scheme = scheme};
  return {.measured = {"table/cluster/" + model + "/" + scheme, setup, Metric::tflops_per_gpu,
                       measured},
          .used_in_fit = used_in_fit,
          .predicted = {.blind = 2 * predicted, .fitted = predicted, .null_model = measured}};
}

const std::vector<Row> kRows{row("small", "sharded", 10, 10, true), row("small", "fast", 20, 22),
                             row("large", "sharded", 10, 8), row("large", "fast", 40, 40),
                             row("large", "faster", 50, 39)};

TEST(Study, ErrorsLeaveFittedRowsOut) {
  const Errors errors = row_errors(kRows, "table", Metric::tflops_per_gpu, &Columns::fitted);
  EXPECT_EQ(errors.count, 4);
  EXPECT_NEAR(errors.mean, (0.1 + 0.2 + 0 + 0.22) / 4, 1e-12);
  EXPECT_NEAR(errors.worst, 0.22, 1e-12);
  EXPECT_EQ(errors.worst_row, "table/cluster/large/faster");
}

TEST(Study, ErrorsOfTheDefaultLeaveOutWhatItRestsOn) {
  std::vector<Row> rows = kRows;
  rows[2].used_in_default = true;
  EXPECT_EQ(row_errors(rows, "table", Metric::tflops_per_gpu, &Columns::by_default).count, 3);
  EXPECT_EQ(row_errors(rows, "table", Metric::tflops_per_gpu, &Columns::blind).count, 4);
  // What is compared with that row rests on it too.
  const std::vector<SpeedUp> all = speed_ups(rows);
  EXPECT_EQ(speed_up_errors(all, "table", &Columns::by_default, false).count, 1);
  EXPECT_EQ(speed_up_errors(all, "table", &Columns::blind, false).count, 3);
}

TEST(Study, ErrorsAreOfOneTableMetricAndColumn) {
  EXPECT_EQ(row_errors(kRows, "other", Metric::tflops_per_gpu, &Columns::fitted).count, 0);
  EXPECT_EQ(row_errors(kRows, "table", Metric::gradient_exchange_ms, &Columns::fitted).count, 0);
  EXPECT_EQ(row_errors(kRows, "table", Metric::tflops_per_gpu, &Columns::null_model).worst, 0);
}

TEST(Study, SpeedUpsAreOverTheUncompressedRowOfTheSameModel) {
  const std::vector<SpeedUp> all = speed_ups(kRows);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_DOUBLE_EQ(all[0].published, 2);
  EXPECT_DOUBLE_EQ(all[0].predicted.fitted, 2.2);
  EXPECT_TRUE(all[0].used_in_fit) << "its baseline was";
  EXPECT_DOUBLE_EQ(all[2].published, 5);
  EXPECT_DOUBLE_EQ(all[2].predicted.fitted, 39.0 / 8);
  EXPECT_EQ(speed_up_errors(all, "table", &Columns::fitted, false).count, 3);
  EXPECT_EQ(speed_up_errors(all, "table", &Columns::fitted, true).count, 2);
}

TEST(Study, RankingCountsPairsAndWinners) {
  const Ranking fitted = ranking(kRows, &Columns::fitted);
  EXPECT_EQ(fitted.groups, 2);
  EXPECT_EQ(fitted.best_right, 1) << "large: fast is predicted ahead of faster";
  EXPECT_EQ(fitted.pairs, 1 + 3);
  EXPECT_EQ(fitted.pairs_right, 1 + 2);
  EXPECT_EQ(ranking(kRows, &Columns::null_model).best_right, 2);
}

}  // namespace
}  // namespace sim::validation
