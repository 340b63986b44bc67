// SPDX-License-Identifier: Apache-2.0
// validate goodput: rows by their definition, and predictions that were frozen before them.
#include "sim/validation/goodput.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sim/base/csv.hpp"
#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

// Llama 3's own row is its rates', less what cannot fail while a failure is detected: 5 min of each
// 186 min. Plain arithmetic gives back the published number.
TEST(GoodputRows, OfTheRatesAreWhatTheyCameFrom) {
  const GoodputRow row = predict_goodputs(source_directory()).front();
  EXPECT_FALSE(row.counts);
  EXPECT_NEAR(row.arithmetic, 419, 1e-9);
  EXPECT_NEAR(row.predicted, 419 / (1 + 419.0 * 5 / (54 * 24 * 60)), 0.5);
}

TEST(GoodputRows, HaveRangesAroundTheirPredictions) {
  for (const GoodputRow& row : predict_goodputs(source_directory())) {
    EXPECT_LT(row.low, row.predicted) << row.row;
    EXPECT_GT(row.high, row.predicted) << row.row;
    if (row.quantity != GoodputQuantity::goodput) continue;
    EXPECT_GT(row.low, 0) << row.row;
    EXPECT_LT(row.high, 1) << row.row;
  }
}

// Rows off by 2 and by 1/2 are off by a factor of 2; bounds and rows that do not count are left out.
TEST(GoodputErrors, AreOfTheRowsThatCount) {
  const auto row = [](GoodputQuantity quantity, double published, double predicted) {
    GoodputRow one;
    one.quantity = quantity;
    one.published = published;
    one.predicted = one.arithmetic = predicted;
    one.low = predicted / 3;
    one.high = predicted * 1.5;
    return one;
  };
  std::vector<GoodputRow> rows{
      row(GoodputQuantity::interruptions, 10, 20), row(GoodputQuantity::mtbf_h, 10, 5),
      row(GoodputQuantity::goodput, 0.9, 0.8), row(GoodputQuantity::goodput, 0.9, 0.95),
      row(GoodputQuantity::interruptions, 1, 1000)};
  rows[3].is_bound = true;
  rows[4].counts = false;
  const GoodputErrors errors = errors_of(rows);
  EXPECT_NEAR(errors.factor, 2, 1e-12);
  EXPECT_EQ(errors.factors, 2);
  EXPECT_NEAR(errors.points, 0.1, 1e-12);
  EXPECT_EQ(errors.bounds_kept, 1);
  EXPECT_EQ(errors.bounds, 1);
  EXPECT_EQ(errors.in_range, 2);  // all but 10 of 5
  EXPECT_EQ(errors.ranged, 3);
}

TEST(GoodputPredictions, WereFrozenForEveryRow) {
  std::set<std::string> frozen, rows;
  for (const CsvRow& line :
       read_csv(source_directory() / "traces/predictions/goodput_2026-11-25.csv")) {
    frozen.insert(line.text("row"));
    EXPECT_FALSE(line.fields().contains("published"));
  }
  for (const GoodputRow& row : predict_goodputs(source_directory())) rows.insert(row.row);
  EXPECT_EQ(frozen, rows);
}

}  // namespace
}  // namespace sim::validation
