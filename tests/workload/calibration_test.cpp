// Calibration: times between and beyond the measured sizes, on other GPUs, and where nothing was
// measured; and which tables are refused.
#include "sim/workload/calibration.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/workload/calibration_rows.hpp"
#include "tests/input_errors.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

using codecs::Operation;
using Json = nlohmann::json;

// The sample GPU has 2 TB/s; that of the tables 1 TB/s.
constexpr Bandwidth kTableBandwidth = 1000_GBps;
Gpu sample_gpu() { return sample_cluster({}).gpu; }
Gpu tables_gpu() {
  Gpu gpu = sample_gpu();
  gpu.name = "measured GPU";
  gpu.memory_bandwidth = kTableBandwidth;
  return gpu;
}

codecs::Format format_of(const std::string& codec) { return codecs::codec_named(codec).format; }

double moved_bytes(const codecs::KernelShape& shape, double elements) {
  const codecs::Traffic traffic = codecs::memory_traffic(shape);
  return (traffic.read + traffic.written) * elements;
}

// A row that moves its bytes at `share` of the table's bandwidth.
Json row(const std::string& codec, const std::string& operation, double elements, double share,
         int inputs = 1, const std::string& to = "") {
  codecs::KernelShape shape{.operation = operation_named(operation).value_or(Operation::encode),
                            .wire = format_of(codec),
                            .inputs = inputs};
  if (!to.empty()) shape.wire_out = format_of(to);
  const double moved = moved_bytes(shape, elements);
  return {{"codec", codec},
          {"to", to},
          {"operation", operation},
          {"inputs", inputs},
          {"elements", elements},
          {"encoded_bytes", codecs::encoded_bytes(codecs::codec_named(codec).format,
                                                  static_cast<std::size_t>(elements))},
          {"moved_bytes", moved},
          {"median_s", moved / (share * kTableBandwidth.base())},
          {"spread_s", nullptr}};
}

Json table_of(const std::vector<Json>& rows) {
  return {{"gpu", "measured GPU"},
          {"kind", "measured"},
          {"provenance", {{"source", "a test"}}},
          {"memory_bandwidth_Bps", kTableBandwidth.base()},
          {"gemm", Json::array()},
          {"codecs", rows}};
}

// Read as it is from a file "sample.json".
Calibration read(const Json& table) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("tables_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "sample.json") << table;
  try {
    Calibration calibration = read_calibration(folder / "sample.json");
    fs::remove_all(folder);
    return calibration;
  } catch (...) {
    fs::remove_all(folder);
    throw;
  }
}

KernelUse use(const char* codec, Operation operation, double elements) {
  return {.shape = {.operation = operation, .wire = codecs::codec_named(codec).format},
          .elements = elements};
}

// Encodes of four sizes, in no order: the larger the input, the more of the bandwidth.
Calibration sample_table() {
  return read(table_of(
      {row("int8_g128", "encode", 1 << 24, 0.8), row("int8_g128", "encode", 1 << 20, 0.2),
       row("int8_g128", "encode", 1 << 26, 0.9), row("int8_g128", "encode", 1 << 22, 0.5)}));
}
double encode_s(const Calibration& table, const Gpu& gpu, double elements) {
  return kernel_time(table, gpu, use("int8_g128", Operation::encode, elements)).seconds;
}

TEST(KernelTime, IsTheMeasuredOneAtMeasuredSizes) {
  const Calibration table = sample_table();
  for (const auto& [elements, share] :
       {std::pair{1 << 20, 0.2}, {1 << 22, 0.5}, {1 << 24, 0.8}, {1 << 26, 0.9}}) {
    // 4 bytes are read, and 1 + 4/128 written.
    EXPECT_DOUBLE_EQ(encode_s(table, tables_gpu(), elements), 5.03125 * elements / (share * 1e12));
  }
}

TEST(KernelTime, GrowsWithTheSizeAlongAStraightLineInBothLogarithms) {
  const Calibration table = sample_table();
  const auto time = [&](double elements) { return encode_s(table, tables_gpu(), elements); };
  double before = time(1 << 20);
  for (double elements = 1.01 * (1 << 20); elements < 1 << 28; elements *= 1.01) {
    EXPECT_GT(time(elements), before);
    EXPECT_LT(time(elements), before * 1.02);  // and without a jump
    before = time(elements);
  }
  // The geometric mean of two sizes takes that of their times.
  EXPECT_DOUBLE_EQ(time(1 << 21), std::sqrt(time(1 << 20) * time(1 << 22)));
  EXPECT_DOUBLE_EQ(time(1 << 25), std::sqrt(time(1 << 24) * time(1 << 26)));
}

TEST(KernelTime, BelowTheSmallestSizeIsItsTimeAndAboveTheLargestHasItsRate) {
  const Calibration table = sample_table();
  const double smallest = encode_s(table, tables_gpu(), 1 << 20);
  for (const double elements : {1.0, 1000.0, 1e6}) {
    EXPECT_EQ(encode_s(table, tables_gpu(), elements), smallest);
  }
  const double largest = encode_s(table, tables_gpu(), 1 << 26);
  for (const double times : {1.5, 2.0, 1e6}) {
    EXPECT_NEAR(encode_s(table, tables_gpu(), times * (1 << 26)) / (times * largest), 1, 1e-12);
  }
  EXPECT_EQ(encode_s(table, tables_gpu(), 0), 0);
  EXPECT_EQ(encode_s(roofline(), tables_gpu(), 0), 0);
}

TEST(KernelTime, OnAnotherGpuIsScaledByMemoryBandwidth) {
  const Calibration table = sample_table();
  for (const double elements : {1e3, 3e6, 1e9}) {
    EXPECT_DOUBLE_EQ(encode_s(table, sample_gpu(), elements),
                     encode_s(table, tables_gpu(), elements) / 2);
  }
}

TEST(KernelTime, ThatTheTableLacksIsOfTheBytesAtItsMedianShareAndALaunch) {
  // At their largest sizes the kernels reach 0.5, 0.9 and 0.6.
  const Calibration table = read(table_of(
      {row("int8_g128", "encode", 1 << 20, 0.2), row("int8_g128", "encode", 1 << 22, 0.5),
       row("int8_g128", "decode", 1 << 26, 0.9), row("int4_g128", "decode", 1 << 20, 0.6)}));
  EXPECT_DOUBLE_EQ(table.memory_share, 0.6);
  Gpu gpu = sample_gpu();
  gpu.launch_latency = 3_us;
  gpu.memory_efficiency = 0.8;
  // BF16 from FP32: 4 bytes read and 2 written; 2 TB/s.
  const KernelUse lacking = use("bf16", Operation::encode, 1e9);
  EXPECT_DOUBLE_EQ(kernel_time(table, gpu, lacking).seconds, 3e-6 + 6e9 / (0.6 * 2e12));
  // Without any table, at the share that the GPU's copies reach.
  EXPECT_EQ(roofline().memory_share, 0);
  EXPECT_DOUBLE_EQ(kernel_time(roofline(), gpu, lacking).seconds, 3e-6 + 6e9 / (0.8 * 2e12));
  EXPECT_DOUBLE_EQ(kernel_time(read(table_of({})), gpu, lacking).seconds,
                   3e-6 + 6e9 / (0.8 * 2e12));
}

TEST(MemoryShare, OfAnEvenNumberOfKernelsIsTheMeanOfTheMiddleTwo) {
  const Calibration table = read(table_of(
      {row("int8_g128", "encode", 1 << 22, 0.1), row("int8_g128", "decode", 1 << 22, 0.9),
       row("int4_g128", "encode", 1 << 22, 0.6), row("int4_g128", "decode", 1 << 22, 0.4)}));
  EXPECT_DOUBLE_EQ(table.memory_share, 0.5);
}

TEST(KernelTime, SaysWhereItComesFrom) {
  const Calibration table = sample_table();
  const auto source = [](const Calibration& from, const Gpu& gpu, const char* codec) {
    return kernel_time(from, gpu, use(codec, Operation::encode, 1e6)).source;
  };
  EXPECT_EQ(source(table, tables_gpu(), "int8_g128"), "measured on measured GPU (sample)");
  EXPECT_EQ(source(table, sample_gpu(), "int8_g128"),
            "extrapolated by memory bandwidth from measured GPU (sample)");
  EXPECT_EQ(source(table, tables_gpu(), "bf16"),
            "roofline: bytes over 90 % of memory bandwidth, as sample reaches");
  EXPECT_EQ(source(roofline(), tables_gpu(), "bf16"), "roofline: bytes over memory bandwidth");
  Json published = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  published["kind"] = "published";
  EXPECT_EQ(source(read(published), tables_gpu(), "int8_g128"),
            "published on measured GPU (sample)");
}

TEST(KernelTime, IsOfTheVeryKernel) {
  // Of four reductions that differ in one respect each, every one is found.
  const Calibration table =
      read(table_of({row("int8_g128", "decode_reduce", 1 << 20, 0.1, 8),
                     row("int8_g128", "decode_reduce", 1 << 20, 0.2, 4),
                     row("int8_g128", "decode_reduce_encode", 1 << 20, 0.3, 8, "int4_g128"),
                     row("int8_g128", "decode_reduce_encode", 1 << 20, 0.4, 8, "int8_g128")}));
  const auto share = [&](Operation operation, int inputs, const char* to) {
    KernelUse one = use("int8_g128", operation, 1 << 20);
    one.shape.inputs = inputs;
    if (operation == Operation::decode_reduce_encode) {
      one.shape.wire_out = codecs::codec_named(to).format;
    }
    return moved_bytes(one.shape, 1 << 20) / (kernel_time(table, tables_gpu(), one).seconds * 1e12);
  };
  EXPECT_NEAR(share(Operation::decode_reduce, 8, ""), 0.1, 1e-12);
  EXPECT_NEAR(share(Operation::decode_reduce, 4, ""), 0.2, 1e-12);
  EXPECT_NEAR(share(Operation::decode_reduce_encode, 8, "int4_g128"), 0.3, 1e-12);
  EXPECT_NEAR(share(Operation::decode_reduce_encode, 8, "int8_g128"), 0.4, 1e-12);
}

TEST(Formats, AreFoundInTablesByTheirCodecsNames) {
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    EXPECT_EQ(codecs::format_name(codec->format), codec->name);
  }
}

TEST(CalibrationFile, GivesItsRowsSortedAndItsProducts) {
  Json json = table_of(
      {row("int8_g128", "encode", 1 << 22, 0.5), row("int8_g128", "encode", 1 << 20, 0.2)});
  const auto product = [](const char* precision, int m) {
    return Json{{"precision", precision}, {"m", m}, {"n", 2}, {"k", 3}, {"median_s", 0.5}};
  };
  json["gemm"] = {product("bf16", 1), product("fp8", 4)};
  const Calibration table = read(json);
  EXPECT_EQ(table.name, "sample");
  EXPECT_EQ(table.gpu, "measured GPU");
  EXPECT_EQ(table.kind, "measured");
  EXPECT_EQ(table.source, "a test");
  EXPECT_EQ(table.memory_bandwidth, kTableBandwidth);
  ASSERT_EQ(table.kernels.size(), 1u);
  const auto& times = table.kernels.begin()->second;
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].elements, 1 << 20);
  EXPECT_EQ(times[1].elements, 1 << 22);
  ASSERT_EQ(table.gemm.size(), 1u);  // other precisions are not the model's
  EXPECT_EQ(table.gemm[0].m, 1);
  EXPECT_EQ(table.gemm[0].seconds, 0.5);
}

TEST(CalibrationFile, OfAnotherWireLayoutIsStale) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  EXPECT_EQ(input_error_of([&] { static_cast<void>(read(json)); }), "");
  json["codecs"][0]["encoded_bytes"] = 1;
  const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
  // 2^20 codes and 2^13 scales of 4 bytes.
  EXPECT_NE(error.find("sample.json: /codecs/0/encoded_bytes: the codec encodes 1048576 elements "
                       "into 1081344 bytes; calibrate again"),
            std::string::npos)
      << error;
}

TEST(CalibrationFile, OfOtherTrafficIsStale) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  json["codecs"][0]["moved_bytes"] = 5 * (1 << 20);
  const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
  EXPECT_NE(error.find("/codecs/0/moved_bytes: the kernel moves 5275648 bytes; calibrate again"),
            std::string::npos)
      << error;
}

TEST(CalibrationFile, NamesCodecsThatExist) {
  Json json = table_of({row("int8_g128", "decode_reduce_encode", 1 << 20, 0.2, 8, "int4_g128")});
  EXPECT_EQ(input_error_of([&] { static_cast<void>(read(json)); }), "");
  json["codecs"][0]["to"] = "int5_g128";
  EXPECT_NE(input_error_of([&] {
              static_cast<void>(read(json));
            }).find("/codecs/0/to: no codec is called int5_g128"),
            std::string::npos);
  json = table_of({row("int8_g128", "decode", 1 << 20, 0.2)});
  json["codecs"][0]["to"] = "int4_g128";
  EXPECT_NE(input_error_of([&] { static_cast<void>(read(json)); }).find("/codecs/0/to: "),
            std::string::npos);
}

TEST(CalibrationFile, KeepsKernelsApartThatReadBfloat16) {
  Json narrow = row("int8_g128", "encode", 1 << 20, 0.2);
  narrow["value_bytes"] = 2;
  narrow["moved_bytes"] = 3.03125 * (1 << 20);
  narrow["median_s"] = 0.5;
  const Calibration table = read(table_of({row("int8_g128", "encode", 1 << 20, 0.2), narrow}));
  KernelUse one = use("int8_g128", Operation::encode, 1 << 20);
  EXPECT_LT(kernel_time(table, tables_gpu(), one).seconds, 0.5);
  one.shape.value_bytes = 2;
  EXPECT_EQ(kernel_time(table, tables_gpu(), one).seconds, 0.5);
}

TEST(CalibrationFile, OfACpuIsRefusedAndSaysSo) {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  json["kind"] = "cpu_reference";
  const std::string error = input_error_of([&] { static_cast<void>(read(json)); });
  EXPECT_NE(error.find("sample.json: /kind: these are times of the references on a CPU"),
            std::string::npos)
      << error;
}

// A table with everything that gardenhose-calibrate measures of a GPU.
Json whole_table() {
  Json json = table_of({row("int8_g128", "encode", 1 << 20, 0.2)});
  json["copy_bandwidth_Bps"] = 0.75 * kTableBandwidth.base();
  json["launch_latency_s"] = 3e-6;
  json["copy"] = {{{"moved_bytes", 1e6}, {"method", "kernel"}, {"median_s", 1e-6}}};
  json["passes"] = {{{"pass", "adam"}, {"elements", 4}, {"moved_bytes", 112}, {"median_s", 2e-6}},
                    {{"pass", "adam"}, {"elements", 2}, {"moved_bytes", 56}, {"median_s", 1e-6}}};
  json["interference"] = {{{"kernel", "copy"},
                           {"blocks", 8},
                           {"m", 1},
                           {"n", 2},
                           {"k", 3},
                           {"product_alone_s", 2},
                           {"product_beside_s", 3},
                           {"kernel_alone_s", 1},
                           {"kernel_beside_s", 4}}};
  return json;
}

TEST(CalibrationFile, GivesWhatWasMeasuredOfTheGpu) {
  const Calibration table = read(whole_table());
  EXPECT_EQ(table.copy_bandwidth, 0.75 * kTableBandwidth);
  EXPECT_EQ(table.launch_latency, 3_us);
  ASSERT_EQ(table.passes.at("adam").size(), 2u);
  EXPECT_EQ(table.passes.at("adam")[0].moved_bytes, 56);
  ASSERT_EQ(table.interference.size(), 1u);
  EXPECT_EQ(table.interference[0].blocks, 8);
  EXPECT_EQ(table.interference[0].product_slow, 1.5);
  EXPECT_EQ(table.interference[0].kernel_slow, 4);
}

TEST(CalibrationFile, WithAMisspeltKeyIsRefused) {
  for (const char* part : {"codecs", "copy", "passes", "interference"}) {
    Json json = whole_table();
    json[part][0]["mediam_s"] = 1;
    EXPECT_NE(input_error_of([&] { static_cast<void>(read(json)); }).find("unknown key mediam_s"),
              std::string::npos)
        << part;
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
       {std::pair{other, read(whole_table())}, {tables_gpu(), sample_table()}}) {
    EXPECT_EQ(as_measured(gpu, table).memory_efficiency, gpu.memory_efficiency);
    EXPECT_EQ(as_measured(gpu, table).launch_latency, gpu.launch_latency);
  }
}

}  // namespace
}  // namespace sim
