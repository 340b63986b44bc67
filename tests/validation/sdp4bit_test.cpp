// The bars that predictions of SDP4Bit's tables 2 and 4 are held to, and what its constants are.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sim/validation/constants.hpp"
#include "sim/validation/fit.hpp"
#include "sim/validation/readings.hpp"
#include "sim/validation/study.hpp"
#include "tests/validation/readme.hpp"

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
  static const std::vector<Row> all = predict_rows(inputs(), measurements(), [] {});
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

// README.md's numbers were made with exactly these.
TEST(Sdp4bit, ConstantsAreThoseOfThePublishedComparison) {
  const Fitted& a100 = inputs().clusters.at("sdp4bit_a100").fitted;
  EXPECT_EQ(a100.network_efficiency, 0.8272);
  EXPECT_EQ(a100.communicator_bandwidth, 13.72_GBps);
  EXPECT_EQ(a100.compute_efficiency, 0.6270);
  const Fitted& h800 = inputs().clusters.at("sdp4bit_h800").fitted;
  EXPECT_EQ(h800.network_efficiency, 0.1401);
  EXPECT_FALSE(h800.communicator_bandwidth);
  EXPECT_EQ(h800.compute_efficiency, 0.4008);
}

// "A100, GPT 1.3B" and "sharded *" of "sdp4bit_throughput/a100/gpt_1.3b/sharded".
std::pair<std::string, std::string> readme_name(const Row& row) {
  const Setup& setup = row.measured.setup;
  return {setup.cluster == "sdp4bit_a100" ? "A100, GPT " : "H800, GPT ",
          setup.scheme + (row.used_in_fit ? " *" : "")};
}

TEST(Sdp4bit, ReadmeShowsWhatIsPredicted) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> shown;
  for (const auto& cells : readme_rows()) {
    if (cells.size() == 10) shown[{cells[0], cells[1]}] = cells;
  }
  std::map<std::string, double> gains;
  for (const SpeedUp& one : speed_ups(rows())) gains[one.row] = one.predicted.fitted;
  int compared = 0;
  for (const Row& row : rows()) {
    if (table_of(row.measured.row) != kThroughput) continue;
    std::pair<std::string, std::string> name = readme_name(row);
    std::string size = row.measured.setup.model.substr(std::string("gpt_").size());
    size.back() = 'B';
    name.first += size;
    ASSERT_TRUE(shown.contains(name)) << name.first << " " << name.second;
    const auto number = [&](std::size_t cell) { return std::stod(shown.at(name)[cell]); };
    const Columns& predicted = row.predicted;
    EXPECT_EQ(number(2), row.measured.value) << row.measured.row;
    EXPECT_NEAR(number(3), predicted.fitted, 0.051) << row.measured.row;
    EXPECT_NEAR(number(5), predicted.blind, 0.051) << row.measured.row;
    EXPECT_NEAR(number(6), predicted.null_model, 0.051) << row.measured.row;
    EXPECT_NEAR(number(7), predicted.null_refit, 0.06) << row.measured.row;
    if (gains.contains(row.measured.row)) {
      EXPECT_NEAR(number(9), gains.at(row.measured.row), 0.0051) << row.measured.row;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 20);
}

TEST(Sdp4bit, ReadmeShowsTheErrors) {
  const std::vector<SpeedUp> gains = speed_ups(rows());
  const auto of_rows = [](const char* table, Metric metric) {
    return [=](Column column) { return row_errors(rows(), table, metric, column); };
  };
  const auto of_gains = [&](bool without_fitted) {
    return [&gains, without_fitted](Column column) {
      return speed_up_errors(gains, kThroughput, column, without_fitted);
    };
  };
  const auto expect_shown = [](const char* title, const auto& errors_of) {
    const std::vector<double> shown = readme_errors(title);
    ASSERT_EQ(shown.size(), 10u) << title;
    std::size_t i = 0;
    for (const Column column : {&Columns::blind, &Columns::by_default, &Columns::fitted,
                                &Columns::null_model, &Columns::null_refit}) {
      const Errors errors = errors_of(column);
      EXPECT_NEAR(shown[i++], errors.mean, 0.0006) << title;
      EXPECT_NEAR(shown[i++], errors.worst, 0.0006) << title;
    }
  };
  expect_shown("table 2, throughput, rows without *", of_rows(kThroughput, Metric::tflops_per_gpu));
  expect_shown("table 2, speed-up, all models", of_gains(false));
  expect_shown("table 2, speed-up, models without *", of_gains(true));
  expect_shown("table 4, gradient exchange",
               of_rows("sdp4bit_gradient_comm", Metric::gradient_exchange_ms));
  expect_shown("table 4, throughput", of_rows("sdp4bit_gradient_comm", Metric::tflops_per_gpu));
}

TEST(Constants, MoveRowsAndNameTheirSource) {
  // A row of each cluster is enough to see which numbers move one.
  std::vector<Measurement> some;
  for (const Measurement& one : measurements()) {
    if (one.setup.scheme == "sdp4bit" && one.setup.model == "gpt_1.3b") some.push_back(one);
  }
  int ticks = 0;
  const auto constants = list_constants(kFolder, inputs(), some, [&] { ++ticks; });
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
