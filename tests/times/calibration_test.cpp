// SPDX-License-Identifier: Apache-2.0
// Times of kernels by a calibration: between and beyond the measured sizes, on other GPUs, and
// where nothing was measured.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "sim/times/extrapolation.hpp"
#include "tests/times/sample_calibration.hpp"

namespace sim {
namespace {

// Encodes of four sizes, in no order: the larger the input, the more of the bandwidth.
Calibration sample_table() {
  return read(table_of(
      {row("int8_g128", "encode", 1 << 24, 0.8), row("int8_g128", "encode", 1 << 20, 0.2),
       row("int8_g128", "encode", 1 << 26, 0.9), row("int8_g128", "encode", 1 << 22, 0.5)}));
}
double encode_s(const Calibration& table, const Gpu& gpu, double elements) {
  return kernel_time(table, gpu, use("int8_g128", codecs::Operation::encode, elements)).seconds;
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

TEST(KernelTime, BelowTheSmallestSizeFallsToAFixedTimeAndAboveTheLargestHasItsRate) {
  const Calibration table = sample_table();
  const double smallest = encode_s(table, tables_gpu(), 1 << 20);
  const double fixed = encode_s(table, tables_gpu(), 1e-9);
  EXPECT_GT(fixed, 0.7 * smallest) << "most of it, for the table's rate grows with the size";
  EXPECT_NEAR(encode_s(table, tables_gpu(), 1 << 19), (fixed + smallest) / 2, 1e-12);
  // Of one size, which is large, at most a few microseconds are fixed.
  const Calibration one = read(table_of({row("int8_g128", "encode", 1 << 28, 0.9)}));
  EXPECT_LT(encode_s(one, tables_gpu(), 1 << 10), 5e-6);
  const double largest = encode_s(table, tables_gpu(), 1 << 26);
  for (const double times : {1.5, 2.0, 1e6}) {
    EXPECT_NEAR(encode_s(table, tables_gpu(), times * (1 << 26)) / (times * largest), 1, 1e-12);
  }
  EXPECT_EQ(encode_s(table, tables_gpu(), 0), 0);
  EXPECT_EQ(encode_s(roofline(), tables_gpu(), 0), 0);
}

TEST(KernelTime, OnAnotherGpuIsScaledByMemoryBandwidth) {
  const Calibration table = sample_table();
  const Calibration one = read(table_of({row("int8_g128", "encode", 1 << 24, 0.8)}));
  for (const double elements : {1e3, 3e6, 1e9}) {
    EXPECT_LE(encode_s(one, sample_gpu(), elements), encode_s(one, tables_gpu(), elements));
  }
  EXPECT_NEAR(encode_s(one, sample_gpu(), 1e9) / encode_s(one, tables_gpu(), 1e9), 0.5, 0.05);
  EXPECT_NEAR(encode_s(table, sample_gpu(), 1e9) / encode_s(table, tables_gpu(), 1e9), 0.5, 0.01);
}

// On a GPU of 1 TB/s and 100 SMs: bytes, and a time that no memory explains.
std::vector<KernelTime> timed(double fixed_s, double memory_s, double instructions_s) {
  std::vector<KernelTime> times;
  for (const double share : {0.001, 0.1, 1.0}) {
    times.push_back({.elements = 1e9 * share,
                     .seconds = fixed_s + share * std::cbrt(std::pow(memory_s, 3) +
                                                            std::pow(instructions_s, 3)),
                     .moved_bytes = memory_s * 1e12 * share});
  }
  return times;
}

TEST(CarriedOver, ScalesMemoryAndInstructionsEachByItsRateAndLaunchesNot) {
  const auto on = [](const std::vector<KernelTime>& times, RateRatios ratios, double share) {
    return carried_over(times, 1e9 * share, 1000_GBps, ratios);
  };
  for (const double share : {0.001, 0.1, 1.0}) {
    const auto memory = timed(5e-6, 1e-3, 0), both = timed(5e-6, 1e-3, 2e-3);
    EXPECT_NEAR(on(memory, {1, 1}, share) / interpolated(memory, 1e9 * share), 1, 1e-9);
    EXPECT_NEAR(on(both, {1, 1}, share) / interpolated(both, 1e9 * share), 1, 1e-9);
    EXPECT_NEAR(on(memory, {2, 3}, share), 5e-6 + share * 5e-4, 1e-12);
    EXPECT_NEAR(on(both, {2, 4}, share), 5e-6 + share * 5e-4 * std::cbrt(2), 1e-12);
    EXPECT_GT(on(both, {2, 1}, share), 5e-6 + share * 2e-3) << "more bandwidth helps little";
  }
  // Faster than the memory allows: all of it is the memory's.
  EXPECT_NEAR(on({{.elements = 1e9, .seconds = 1e-3, .moved_bytes = 2e9}}, {2, 1}, 1), 5e-4, 1e-5);
}

TEST(CarriedOver, TakesTheSmsFromTheTableAndTheGpu) {
  Calibration table = sample_table();
  EXPECT_EQ(ratios_to(sample_gpu(), table).memory, 2);
  EXPECT_EQ(ratios_to(sample_gpu(), table).instructions, 2) << "not known";
  table.multiprocessors = 4 * sample_gpu().multiprocessors;
  EXPECT_EQ(ratios_to(sample_gpu(), table).instructions, 0.25);
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
  const KernelUse lacking = use("bf16", codecs::Operation::encode, 1e9);
  EXPECT_DOUBLE_EQ(kernel_time(table, gpu, lacking).seconds, 5.1e-6 + 6e9 / (0.6 * 2e12));
  // Without any table, at the share that the GPU's copies reach.
  EXPECT_EQ(roofline().memory_share, 0);
  EXPECT_DOUBLE_EQ(kernel_time(roofline(), gpu, lacking).seconds, 5.1e-6 + 6e9 / (0.8 * 2e12));
  EXPECT_DOUBLE_EQ(kernel_time(read(table_of({})), gpu, lacking).seconds,
                   5.1e-6 + 6e9 / (0.8 * 2e12));
  KernelUse sum = use("bf16", codecs::Operation::decode_reduce, 1);
  sum.shape.inputs = 11;
  EXPECT_NEAR(kernel_time(roofline(), gpu, sum).seconds, 2.45 * 3e-6, 1e-9) << "a ramp a wire";
}

// MXFP8 is 1 + 1/32 bytes. The first pass reads values and residual and writes their sum, which is
// encoded and decoded; the second reads values, residual and decoded ones and writes the residual.
TEST(KernelTime, OfFeedbackThatIsComposedIsThatOfItsParts) {
  constexpr double kWire = 1.03125, kElements = 1e9;
  const KernelUse composed = use("mxfp8", codecs::Operation::encode_feedback, kElements);
  Gpu gpu = tables_gpu();
  gpu.launch_latency = 3_us;
  const double rate = gpu.memory_bandwidth.base() * gpu.memory_efficiency;
  const double launch = seconds_of_bytes(gpu, gpu.memory_bandwidth, 0);
  const double bytes = (4 + 4 + 4) + (4 + kWire) + (kWire + 4) + (4 + 4 + 4 + 4);
  EXPECT_DOUBLE_EQ(kernel_time(roofline(), gpu, composed).seconds,
                   4 * launch + bytes * kElements / rate);
  EXPECT_DOUBLE_EQ(kernel_time(roofline(), gpu, composed).fixed_s, 4 * launch);
  EXPECT_EQ(kernel_time(roofline(), gpu, composed).source,
            "roofline: bytes over memory bandwidth (an encode, a decode and 2 memory passes)");
  // By the measured encode, where there is one, and by the measured whole, if it is there.
  const Json encode = row("mxfp8", "encode", kElements, 0.5);
  const KernelEstimate measured = kernel_time(read(table_of({encode})), gpu, composed);
  EXPECT_DOUBLE_EQ(measured.seconds,
                   3 * launch + encode["median_s"][0].get<double>() +
                       (bytes - 4 - kWire) * kElements / (0.5 * kTableBandwidth.base()));
  EXPECT_EQ(measured.source,
            "measured on measured GPU (sample); roofline: bytes over 50 % of memory bandwidth, as "
            "sample reaches (an encode, a decode and 2 memory passes)");
  const Json whole = row("mxfp8", "encode_feedback", kElements, 0.5);
  EXPECT_EQ(kernel_time(read(table_of({encode, whole})), gpu, composed).seconds,
            whole["median_s"][0].get<double>());
  // A kernel of the codec's own moves each byte once.
  const KernelUse fused = use("int8_g128", codecs::Operation::encode_feedback, kElements);
  EXPECT_DOUBLE_EQ(kernel_time(roofline(), gpu, fused).seconds,
                   launch + (4 + 4 + 4 + kWire) * kElements / rate);
}

// FP16 is 2 bytes, which are decoded to 4; the pass reads these and a BF16 model, and writes the model.
TEST(KernelTime, OfAnAdditionThatIsComposedIsThatOfItsParts) {
  constexpr double kElements = 1e9;
  KernelUse composed = use("fp16", codecs::Operation::decode_add, kElements);
  composed.shape.value_bytes = 2;
  Gpu gpu = tables_gpu();
  gpu.launch_latency = 3_us;
  const double rate = gpu.memory_bandwidth.base() * gpu.memory_efficiency;
  const double launch = seconds_of_bytes(gpu, gpu.memory_bandwidth, 0);
  const KernelEstimate time = kernel_time(roofline(), gpu, composed);
  EXPECT_DOUBLE_EQ(time.seconds, 2 * launch + ((2 + 4) + (4 + 2 + 2)) * kElements / rate);
  EXPECT_EQ(time.source, "roofline: bytes over memory bandwidth (a decode and a memory pass)");
  // A kernel of the codec's own moves each byte once.
  composed.shape.wire = codecs::codec_named("fp8_e4m3").format;
  EXPECT_DOUBLE_EQ(kernel_time(roofline(), gpu, composed).seconds,
                   launch + (1 + 2 + 2) * kElements / rate);
}

// Beside its bytes, at 72 % of the lanes' rate.
TEST(KernelTime, CountsInstructionsOfRanks) {
  Gpu gpu = tables_gpu();
  const KernelUse decode = use("sparseloco_enumerated", codecs::Operation::decode, 1e9);
  const double instructions = codecs::memory_traffic(decode.shape).instructions;
  gpu.fp32 = FlopRate::from_base(20e12);
  const double before = kernel_time(roofline(), gpu, decode).seconds;
  gpu.fp32 = FlopRate::from_base(10e12);
  EXPECT_NEAR(kernel_time(roofline(), gpu, decode).seconds - before,
              instructions * 1e9 / 0.72 * (1 / 5e12 - 1 / 10e12), 1e-9);
  EXPECT_TRUE(kernel_time(roofline(), gpu, decode).source.ends_with(", and instructions"));
}

TEST(MemoryShare, OfAnEvenNumberOfKernelsIsTheMeanOfTheMiddleTwo) {
  const Calibration table = read(table_of(
      {row("int8_g128", "encode", 1 << 22, 0.1), row("int8_g128", "decode", 1 << 22, 0.9),
       row("int4_g128", "encode", 1 << 22, 0.6), row("int4_g128", "decode", 1 << 22, 0.4)}));
  EXPECT_DOUBLE_EQ(table.memory_share, 0.5);
}

TEST(KernelTime, IsSoManyTimesWhatTheTableOrItsStandInSays) {
  Calibration table = sample_table();
  const double tabled = encode_s(table, tables_gpu(), 1 << 22);
  const auto lacking = use("int4_g128", codecs::Operation::encode, 1 << 22);
  const double stand_in = kernel_time(table, tables_gpu(), lacking).seconds;
  table.codec_slowdown = 1.5;
  EXPECT_DOUBLE_EQ(encode_s(table, tables_gpu(), 1 << 22), 1.5 * tabled);
  EXPECT_DOUBLE_EQ(kernel_time(table, tables_gpu(), lacking).seconds, 1.5 * stand_in);
  EXPECT_TRUE(kernel_time(table, tables_gpu(), lacking).source.ends_with(", times 1.5"));
}

TEST(KernelTime, SaysWhereItComesFrom) {
  const Calibration table = sample_table();
  const auto source = [](const Calibration& from, const Gpu& gpu, const char* codec) {
    return kernel_time(from, gpu, use(codec, codecs::Operation::encode, 1e6)).source;
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
            "published measurements on measured GPU (sample)");
}

TEST(KernelTime, IsOfTheVeryKernel) {
  // Of four reductions that differ in one respect each, every one is found.
  const Calibration table =
      read(table_of({row("int8_g128", "decode_reduce", 1 << 20, 0.1, 8),
                     row("int8_g128", "decode_reduce", 1 << 20, 0.2, 4),
                     row("int8_g128", "decode_reduce_encode", 1 << 20, 0.3, 8, "int4_g128"),
                     row("int8_g128", "decode_reduce_encode", 1 << 20, 0.4, 8, "int8_g128")}));
  const auto share = [&](codecs::Operation operation, int inputs, const char* to) {
    KernelUse one = use("int8_g128", operation, 1 << 20);
    one.shape.inputs = inputs;
    if (operation == codecs::Operation::decode_reduce_encode) {
      one.shape.wire_out = codecs::codec_named(to).format;
    }
    return moved_bytes(one.shape, 1 << 20) / (kernel_time(table, tables_gpu(), one).seconds * 1e12);
  };
  EXPECT_NEAR(share(codecs::Operation::decode_reduce, 8, ""), 0.1, 1e-12);
  EXPECT_NEAR(share(codecs::Operation::decode_reduce, 4, ""), 0.2, 1e-12);
  EXPECT_NEAR(share(codecs::Operation::decode_reduce_encode, 8, "int4_g128"), 0.3, 1e-12);
  EXPECT_NEAR(share(codecs::Operation::decode_reduce_encode, 8, "int8_g128"), 0.4, 1e-12);
}

TEST(Formats, AreFoundInTablesByTheirCodecsNames) {
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    EXPECT_EQ(codecs::format_name(codec->format), codec->name);
  }
}

}  // namespace
}  // namespace sim
