// SPDX-License-Identifier: Apache-2.0
// The bars that predictions of SDP4Bit's tables 2 and 4 are held to, and what its constants are.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sim/validation/constants.hpp"
#include "sim/validation/fit.hpp"
#include "sim/validation/readings.hpp"
#include "sim/validation/study.hpp"
#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

const std::filesystem::path kFolder = GARDENHOSE_SOURCE_DIR;
constexpr const char* kThroughput = "sdp4bit_throughput";

const std::vector<Measurement>& measurements() {
  static const std::vector<Measurement> all = read_sdp4bit(kFolder);
  return all;
}
const Inputs& inputs() {
  static const Inputs all = read_inputs(kFolder, measurements());
  return all;
}
const std::vector<Row>& rows() {
  static const std::vector<Row> all = predict_rows(inputs(), measurements(), 1, [] {});
  return all;
}

TEST(Sdp4bit, ThroughputsAreWithinTheBar) {
  const Errors fitted = row_errors(rows(), kThroughput, Metric::tflops_per_gpu, &Columns::fitted);
  EXPECT_EQ(fitted.count, 20 - 4);
  EXPECT_LE(fitted.mean, 0.05);
  EXPECT_LE(fitted.worst, 0.15) << fitted.worst_row;
  for (const Column null : {&Columns::null_model, &Columns::null_refit}) {
    const Errors without = row_errors(rows(), kThroughput, Metric::tflops_per_gpu, null);
    EXPECT_LE(fitted.mean, without.mean);
    EXPECT_LE(fitted.worst, without.worst);
  }
}

TEST(Sdp4bit, SpeedUpsAreWithinTheBar) {
  const std::vector<SpeedUp> all = speed_ups(rows());
  for (const bool without_fitted : {false, true}) {
    const Errors fitted = speed_up_errors(all, kThroughput, &Columns::fitted, without_fitted);
    EXPECT_EQ(fitted.count, without_fitted ? 6 : 10);
    EXPECT_LE(fitted.mean, 0.06);
    EXPECT_LE(fitted.worst, 0.15) << fitted.worst_row;
    for (const Column null : {&Columns::null_model, &Columns::null_refit}) {
      const Errors without = speed_up_errors(all, kThroughput, null, without_fitted);
      EXPECT_LE(fitted.mean, without.mean);
      EXPECT_LE(fitted.worst, without.worst);
    }
  }
}

TEST(Sdp4bit, EveryStrategyOfTable4IsWithinTenPercentAndUnfusedIsSlower) {
  std::map<std::pair<std::string, Metric>, double> predicted;
  for (const Row& row : rows()) {
    if (table_of(row.measured.row) != "sdp4bit_gradient_comm") continue;
    const std::string& scheme = row.measured.setup.scheme;
    predicted[{scheme, row.measured.metric}] = row.predicted.fitted;
    if (scheme == "sdp4bit_unfused") continue;
    EXPECT_NEAR(row.predicted.fitted / row.measured.value, 1, 0.10) << row.measured.row;
  }
  EXPECT_EQ(predicted.size(), 10u);
  EXPECT_LT(predicted.at({"sdp4bit_unfused", Metric::tflops_per_gpu}),
            predicted.at({"sdp4bit", Metric::tflops_per_gpu}));
  EXPECT_GT(predicted.at({"sdp4bit_unfused", Metric::gradient_exchange_ms}),
            predicted.at({"sdp4bit", Metric::gradient_exchange_ms}));
}

TEST(Sdp4bit, QuantisersWhoseRatesCountWiresTooAreSlowerOnTheA100Alone) {
  const std::vector<Row> other = counted_both_ways(inputs(), rows());
  ASSERT_EQ(other.size(), rows().size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    const Measurement& one = rows()[i].measured;
    const bool quantises = one.setup.cluster == "sdp4bit_a100" && one.setup.scheme != "sharded";
    const double ratio = other[i].predicted.fitted / rows()[i].predicted.fitted;
    const double time = one.metric == Metric::gradient_exchange_ms ? ratio : 1 / ratio;
    EXPECT_EQ(time > 1, quantises) << one.row;
    // INT8 codes and the scales of groups of 128 beside four bytes.
    EXPECT_LE(time, 1 + (1 + 4.0 / 128) / 4) << one.row;
  }
}

double speed_up(const std::string& cluster, const std::string& scheme) {
  Setup setup{.cluster = cluster, .model = "gpt_2.7b", .scheme = "sharded", .slices = 8};
  const double without = predict(inputs(), setup).tflops_per_gpu;
  setup.scheme = scheme;
  return predict(inputs(), setup).tflops_per_gpu / without;
}

TEST(Sdp4bit, HalvesOfItGainWhatThePaperShowsForGpt2_7b) {
  EXPECT_GE(speed_up("sdp4bit_a100", "qwd"), 1.15);
  EXPECT_LE(speed_up("sdp4bit_a100", "qwd"), 1.28);
  EXPECT_GE(speed_up("sdp4bit_a100", "tlq_hs"), 1.55);
  EXPECT_LE(speed_up("sdp4bit_a100", "tlq_hs"), 1.85);
  EXPECT_GE(speed_up("sdp4bit_h800", "qwd"), 1.06);
  EXPECT_LE(speed_up("sdp4bit_h800", "qwd"), 1.18);
  EXPECT_GE(speed_up("sdp4bit_h800", "tlq_hs"), 1.28);
  EXPECT_LE(speed_up("sdp4bit_h800", "tlq_hs"), 1.50);
}

TEST(Sdp4bit, FilesHoldTheConstantsThatTheirRowsGive) {
  for (const auto& [name, cluster] : inputs().clusters) {
    const Fitted again = fit(inputs(), name, fit_rows(inputs(), name, measurements()));
    const Fitted& file = cluster.fitted;
    EXPECT_NEAR(*again.network_efficiency / *file.network_efficiency, 1, 2e-3) << name;
    EXPECT_NEAR(*again.compute_efficiency / *file.compute_efficiency, 1, 2e-3) << name;
    ASSERT_EQ(again.communicator_bandwidth.has_value(), file.communicator_bandwidth.has_value());
    if (!file.communicator_bandwidth) continue;
    EXPECT_NEAR(again.communicator_bandwidth->base() / file.communicator_bandwidth->base(), 1, 2e-3)
        << name;
  }
}

TEST(Sdp4bit, ConstantsAreFittedOnUncompressedRowsOfAtMostTwoModels) {
  for (const auto& [name, cluster] : inputs().clusters) {
    std::map<std::string, int> models;
    for (const Measurement& one : fit_rows(inputs(), name, measurements())) {
      EXPECT_EQ(one.setup.scheme, "sharded") << one.row;
      ++models[one.setup.model];
    }
    EXPECT_GE(models.size(), 1u) << name;
    EXPECT_LE(models.size(), 2u) << name;
  }
}

TEST(Constants, MoveRowsAndNameTheirSource) {
  // A row of each cluster is enough to see which numbers move one.
  std::vector<Measurement> some;
  for (const Measurement& one : measurements()) {
    if (one.setup.scheme == "sdp4bit" && one.setup.model == "gpt_1.3b") some.push_back(one);
  }
  int ticks = 0;
  const auto constants = list_constants(kFolder, inputs(), some, 1, [&] { ++ticks; });
  EXPECT_EQ(ticks, constant_count(kFolder, inputs()));
  std::map<std::string, int> fitted;
  for (const Constant& one : constants) {
    EXPECT_NE(one.source, "") << one.file << " " << one.key;
    EXPECT_EQ(one.fitted, one.key.starts_with("fitted.")) << one.file << " " << one.key;
    fitted[one.file] += one.fitted ? 1 : 0;
  }
  EXPECT_GT(constants.size(), 20u);
  EXPECT_EQ(fitted.at("sdp4bit_a100.toml"), 3);
  EXPECT_EQ(fitted.at("sdp4bit_h800.toml"), 2);
}

}  // namespace
}  // namespace sim::validation
