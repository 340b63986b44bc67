// SPDX-License-Identifier: Apache-2.0
// What is read of calibration tables, and which are refused.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

#include "tests/input_errors.hpp"
#include "tests/times/sample_calibration.hpp"

namespace sim {
namespace {

TEST(CalibrationFile, GivesItsRowsSortedAndItsProducts) {
  Json json = table_of(
      {row("int8_g128", "encode", 1 << 22, 0.5), row("int8_g128", "encode", 1 << 20, 0.2)});
  const auto product = [](const char* precision, int m) {
    return Json{{"precision", precision}, {"pass", "weight_gradient"}, {"m", m}, {"n", 2}, {"k", 3},
                {"median_s", 0.5}};
  };
  json["gemm"] = Json::array({product("bf16", 1), product("fp8", 4)});
  const Calibration table = read(json);
  EXPECT_EQ(table.name, "sample");
  EXPECT_EQ(table.gpu, "measured GPU");
  EXPECT_EQ(table.kind, "measured");
  EXPECT_EQ(table.source, "a test");
  EXPECT_EQ(table.memory_bandwidth, kTableBandwidth);
  ASSERT_EQ(table.kernels->size(), 1u);
  const auto& times = table.kernels->begin()->second;
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].elements, 1 << 20);
  EXPECT_EQ(times[1].elements, 1 << 22);
  ASSERT_EQ(table.gemm->size(), 2u);
  EXPECT_EQ((*table.gemm)[0].m, 1);
  EXPECT_EQ((*table.gemm)[0].seconds, 0.5);
  EXPECT_EQ((*table.gemm)[0].gradient, Gradient::weights);
  EXPECT_EQ((*table.gemm)[1].precision, MatrixPrecision::fp8);
}

TEST(CalibrationFile, GivesTheSpreadOfEachKernelsLaunches) {
  Json table = table_of({row("int8_g128", "encode", 1 << 20, 0.5)});
  EXPECT_EQ(read(table).kernels->begin()->second.front().spread, 0);
  Json& only = table["codecs"][0];
  only["spread_s"] = one(only["median_s"][0].get<double>() / 4);
  EXPECT_DOUBLE_EQ(read(table).kernels->begin()->second.front().spread, 0.25);
  only["spread_s"] = one(-1);
  const std::string error = input_error_of([&] { static_cast<void>(read(table)); });
  EXPECT_NE(error.find("sample.json: /codecs/0/spread_s/0: "), std::string::npos) << error;
}

TEST(CalibrationFile, TakesTheFirstAndTheLastPlausibleValue) {
  const auto error_of = [](const char* key, double value) {
    Json table = table_of({row("int8_g128", "encode", 1 << 20, 0.5)});
    if (key == std::string("median_s")) {
      table["codecs"][0][key] = one(value);
    } else {
      table[key] = value;
    }
    return input_error_of([&] { static_cast<void>(read(table)); });
  };
  for (const auto& [key, first, last] :
       {std::tuple{"median_s", 1e-12, 1e6}, std::tuple{"memory_bandwidth_Bps", 1e3, 1e18}}) {
    for (const double plausible : {first, last}) {
      EXPECT_EQ(error_of(key, plausible).find("plausible"), std::string::npos) << key << plausible;
    }
    for (const double other : {first * 0.99, last * 1.01}) {
      EXPECT_NE(error_of(key, other).find("is not a plausible"), std::string::npos) << key << other;
    }
  }
}

TEST(CalibrationFile, OfAnotherWireLayoutIsStale) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  EXPECT_EQ(input_error_of([&] { static_cast<void>(read(json)); }), "");
  json["codecs"][0]["encoded_bytes"] = one(1);
  const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
  // 2^20 codes and 2^13 scales of 4 bytes.
  EXPECT_NE(error.find("sample.json: /codecs/0/encoded_bytes/0: the codec encodes 1048576 elements "
                       "into 1081344 bytes; calibrate again"),
            std::string::npos)
      << error;
}

TEST(CalibrationFile, OfOtherTrafficIsStale) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  json["codecs"][0]["moved_bytes"] = one(5 * (1 << 20));
  const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
  EXPECT_NE(error.find("/codecs/0/moved_bytes/0: the kernel moves 5275648 bytes; calibrate again"),
            std::string::npos)
      << error;
}

TEST(CalibrationFile, NamesCodecsThatExist) {
  Json json = table_of({row("int8_g128", "decode_reduce_encode", 1 << 20, 0.2, 8, "int4_g128")});
  EXPECT_EQ(input_error_of([&] { static_cast<void>(read(json)); }), "");
  json["codecs"][0]["to"] = "int5_g128";
  EXPECT_NE(input_error_of([&] {
              static_cast<void>(read(json));
            }).find("/codecs/0/to: unknown codec int5_g128"),
            std::string::npos);
  json = table_of({row("int8_g128", "decode", 1 << 20, 0.2)});
  json["codecs"][0]["to"] = "int4_g128";
  EXPECT_NE(input_error_of([&] { static_cast<void>(read(json)); }).find("/codecs/0/to: "),
            std::string::npos);
}

TEST(CalibrationFile, KeepsKernelsApartThatReadBfloat16) {
  Json narrow = row("int8_g128", "encode", 1 << 20, 0.2);
  narrow["value_bytes"] = 2;
  narrow["moved_bytes"] = one(3.03125 * (1 << 20));
  narrow["median_s"] = one(0.5);
  const Calibration table = read(table_of({row("int8_g128", "encode", 1 << 20, 0.2), narrow}));
  KernelUse encode = use("int8_g128", codecs::Operation::encode, 1 << 20);
  EXPECT_LT(kernel_time(table, tables_gpu(), encode).seconds, 0.5);
  encode.shape.value_bytes = 2;
  EXPECT_EQ(kernel_time(table, tables_gpu(), encode).seconds, 0.5);
}

TEST(CalibrationFile, OfACpuIsRefusedAndSaysSo) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  json["cpu"] = "a processor";
  const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
  EXPECT_NE(error.find("sample.json: /cpu: these times are of a CPU"), std::string::npos) << error;
}

Json method_row() {
  // Of 8 ranks: shards of 2^17 signs and a scale in 16 bytes; the encode reads values and residual
  // twice and writes the residual.
  constexpr int kWire = (1 << 14) + 16;
  return {{"method", "one_bit_adam"},    {"step", "encode"},
          {"elements", one(1 << 20)},    {"ranks", 8},
          {"encoded_bytes", one(kWire)}, {"moved_bytes", one(20 * (1 << 20) + 8 * kWire)},
          {"median_s", one(1e-4)}};
}

TEST(CalibrationFile, GivesTheStepsOfMethods) {
  Json json = table_of({});
  json["methods"] = Json::array({method_row()});
  const Calibration table = read(json);
  ASSERT_EQ(table.methods->size(), 1u);
  EXPECT_EQ(table.methods->at("one_bit_adam/encode/8/0")[0].seconds, 1e-4);
  EXPECT_TRUE(table.kernels->empty());
}

TEST(CalibrationFile, OfMethodsThatAreNotTheCodecsIsRefused) {
  const std::pair<Json, const char*> wrong[] = {
      {{{"step", "encodes"}}, "/methods/0/step: unknown step of a method: one_bit_adam encodes"},
      {{{"encoded_bytes", one(16399)}},
       "/methods/0/encoded_bytes/0: the codec encodes 1048576 elements"},
      {{{"moved_bytes", one(1e7)}}, "/methods/0/moved_bytes/0: the kernel moves 21102720 bytes"},
      {{{"ranks", 3}}, "/methods/0: the method does not take this tensor"},
      {{{"ranks", 4}}, "/methods/0/encoded_bytes"},
      {{{"columns", 128}}, "/methods/0/columns: this step does not take this parameter"},
      {{{"rank", 8}}, "unknown key rank"},
      {{{"median_s", one(0)}}, "/methods/0/median_s"},
      {{{"median_s", Json::array({1e-4, 1e-4})}}, "/methods/0/median_s: has 2 elements, not 1"}};
  for (const auto& [change, message] : wrong) {
    Json json = table_of({});
    json["methods"] = Json::array({method_row()});
    json["methods"][0].update(change);
    const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
  Json twice = table_of({});
  twice["methods"] = {method_row(), method_row()};
  EXPECT_NE(input_error_of([&] { static_cast<void>(read(twice)); }).find("appear twice"),
            std::string::npos);
}

// A table with everything that gardenhose-calibrate measures of a GPU.
Json whole_table() {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  json["copy_bandwidth_Bps"] = 0.75 * kTableBandwidth.base();
  json["launch_latency_s"] = 3e-6;
  json["copy"] = {{{"moved_bytes", 1e6}, {"method", "kernel"}, {"median_s", 1e-6}}};
  json["passes"] = {{{"pass", "adam"}, {"elements", 4}, {"moved_bytes", 112}, {"median_s", 2e-6}},
                    {{"pass", "adam"}, {"elements", 2}, {"moved_bytes", 56}, {"median_s", 1e-6}}};
  return json;
}

TEST(CalibrationFile, GivesWhatWasMeasuredOfTheGpu) {
  const Calibration table = read(whole_table());
  EXPECT_EQ(table.copy_bandwidth, 0.75 * kTableBandwidth);
  EXPECT_EQ(table.launch_latency, 3_us);
  ASSERT_EQ(table.passes.at(Pass::adam).size(), 2u);
  EXPECT_EQ(table.passes.at(Pass::adam)[0].moved_bytes, 56);
}

TEST(LeastPassTime, IsNeverAboveThatOfPassesOfSoManyBytesInPieces) {
  Json json = whole_table();
  json["passes"] = Json::array();
  const std::pair<double, double> sizes[] = {{1e6, 3e-6}, {1e7, 6e-6}, {1e9, 1e-3}};
  for (const auto& [moved, seconds] : sizes) {
    json["passes"].push_back(
        {{"pass", "adam"}, {"elements", 4}, {"moved_bytes", moved}, {"median_s", seconds}});
  }
  const Calibration table = read(json);
  for (const double bytes : {1e5, 1e6, 3e6, 1e8, 1e10}) {
    const double least = least_pass_time(table, tables_gpu(), bytes, 1);
    for (const int pieces : {1, 2, 7, 100}) {
      const auto piece = pass_time(table, tables_gpu(), Pass::adam, bytes / pieces);
      EXPECT_LE(least, pieces * piece.value_or(0) * (1 + 1e-12)) << bytes << " " << pieces;
    }
  }
  EXPECT_EQ(least_pass_time(table, tables_gpu(), 1e9, 1e-9), 1e-9) << "others were not measured";
  EXPECT_EQ(least_pass_time(table, sample_gpu(), 1e9, 1), 1) << "nor another GPU";
}

TEST(CalibrationFile, WithAMisspeltKeyIsRefused) {
  for (const char* part : {"codecs", "copy", "passes"}) {
    Json json = whole_table();
    json[part][0]["mediam_s"] = 1;
    EXPECT_NE(input_error_of([&] { static_cast<void>(read(json)); }).find("unknown key mediam_s"),
              std::string::npos)
        << part;
  }
}

TEST(CalibrationFile, OfNoPossibleTimeOrRateIsRefused) {
  for (const char* key : {"memory_bandwidth_Bps", "copy_bandwidth_Bps", "launch_latency_s"}) {
    for (const double wrong : {1e-300, 1e300}) {
      Json json = whole_table();
      json[key] = wrong;
      EXPECT_NE(input_error_of([&] { static_cast<void>(read(json)); }).find(key),
                std::string::npos);
    }
  }
  for (const double wrong : {1e-300, 1e300}) {
    Json json = whole_table();
    json["codecs"][0]["median_s"] = one(wrong);
    EXPECT_NE(input_error_of([&] { static_cast<void>(read(json)); }).find("/codecs/0/median_s/0: "),
              std::string::npos);
  }
}

TEST(MeasuredGpu, IsTheDataSheetsWithWhatWasMeasured) {
  const Calibration table = read(whole_table());
  const Gpu measured = as_measured(tables_gpu(), table);
  EXPECT_DOUBLE_EQ(measured.memory_efficiency, 0.75);
  EXPECT_EQ(measured.launch_latency, 3_us);
  EXPECT_EQ(measured.memory_bandwidth, tables_gpu().memory_bandwidth);
}

TEST(MeasuredGpu, OfAnotherTableOrOfNoneIsTheDataSheets) {
  Gpu other = tables_gpu();
  other.name = "another GPU";
  for (const auto& [gpu, table] :
       {std::pair{other, read(whole_table())}, {tables_gpu(), read(table_of({}))}}) {
    EXPECT_EQ(as_measured(gpu, table).memory_efficiency, gpu.memory_efficiency);
    EXPECT_EQ(as_measured(gpu, table).launch_latency, gpu.launch_latency);
  }
}

// Devices of today do not say it.
TEST(CalibrationFile, WithoutTheDataSheetsBandwidthScalesByItsCopies) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.5)});
  json["memory_bandwidth_Bps"] = nullptr;
  EXPECT_NE(input_error_of([&] { static_cast<void>(read(json)); }).find("memory_bandwidth_Bps"),
            std::string::npos)
      << "there is nothing to scale by";
  json["copy_bandwidth_Bps"] = 0.75 * kTableBandwidth.base();
  const Calibration table = read(json);
  EXPECT_DOUBLE_EQ(table.memory_share, 0.5 / 0.75);
  // Of twice the bandwidth, of which copies reach 0.6.
  Gpu other = tables_gpu();
  other.name = "another GPU";
  other.memory_bandwidth = 2 * kTableBandwidth;
  other.memory_efficiency = 0.6;
  const double own = table.kernels->begin()->second.front().seconds;
  const KernelUse known = use("int8_g128", codecs::Operation::encode, 1 << 20);
  EXPECT_NEAR(kernel_time(table, other, known).seconds, 3.4e-6 + (own - 3.4e-6) * 0.75 / (2 * 0.6),
              1e-6);
  const KernelUse unknown = use("int4_g128", codecs::Operation::encode, 1 << 20);
  const codecs::Traffic traffic = codecs::memory_traffic(unknown.shape);
  const double copied = 2 * 0.6 * kTableBandwidth.base();
  EXPECT_DOUBLE_EQ(kernel_time(table, other, unknown).seconds,
                   seconds_of_bytes(other, Bandwidth::from_base(copied * 0.5 / 0.75),
                                    (traffic.read + traffic.written) * (1 << 20)));
}

TEST(CalibrationFile, OfKernelsThatWereCompiledForAnotherGpuIsRefused) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.5)});
  json["provenance"]["device"] = "NVIDIA H100, 81559 MiB, 132 multiprocessors, sm_90";
  json["provenance"]["architecture"] = "sm_90";
  EXPECT_EQ(input_error_of([&] { static_cast<void>(read(json)); }), "");
  json["provenance"]["architecture"] = "sm_80";
  const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
  EXPECT_NE(error.find("/provenance/architecture: the kernels were compiled for sm_80"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace sim
