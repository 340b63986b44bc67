// SPDX-License-Identifier: Apache-2.0
// Rows of the table, the floor, the summary, and the table of the references.
#include "apps/calibrate/table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "apps/calibrate/architecture.hpp"
#include "apps/calibrate/cpu.hpp"
#include "apps/calibrate/summary.hpp"
#include "sim/times/calibration.hpp"
#include "tests/input_errors.hpp"

namespace calibrate {
namespace {

using codecs::Operation;

TEST(OperationNames, NameTheirOperations) {
  for (int i = 0; i <= static_cast<int>(Operation::decode_reduce_encode); ++i) {
    const auto operation = static_cast<Operation>(i);
    EXPECT_EQ(codecs::operation_named(name_of(operation)), operation);
  }
}

Json copy(double moved, double seconds) { return {{"moved_bytes", moved}, {"median_s", seconds}}; }

TEST(Floor, IsMeasuredAndInterpolatedInBothLogarithms) {
  const Floor floor(Json{copy(1e6, 2e-6), copy(4e6, 4e-6), copy(1e9, 1e-3)});
  EXPECT_DOUBLE_EQ(floor.seconds(1e6), 2e-6);
  EXPECT_DOUBLE_EQ(floor.seconds(2e6), std::sqrt(2e-6 * 4e-6));
  EXPECT_DOUBLE_EQ(floor.seconds(1), 2e-6) << "a launch costs what it costs";
  EXPECT_DOUBLE_EQ(floor.seconds(3e9), 3e-3);
  EXPECT_DOUBLE_EQ(floor.bandwidth_Bps(), 1e12);
}

KernelRow encode_row(std::size_t elements) {
  const codecs::Codec& codec = codecs::codec_named("int8_g128_hadamard_sr");
  return {.codec = &codec,
          .shape = {.operation = Operation::encode, .wire = codec.format},
          .elements = elements};
}

// 64 MiB at 90 % of the floor and 80 %, and a smaller size.
Json sample_table() {
  Json table{{"gpu", "a GPU"},
             {"kind", "measured"},
             {"provenance", {{"source", "a test"}}},
             {"memory_bandwidth_Bps", 1e12},
             {"copy_bandwidth_Bps", 9e11},
             {"launch_latency_s", 2e-6},
             {"gemm", Json::array()},
             {"copy", {copy(1e6, 1e-6), copy(1e9, 1e-3)}}};
  Json rows = Json::array();
  for (const auto& [elements, share] :
       {std::pair{std::size_t{1} << 24, 0.9}, {std::size_t{1} << 25, 0.8}, {4096, 0.1}}) {
    const double seconds = moved_bytes(encode_row(elements)) / 1e12 / share;
    rows.push_back(json_of(encode_row(elements), {.median_s = seconds, .launches = 31}));
  }
  table["codecs"] = by_kernel(rows);
  return table;
}

// One size of each step.
Json method_rows() {
  Json rows = Json::array();
  for (const codecs::MethodStep& step : codecs::all_method_steps()) {
    const codecs::StepShape shape{.elements = std::size_t{1} << 24,
                                  .ranks = step.takes_ranks ? 8u : 1u,
                                  .columns = step.takes_matrix ? 4096u : 0u,
                                  .factor_rank = step.takes_matrix ? 4u : 0u};
    rows.push_back(json_of(step, shape, {.median_s = 1e-3, .launches = 31}));
  }
  return by_kernel(rows);
}

TEST(Kernels, AreRowsWithListsOfSizesAndBack) {
  Json rows = Json::array();
  for (const std::size_t elements : {4096, 8192}) {
    rows.push_back(json_of(encode_row(elements), {.median_s = 1.234567e-5, .launches = 31}));
  }
  const Json kernels = by_kernel(rows);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0]["elements"], (Json{4096, 8192}));
  EXPECT_EQ(kernels[0]["codec"], "int8_g128_hadamard_sr");
  EXPECT_EQ(kernels[0]["median_s"][0], 1.2346e-5);
  const std::vector<Json> sizes = by_size(kernels[0]);
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[1]["elements"], rows[1]["elements"]);
  EXPECT_EQ(sizes[1]["moved_bytes"].get<double>(), rows[1]["moved_bytes"].get<double>());
}

TEST(Table, OfMethodsIsReadByTheSimulatorAndSummarised) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("methods_" + std::to_string(getpid()) + ".json");
  Json table = sample_table();
  table["methods"] = method_rows();
  std::ofstream(file) << text_of(table);
  const sim::Calibration calibration = sim::read_calibration(file);
  const std::string summary = summary_of_file(file);
  std::filesystem::remove(file);
  EXPECT_EQ(calibration.methods->size(), codecs::all_method_steps().size());
  EXPECT_EQ(calibration.methods->at("one_bit_adam/reduce/8/0")[0].elements, 1 << 24);
  EXPECT_EQ(calibration.methods->at("power_sgd/q/1/4")[0].seconds, 1e-3);
  for (const codecs::MethodStep& step : codecs::all_method_steps()) {
    EXPECT_NE(summary.find("\n" + std::string(step.method) + " "), std::string::npos);
  }
}

TEST(TableText, HasALineForEachRowAndIsTheSameTable) {
  Json table = sample_table();
  table["methods"] = method_rows();
  table["gpu"] = "\xff is no text";
  const std::string text = text_of(table);
  table["gpu"] = "\xEF\xBF\xBD is no text";
  EXPECT_EQ(Json::parse(text), table);
  for (const char* part : {"codecs", "methods"}) {
    for (const Json& row : table[part]) {
      EXPECT_NE(text.find("\n  " + row.dump()), std::string::npos) << row;
    }
  }
  EXPECT_NE(text.find("\n \"gemm\": []"), std::string::npos);
  EXPECT_EQ(text_of(Json{{"a", 1}}), "{\n \"a\": 1\n}\n");
}

TEST(Table, IsReadByTheSimulator) {
  const auto file = std::filesystem::path(testing::TempDir()) /
                    ("calibrate_" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << sample_table();
  const sim::Calibration table = sim::read_calibration(file);
  std::filesystem::remove(file);
  EXPECT_EQ(table.kind, "measured");
  EXPECT_EQ(table.kernels->at("int8_g128_hadamard_sr/encode/1/").size(), 3u);
}

TEST(Table, OfACpuIsReadForHostsAlone) {
  const auto file = std::filesystem::path(testing::TempDir()) /
                    ("processor_" + std::to_string(getpid()) + ".json");
  Settings settings;
  settings.sizes = {16384, 65536};
  const CpuTable measured = measure_cpu(settings);
  EXPECT_TRUE(measured.disagreed.empty());
  std::ofstream(file) << measured.table;
  const sim::Calibration table = sim::read_host_codecs(file);
  EXPECT_EQ(table.gpu, processor_name());
  EXPECT_EQ(table.kernels->at("sparseloco/encode_feedback/1/").size(), 2u);
  EXPECT_EQ(table.kernels->at("int8_g128/decode_reduce/4/").size(), 2u);
  EXPECT_GT(table.memory_share, 0);
  EXPECT_NE(input_error_of([&] {
              static_cast<void>(sim::read_calibration(file));
            }).find("/cpu: these times are of a CPU"),
            std::string::npos);
  const std::string summary = summary_of_file(file);
  EXPECT_TRUE(summary.starts_with(processor_name() + "\n")) << summary;
  EXPECT_NE(summary.find("\nsparseloco "), std::string::npos) << summary;
  EXPECT_EQ(summary.find("bar hold it"), std::string::npos) << summary;
  std::filesystem::remove(file);
}

TEST(Summary, SaysWhichRowsFromWhichSizeHoldTheBar) {
  const std::string text = summary_of(sample_table(), 64.0 * (1 << 20));
  EXPECT_NE(text.find("90.0 % holds"), std::string::npos) << text;
  EXPECT_NE(text.find("80.0 % BELOW"), std::string::npos) << text;
  EXPECT_EQ(text.find("10.0 %"), std::string::npos) << "a small size";
  EXPECT_NE(text.find("1 of 2 rows"), std::string::npos) << text;
}

TEST(Summary, OfAFileThatIsNoTableSaysSo) {
  EXPECT_NE(input_error_of([] { static_cast<void>(summary_of_file("missing.json")); }), "");
  Json table = sample_table();
  table.erase("copy");
  EXPECT_THROW(static_cast<void>(summary_of(table, 0)), Json::exception);
}

TEST(Bar, IsLowerForASearchAndNoneForPlainCodecs) {
  const codecs::Format groups = codecs::codec_named("int8_g128").format;
  EXPECT_EQ(bar_of(groups, Operation::encode), 0.85);
  codecs::Format top_k{.element = codecs::Element::codebook2, .group = 4096, .keep = 32};
  EXPECT_EQ(bar_of(top_k, Operation::encode_feedback), 0.60);
  EXPECT_EQ(bar_of(top_k, Operation::encode), std::nullopt);
  EXPECT_EQ(bar_of(top_k, Operation::decode), 0.85);
  EXPECT_EQ(bar_of({.element = codecs::Element::nf4, .group = 64}, Operation::encode),
            std::nullopt);
}

// A rule that no codec keeps excuses none, and is a mistake or a leftover.
TEST(PlainRules, AreEachThoseOfACodecAndNotOfAll) {
  for (const PlainRule& rule : plain_rules()) {
    int kept = 0;
    for (const codecs::Codec* codec : codecs::all_codecs()) {
      if (!rule.holds(codec->format)) continue;
      ++kept;
      EXPECT_EQ(bar_of(codec->format, Operation::decode), std::nullopt) << codec->name;
    }
    EXPECT_GT(kept, 0) << rule.what;
    EXPECT_LT(kept, 10) << rule.what;
  }
}

TEST(DefaultOutput, IsNamedAfterTheGpu) {
  EXPECT_EQ(default_output("NVIDIA H200"), "traces/calibration/nvidia_h200.json");
}

TEST(Architecture, OfTheKernelsIsTheGpus) {
  EXPECT_NO_THROW(require_native("a GPU", 90, 90));
  for (const auto& of : {std::pair{80, "H100 is sm_90: this program has only kernels for sm_80"},
                         {0, "H100 is sm_90: this program has no kernels for it"}}) {
    const std::string error = input_error_of([&] { require_native("H100", 90, of.first); });
    EXPECT_NE(error.find(of.second), std::string::npos) << error;
    EXPECT_NE(error.find("-DCMAKE_CUDA_ARCHITECTURES=90"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace calibrate
