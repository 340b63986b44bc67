// SPDX-License-Identifier: Apache-2.0
// validate two-nodes and opendiloco: rows by their closed forms, and predictions that were frozen before
// what was published was entered.
#include "sim/validation/site_rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sim/base/csv.hpp"
#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

constexpr double kStep_s = 61.1;
constexpr double kLink_Bps = 9.1e9 / 8;
constexpr double kAllReduce_Bps = 1.07e9;
constexpr double kValues = 8 * 3.26e9;  // that a node exchanges

std::vector<PublishedRound> rows_of(const char* study) {
  return predict_rounds(source_directory(), study);
}

PublishedRound two_nodes_row(const std::string& name) {
  for (const PublishedRound& row : rows_of("two-nodes")) {
    if (row.row == name) return row;
  }
  ADD_FAILURE() << name;
  return {};
}

// Of two nodes in a ring, each sends half of its values and then the sum of the other half: all of them
// once. Kernels, which take tens of milliseconds, come on top.
void expect_blocking(const PublishedRound& row, double steps, double step_s, double value_bytes) {
  const double bytes = kValues * value_bytes;
  EXPECT_NEAR(row.sent_bytes, bytes, 1);
  EXPECT_NEAR(row.arithmetic, step_s + bytes / kLink_Bps / steps, 1e-9);
  EXPECT_NEAR(*row.by_all_reduce, step_s + bytes / kAllReduce_Bps / steps, 1e-9);
  EXPECT_GE(row.predicted, row.arithmetic - 1e-6);
  EXPECT_LT(row.predicted, row.arithmetic + 0.2 / steps);
}

TEST(TwoNodes, BlockingRowsAreTheirStepsAndTheirBytes) {
  expect_blocking(two_nodes_row("batch 3072, FP32 gradients"), 1, kStep_s, 4);
  expect_blocking(two_nodes_row("batch 3072, BF16 gradients"), 1, kStep_s, 2);
  expect_blocking(two_nodes_row("batch 6144, BF16 gradients"), 1, 2 * kStep_s, 2);
  expect_blocking(two_nodes_row("DiLoCo, 30 steps, BF16"), 30, kStep_s, 2);
}

// The exchange takes less than a round's steps; what remains is encoding and the outer update.
TEST(TwoNodes, AnOverlappedExchangeIsHidden) {
  const PublishedRound row = two_nodes_row("DiLoCo, 30 steps, BF16, overlapped");
  EXPECT_NEAR(row.arithmetic, kStep_s, 1e-9);
  EXPECT_GT(row.predicted, kStep_s);
  EXPECT_LT(row.predicted, kStep_s + 0.2 / 30);
}

// Each of four workers sends 3/4 of its values twice, at 127 Mb/s.
TEST(OpenDiLoCo, SharesFollowFromTheSlowestLink) {
  const std::vector<PublishedRound> rows = rows_of("opendiloco");
  ASSERT_EQ(rows.size(), 1u);
  const double sending_s = 1.5 * 2 * 1.1e9 * 8 / 127e6;
  const double steps_s = 67.5 * 60;
  EXPECT_NEAR(rows.front().arithmetic, sending_s / (steps_s + sending_s), 1e-9);
  const double host_s = rows.front().predicted * steps_s / (1 - rows.front().predicted) - sending_s;
  EXPECT_GT(host_s, 0);
  EXPECT_LT(host_s, 3);  // 1.1e9 values encoded and decoded at 2e9 a second, and a pass
}

// Steps in BF16 within 5 %, DiLoCo's within 10 %, the share within two points.
TEST(PublishedRounds, AreWithinTheirBars) {
  int scored = 0;
  for (const char* study : {"two-nodes", "opendiloco"}) {
    for (const PublishedRound& row : rows_of(study)) {
      if (!row.is_scored()) continue;
      EXPECT_TRUE(row.within_bar()) << row.row << ": " << row.predicted;
      ++scored;
    }
  }
  EXPECT_EQ(scored, 5);
}

// On the stated link FP32 takes 45.9 s more than BF16; it was published as 32 s more. So it is no row
// that a model of this link could meet together with BF16's, and has no bar.
TEST(PublishedRounds, OfFp32DoNotFitTheLink) {
  const PublishedRound fp32 = two_nodes_row("batch 3072, FP32 gradients");
  const PublishedRound bf16 = two_nodes_row("batch 3072, BF16 gradients");
  EXPECT_FALSE(fp32.bar);
  EXPECT_GT((fp32.sent_bytes - bf16.sent_bytes) / kLink_Bps,
            1.4 * (*fp32.published - *bf16.published));
}

// A share is off by points, a time by its ratio; only rows with a bar and a measurement count.
TEST(RoundErrors, AreOfTheScoredRows) {
  const auto row = [](RoundQuantity quantity, std::optional<double> published,
                      std::optional<double> bar, double predicted) {
    PublishedRound one;
    one.quantity = quantity;
    one.published = published;
    one.bar = bar;
    one.predicted = predicted;
    one.arithmetic = 2 * predicted;
    return one;
  };
  constexpr auto kStep = RoundQuantity::step_s;
  const RoundErrors errors = errors_of({row(kStep, 100, 0.05, 104), row(kStep, 100, 0.05, 94),
                                        row(RoundQuantity::communication, 0.07, 0.02, 0.055),
                                        row(kStep, 100, {}, 1), row(kStep, {}, 0.05, 1)});
  EXPECT_EQ(errors.rows, 3);
  EXPECT_EQ(errors.within_bar, 2);
  EXPECT_NEAR(errors.mean, (0.04 + 0.06 + 0.015) / 3, 1e-12);
  EXPECT_NEAR(errors.arithmetic_mean, (1.08 + 0.88 + 0.04) / 3, 1e-12);
}

TEST(RoundPredictions, WereFrozenForEveryRow) {
  std::set<std::string> frozen, rows;
  for (const CsvRow& line :
       read_csv(source_directory() / "traces/predictions/site_rounds_2026-11-26.csv")) {
    frozen.insert(line.text("row"));
    EXPECT_FALSE(line.fields().contains("published"));
  }
  for (const char* study : {"two-nodes", "opendiloco"}) {
    for (const PublishedRound& row : rows_of(study)) rows.insert(row.row);
  }
  EXPECT_EQ(frozen, rows);
}

}  // namespace
}  // namespace sim::validation
