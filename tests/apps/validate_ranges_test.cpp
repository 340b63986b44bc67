// SPDX-License-Identifier: Apache-2.0
// validate ranges: its rows are ranges, and its scores are theirs.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/apps/answers.hpp"

namespace apps_tests {
namespace {

using nlohmann::json;

TEST(ValidateRanges, HasARangeAroundEachPrediction) {
  const json study = json_of("validate ranges");
  double error = 0;
  for (const json& row : study["rows"]) {
    const double published = row["published"], predicted = row["predicted"];
    EXPECT_LT(row["low"].get<double>(), predicted) << row["id"];
    EXPECT_GT(row["high"].get<double>(), predicted) << row["id"];
    EXPECT_EQ(row["inside"].get<bool>(), row["low"] <= published && published <= row["high"]);
    error += std::abs(predicted / published - 1);
  }
  const json& errors = study["errors"]["nothing_fitted"];
  const auto rows = static_cast<double>(study["rows"].size());
  EXPECT_EQ(errors["rows"].get<double>(), rows);
  EXPECT_NEAR(errors["mean"].get<double>(), error / rows, 1e-9);
}

// A collective that was measured tells how slow the network is, and narrows what was said of it.
TEST(ValidateRanges, AreNarrowerOnceACollectiveIsMeasured) {
  const json study = json_of("validate ranges");
  int measured = 0;
  for (const json& row : study["rows"]) {
    if (row["with_collective"].is_null()) continue;
    const auto width = [&](const char* low, const char* high) {
      return std::log(row[high].get<double>() / row[low].get<double>());
    };
    EXPECT_LT(width("with_collective_low", "with_collective_high"), width("low", "high"))
        << row["id"];
    ++measured;
  }
  EXPECT_GT(measured, 5);
}

}  // namespace
}  // namespace apps_tests
