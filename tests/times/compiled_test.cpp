// SPDX-License-Identifier: Apache-2.0
// Times from machine code: the form's limits, the shipped tables, and how they carry times over.
#include "sim/times/compiled.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/base/csv.hpp"
#include "sim/times/calibration_rows.hpp"
#include "sim/times/extrapolation.hpp"
#include "sim/topology/cluster.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

const GpuRates kPlainRates{
    .multiprocessors = 100, .clock_hz = 1e9, .copies = 1000_GBps, .launch = 2_us};

TEST(CompiledTimes, AKernelWithoutInstructionsTakesItsBytesOverTheRateOfACopy) {
  EXPECT_NEAR(compiled_time({}, kPlainRates, 1e6, 4e9).seconds(), 1.42 * 2e-6 + 4e-3, 1e-12);
}

TEST(CompiledTimes, InstructionsThatBindGoWithMultiprocessorsAndClock) {
  const CompiledKernel kernel{.cycles = 1};
  // 1e9 cycles of 100 multiprocessors at 72 % of 1 GHz.
  const double seconds = compiled_time(kernel, kPlainRates, 1e9, 1e6).works_s();
  EXPECT_NEAR(seconds, 1e9 / (0.72 * 1e9 * 100), 1e-9);
  GpuRates twice = kPlainRates;
  twice.multiprocessors *= 2;
  EXPECT_DOUBLE_EQ(compiled_time(kernel, twice, 1e9, 1e6).works_s(), seconds / 2);
  twice.clock_hz *= 2;
  EXPECT_DOUBLE_EQ(compiled_time(kernel, twice, 1e9, 1e6).works_s(), seconds / 4);
}

TEST(CompiledTimes, EachFurtherKernelAddsALaunch) {
  EXPECT_NEAR(compiled_time({.kernels = 3}, kPlainRates, 0, 0).seconds(), 3.42 * 2e-6, 1e-15);
}

TEST(CompiledTimes, AWarpsInstructionsTakeTimeHoweverFewThereAre) {
  const double seconds =
      compiled_time({.instructions = 1000, .lookups = 10}, kPlainRates, 0, 0).seconds();
  EXPECT_NEAR(seconds, 1.42 * 2e-6 + (3.7 * 1000 + 40 * 10) / 1e9, 1e-15);
}

// 10 blocks at a time: 1e9 elements in blocks of 1e4 take 100 turns of 100 multiprocessors. A turn takes
// 3.7 cycles for each instruction of a warp, and 9.5 for those that one warp has more than others.
TEST(CompiledTimes, BlocksTakeTurnsWhereTheirWarpsWaitForOne) {
  CompiledKernel kernel{.instructions = 100, .resident_blocks = 10, .elements_per_block = 1e4};
  EXPECT_EQ(compiled_time(kernel, kPlainRates, 1e9, 0).works_s(), 0);
  kernel.alone = 1000;
  const double turn_s = (3.7 * 100 + 9.5 * 1000) / 1e9;
  EXPECT_NEAR(compiled_time(kernel, kPlainRates, 1e9, 0).works_s(), 100 * turn_s, 1e-12);
  EXPECT_NEAR(compiled_time(kernel, kPlainRates, 0, 0).seconds(), 1.42 * 2e-6 + turn_s, 1e-15);
}

std::shared_ptr<const CompiledKernels> shipped_counts(const std::string& gpu) {
  return read_compiled_kernels(source_directory() / "traces/compiled", gpu);
}

TEST(CompiledTables, AreFoundByTheNameOfAGpu) {
  EXPECT_EQ(shipped_counts("NVIDIA A100-SXM4-80GB")->architecture, "sm_80");
  EXPECT_EQ(shipped_counts("NVIDIA GH200 480GB")->architecture, "sm_90");
  EXPECT_EQ(shipped_counts("NVIDIA GB200")->architecture, "sm_100");
  EXPECT_EQ(shipped_counts("NVIDIA RTX PRO 5000 Blackwell")->architecture, "sm_120");
  EXPECT_EQ(shipped_counts("AMD Instinct MI300X"), nullptr);
  EXPECT_EQ(shipped_counts("Tesla V100-SXM3-32GB"), nullptr);
}

TEST(CompiledTables, HaveTheSameKernelsButForThoseWhoseCountsAreUnknown) {
  const auto hopper = shipped_counts("NVIDIA H100 80GB HBM3");
  ASSERT_GT(hopper->kernels->size(), 600u);
  for (const char* gpu : {"NVIDIA A100-SXM4-80GB", "NVIDIA L40S", "NVIDIA B200", "RTX PRO 6000"}) {
    const auto other = shipped_counts(gpu);
    EXPECT_GT(other->kernels->size(), 540u) << gpu;
    for (const auto& [key, kernel] : *other->kernels) {
      EXPECT_GE(kernel.instructions, 0) << key;
      EXPECT_LE(kernel.resident_warps, 64) << key;
    }
  }
}

// Kernels may have become faster since they were measured, and are not carried over as if they were now.
TEST(CompiledTables, KeepWhatWasMeasured) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("measured_{}", getpid());
  const std::filesystem::path shipped = source_directory() / "traces/compiled";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(shipped / "sm_80.csv", folder / "sm_90.csv");
  const auto now = read_compiled_kernels(folder, "NVIDIA H100");
  EXPECT_EQ(*read_measured_kernels(folder, "NVIDIA H100")->kernels, *now->kernels);
  std::filesystem::create_directory(folder / "measured");
  std::filesystem::copy_file(shipped / "sm_90.csv", folder / "measured/sm_90.csv");
  const auto then = read_measured_kernels(folder, "NVIDIA H100");
  EXPECT_EQ(*then->kernels, *read_compiled_kernels(shipped, "NVIDIA H100")->kernels);
  EXPECT_NE(*then->kernels, *now->kernels);
  EXPECT_EQ(read_measured_kernels(folder, "AMD Instinct MI300X"), nullptr);
  std::filesystem::remove_all(folder);
}

TEST(CompiledTables, NameTheLineThatIsWrong) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("compiled_{}", getpid());
  std::filesystem::create_directory(folder);
  const auto error_of = [&](const std::string& lines) {
    std::ofstream(folder / "sm_90.csv") << lines;
    return input_error_of([&] { (void)read_compiled_kernels(folder, "NVIDIA H100"); });
  };
  const std::string shipped = text_of(source_directory() / "traces/compiled/sm_90.csv");
  const std::string header =
      shipped.substr(0, shipped.find('\n', shipped.find("codec,operation")) + 1);
  const std::string place = (folder / "sm_90.csv").string() + ":4:1: ";
  EXPECT_EQ(error_of(header + "bf16,encode,1,4,,1,0,x,0,0,0,0,0,0,0,0,0,32,0,256,4096,0,,\n"),
            place + "'x' is no count");
  EXPECT_EQ(error_of(header + "bf16,encode\n"), place + "a row has 24 fields");
  EXPECT_EQ(error_of(header + "bf16,encodes,1,4,,1,0,0,0,0,0,0,0,0,0,0,0,32,0,256,4096,0,,\n"),
            place + "unknown kernel 'encodes'");
  EXPECT_TRUE(error_of("# of an older version\ncodec,to\n").ends_with("columns of such a table"));
  std::filesystem::remove_all(folder);
}

// Of a row of traces/predictions: its kernel's shape.
codecs::KernelShape shape_in(const CsvRow& row) {
  codecs::KernelShape shape{.operation = *codecs::operation_named(row.text("operation")),
                            .wire = *codecs::format_named(row.text("codec")),
                            .inputs = row.integer("inputs"),
                            .value_bytes = row.integer("value_bytes")};
  if (!row.text("to").empty()) shape.wire_out = *codecs::format_named(row.text("to"));
  return shape;
}

// What a row of traces/predictions is about.
struct FrozenKernel {
  std::string key;
  double moved_bytes = 0;
};
FrozenKernel kernel_in(const CsvRow& row) {
  const double n = row.number("elements");
  if (const codecs::MethodStep* step = step_named(row.text("codec"), row.text("operation"))) {
    const codecs::StepShape shape{.elements = static_cast<std::size_t>(n),
                                  .ranks = static_cast<std::size_t>(row.integer("inputs"))};
    return {step_key(*step, shape), step->moved_bytes(shape)};
  }
  const codecs::KernelShape shape = shape_in(row);
  const codecs::Traffic traffic = codecs::memory_traffic(shape);
  return {kernel_key(shape, row.text("codec"), row.text("to")),
          (traffic.read + traffic.written) * n};
}

// In the folder traces/predictions. Returns the number of rows.
int expect_frozen(const std::string& file, int most_kernels) {
  const auto table = read_measured_kernels(source_directory() / "traces/compiled", "NVIDIA H200");
  const Gpu gpu = read_cluster(source_directory() / "topologies/dgx_h200_x16.toml").gpu;
  int rows = 0;
  for (const CsvRow& row : read_csv(source_directory() / "traces/predictions" / file)) {
    const auto [key, bytes] = kernel_in(row);
    const CompiledKernel* kernel = table->find(key);
    if (kernel == nullptr) {
      EXPECT_TRUE(key.starts_with("dgc/")) << key;  // left out afterwards
      continue;
    }
    // Its traffic was mended afterwards.
    if (key.starts_with("random_k64") && row.text("operation") == "encode") continue;
    // Waiting for one warp was added afterwards.
    if (kernel->kernels > most_kernels || kernel->alone > 0) continue;
    const double seconds =
        compiled_time(*kernel, rates_of(*table, gpu), row.number("elements"), bytes).seconds();
    // A few lookups were counted as loads then.
    EXPECT_NEAR(seconds / row.number("h200_s"), 1, 5e-3) << row.place_of("h200_s");
    ++rows;
  }
  return rows;
}

TEST(CompiledTables, SayOfAnH200WhatWasFrozen) {
  // Launches between a row's kernels were added afterwards.
  EXPECT_GT(expect_frozen("compiled_hopper_2026-11-27.csv", 1), 1100);
  EXPECT_GE(expect_frozen("compiled_run_hopper_2026-11-27.csv", 100), 50);
}

// A table without codebook2, whose machine code was counted.
TEST(CompiledTables, SayWhatAKernelTakesThatNobodyMeasured) {
  const std::filesystem::path source = source_directory();
  const Gpu gpu = read_cluster(source / "topologies/dgx_h100_x16.toml").gpu;
  Calibration table = read_calibration(source / "traces/calibration/nvidia_h100_80gb_hbm3.json");
  std::map<std::string, std::vector<KernelTime>> kernels = *table.kernels;
  std::erase_if(kernels, [](const auto& kernel) { return kernel.first.starts_with("codebook2/"); });
  table.kernels = std::move(kernels);
  const KernelUse encode{.shape = {.wire = codecs::codec_named("codebook2").format},
                         .elements = 1e9};
  const double by_bytes = kernel_time(table, gpu, encode).seconds;
  table.compiled = shipped_counts(gpu.name);
  const KernelEstimate by_code = kernel_time(table, gpu, encode);
  const CompiledKernel* kernel = table.compiled->find("codebook2/encode/1/");
  ASSERT_NE(kernel, nullptr);
  // Its values read twice, and 2 bits written.
  const CompiledTime time = compiled_time(*kernel, rates_of(*table.compiled, gpu), 1e9, 8.25e9);
  EXPECT_DOUBLE_EQ(by_code.seconds, time.seconds());
  EXPECT_EQ(by_code.fixed_s, time.fixed_s);
  EXPECT_NE(by_code.seconds, by_bytes);
  EXPECT_TRUE(by_code.source.starts_with("compiled for sm_90")) << by_code.source;
  // What was measured stays.
  const KernelUse measured{.shape = {.wire = codecs::codec_named("int8_g128").format},
                           .elements = 1e9};
  EXPECT_TRUE(kernel_time(table, gpu, measured).source.starts_with("measured on"));
}

TEST(CompiledTables, SayWhatAStepTakesThatNobodyMeasured) {
  const Gpu gpu = read_cluster(source_directory() / "topologies/dgx_h100_x16.toml").gpu;
  Calibration table = roofline();
  table.compiled = shipped_counts(gpu.name);
  const codecs::MethodStep& step = *step_named("loco", "encode");
  const codecs::StepShape shape{.elements = 1 << 28};
  const CompiledKernel* kernel = table.compiled->find("loco/encode/1/0");
  ASSERT_NE(kernel, nullptr);
  const CompiledTime time =
      compiled_time(*kernel, rates_of(*table.compiled, gpu), 0x1p28, step.moved_bytes(shape));
  EXPECT_DOUBLE_EQ(step_time(table, gpu, step, shape).seconds, time.seconds());
}

// A kernel of a table, carried to a GPU.
struct CarriedKernel {
  Calibration table{.name = "measured",
                    .gpu = "there",
                    .kind = "measured",
                    .source = "",
                    .copy_bandwidth = 1000_GBps,
                    .launch_latency = 2_us,
                    .multiprocessors = 100};
  Gpu gpu;
  std::vector<KernelTime> times{{1e6, 5e-6, 4e6}, {1e9, 5e-3, 4e9}};

  // Cycles of an element on the table's GPU, and on the other.
  CarriedKernel(double there, double here) {
    const auto compiled = [](double cycles) {
      return std::make_shared<const CompiledKernels>(CompiledKernels{
          .architecture = "sm_00",
          .lanes = 128,
          .clock_hz = 1e9,
          .kernels = std::map<std::string, CompiledKernel>{{"k", {.cycles = cycles}}}});
    };
    table.compiled_there = compiled(there);
    table.compiled = compiled(here);
    gpu.multiprocessors = 100;
    gpu.fp32 = FlopRate::from_base(2 * 128 * 100 * 1e9);
    gpu.memory_bandwidth = 1000_GBps;
    gpu.memory_efficiency = 1;
  }
  [[nodiscard]] double seconds(double elements) const {
    return *carried_by_code(table, gpu, "k", times, elements);
  }
};

TEST(CarriedByCode, ToTheSameGpuATimeIsTheMeasuredOne) {
  const CarriedKernel one(0.1, 0.1);
  for (const double n : {1e5, 1e6, 3e7, 1e9, 1e10}) {
    EXPECT_DOUBLE_EQ(one.seconds(n), timed_seconds(one.times, n)) << n;
  }
}

TEST(CarriedByCode, MoreInstructionsCostNothingUntilTheyTakeLongerThanTheBytes) {
  // 4 bytes at 1 TB/s are 4 ps; so are 0.288 cycles of 100 multiprocessors at 72 % of 1 GHz.
  EXPECT_DOUBLE_EQ(CarriedKernel(0.1, 0.288).seconds(1e9), CarriedKernel(0.1, 0.1).seconds(1e9));
  EXPECT_NEAR(CarriedKernel(0.1, 0.576).seconds(1e9), 2 * CarriedKernel(0.1, 0.1).seconds(1e9),
              1e-7);
}

TEST(CarriedByCode, WhatInstructionsBindDoesNotGoWithTheMemory) {
  CarriedKernel one(0.576, 0.576);
  const double before = one.seconds(1e9);
  one.gpu.memory_bandwidth = 5000_GBps;
  EXPECT_DOUBLE_EQ(one.seconds(1e9), before);
}

TEST(CarriedByCode, AKernelWithoutCountsIsNotCarried) {
  const CarriedKernel one(0.1, 0.1);
  EXPECT_EQ(carried_by_code(one.table, one.gpu, "other", one.times, 1e6), std::nullopt);
}

}  // namespace
}  // namespace sim
