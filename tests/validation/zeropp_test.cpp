// SPDX-License-Identifier: Apache-2.0
// The bars that predictions of ZeRO++'s published speed-ups are held to.
#include "sim/validation/zeropp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

constexpr const char* kZeroppTable = "zeropp_throughput";

const ZeroppStudy& zeropp_study() {
  static const ZeroppStudy all =
      predict_zeropp(source_directory(), read_zeropp(source_directory()), 1, [] {});
  return all;
}

Errors zeropp_throughputs(Column column) {
  return row_errors(zeropp_study().rows, kZeroppTable, Metric::tflops_per_gpu, column);
}
Errors speed_ups(Column column) {
  return speed_up_errors(zeropp_study().speed_ups, kZeroppTable, column, false);
}

TEST(Zeropp, SpeedUpsAreWithinTheBarAndCloserThanArithmetic) {
  EXPECT_EQ(speed_ups(&Columns::fitted).count, 6);
  EXPECT_LE(speed_ups(&Columns::fitted).mean, 0.06);
  EXPECT_LE(speed_ups(&Columns::fitted).worst, 0.10) << speed_ups(&Columns::fitted).worst_row;
  EXPECT_LT(speed_ups(&Columns::fitted).mean, speed_ups(&Columns::null_model).mean);
}

TEST(Zeropp, ThroughputsAreCloserThanArithmetic) {
  EXPECT_EQ(zeropp_throughputs(&Columns::fitted).count, 11);
  EXPECT_LE(zeropp_throughputs(&Columns::fitted).mean, 0.15);
  EXPECT_LT(zeropp_throughputs(&Columns::fitted).mean,
            zeropp_throughputs(&Columns::null_model).mean);
}

TEST(Zeropp, OneConstantIsFittedOnOneUncompressedRow) {
  EXPECT_EQ(zeropp_study().fitted.rows.size(), 1U);
  EXPECT_TRUE(zeropp_study().fitted.rows.front().ends_with("/sharded"));
  EXPECT_FALSE(zeropp_study().fitted.network_efficiency);
  int used = 0;
  for (const Row& row : zeropp_study().rows) used += row.used_in_fit ? 1 : 0;
  EXPECT_EQ(used, 1);
}

TEST(Zeropp, SlowerNetworksGainMore) {
  // 1, 2, 4 and 8 NICs with 2048 tokens.
  double before = 1e9;
  for (const std::size_t row : {1U, 2U, 4U, 5U}) {
    EXPECT_LT(zeropp_study().speed_ups[row].predicted.fitted, before);
    before = zeropp_study().speed_ups[row].predicted.fitted;
  }
}

TEST(Zeropp, RecomputationIsAThirdMoreWithoutTheHeads) {
  Model model = read_model(source_directory() / "traces/models/gpt_18b_zeropp.toml");
  EXPECT_LT(recomputed_flop(model), 4.0 / 3);
  EXPECT_GT(recomputed_flop(model), 1.3);
  model.vocabulary = 0;
  EXPECT_DOUBLE_EQ(recomputed_flop(model), 4.0 / 3);
}

}  // namespace
}  // namespace sim::validation
