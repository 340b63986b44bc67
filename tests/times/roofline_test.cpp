// SPDX-License-Identifier: Apache-2.0
// The roofline's bounds: no operator beats the peak rate or the memory, and shapes that fill the
// GPU reach its peak.
#include "sim/times/roofline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

// 100 multiprocessors, 400 TFLOP/s, 40 in FP32, 2 TB/s; no launches.
Gpu sample_gpu() { return sample_cluster({}).gpu; }

Roofline of(const Gpu& gpu, double efficiency = 1) { return {gpu, efficiency, roofline()}; }

// Products of all sizes and memory passes, the same in every run.
Operators random_operators(std::size_t count) {
  std::mt19937_64 random(1);
  const auto up_to = [&](double highest) {
    return std::ceil(std::pow(highest, std::uniform_real_distribution<>(0, 1)(random)));
  };
  Operators all;
  while (all.size() < count) {
    Operator one{.m = up_to(1e5), .n = up_to(1e5), .k = up_to(1e5), .count = up_to(1000)};
    one.bytes = up_to(1e12);
    one.launches = up_to(8);
    if (all.size() % 4 == 0) one.m = one.n = one.k = 0;
    all.push_back(one);
  }
  return all;
}

TEST(Roofline, TakesNoLessThanThePeakAndTheMemoryAllow) {
  Gpu gpu = sample_gpu();
  for (const double share : {1.0, 0.5}) {
    gpu.memory_efficiency = share;
    const Roofline line = of(gpu);
    for (const Operator& one : random_operators(1000)) {
      const double compute_s = one.flop() / gpu.bf16.base();
      const double memory_s = one.bytes / (share * gpu.memory_bandwidth.base());
      const BlockTime time = line.block({one});
      EXPECT_GE(time.seconds * (1 + 1e-12), std::max(compute_s, memory_s));
      // Either all of an operator is bound by memory, or nothing.
      EXPECT_TRUE(time.memory_share() == 0 || time.memory_share() == 1);
      if (one.flop() == 0) {
        EXPECT_DOUBLE_EQ(time.seconds, memory_s);
      }
    }
  }
}

TEST(Roofline, OfAProductIsItsFlopOverTheShareOfThePeakThatItsShapeReaches) {
  const Gpu gpu = sample_gpu();
  const Roofline line = of(gpu);
  for (Operator one : random_operators(1000)) {
    if (one.flop() == 0) continue;
    one.bytes = 0;
    const double peak_s = one.flop() / gpu.bf16.base();
    const double share = line.gemm_share(one.m, one.n, one.count);
    EXPECT_NEAR(line.block({one}).seconds * share / peak_s, 1, 1e-12);
    EXPECT_EQ(line.block({one}).memory_share(), 0);
  }
}

TEST(Roofline, OfABlockIsTheSumOfItsOperators) {
  const Roofline line = of(sample_gpu());
  const Operators all = random_operators(100);
  BlockTime sum;
  for (const Operator& one : all) sum += line.block({one});
  const BlockTime block = line.block(all);
  EXPECT_DOUBLE_EQ(block.seconds, sum.seconds);
  EXPECT_DOUBLE_EQ(block.memory_seconds, sum.memory_seconds);
  EXPECT_EQ(line.block({}).seconds, 0);
  EXPECT_EQ(line.block({}).memory_share(), 0);
}

TEST(Roofline, IsDividedByTheFittedEfficiencyButForItsLaunches) {
  Gpu gpu = sample_gpu();
  const double work_s = of(gpu).block(random_operators(100)).seconds;
  double launches = 0;
  for (const Operator& one : random_operators(100)) launches += one.launches;
  gpu.launch_latency = 4_us;
  for (const double efficiency : {1.0, 0.8, 0.25}) {
    const Roofline line = of(gpu, efficiency);
    EXPECT_NEAR(line.block(random_operators(100)).seconds,
                work_s / efficiency + launches * gpu.launch_latency.base(), 1e-9 * work_s);
  }
}

// What was measured of attention is the time of its kernel, whatever was fitted to all others.
TEST(Roofline, OfFusedAttentionIsItsShareOfThePeakWhateverTheFittedEfficiency) {
  Gpu gpu = sample_gpu();
  const Operator attention{
      .m = 2048, .n = 2048, .k = 100, .count = 7, .attention = Attention::fused};
  Operator product = attention;
  product.attention = Attention::unfused;
  for (const double efficiency : {1.0, 0.5}) {
    // Not known, it is a product as any other.
    gpu.fused_attention.reset();
    EXPECT_EQ(of(gpu, efficiency).block({attention}).seconds,
              of(gpu, efficiency).block({product}).seconds);
    for (const double share : {0.7, 0.35}) {
      gpu.fused_attention = share;
      EXPECT_NEAR(of(gpu, efficiency).block({attention}).seconds * share * gpu.bf16.base() /
                      attention.flop(),
                  1, 1e-12);
      EXPECT_EQ(of(gpu, efficiency).block({product}).seconds,
                of(sample_gpu(), efficiency).block({product}).seconds);
    }
  }
}

TEST(Roofline, OfNarrowProductsIsThatOfTheirRates) {
  Gpu gpu = sample_gpu();  // 400 TFLOP/s in BF16
  gpu.fp8 = 800_TFLOPs;
  gpu.fp4 = 2400_TFLOPs;
  const Operator wide{.m = 2048, .n = 2048, .k = 2048};
  for (const auto& [precision, faster] : {std::pair{MatrixPrecision::bf16, 1.0},
                                          {MatrixPrecision::fp8, 2.0},
                                          {MatrixPrecision::mxfp8, 2.0},
                                          {MatrixPrecision::nvfp4, 6.0}}) {
    Operator narrow = wide;
    narrow.precision = precision;
    EXPECT_NEAR(of(gpu).block({wide}).seconds / of(gpu).block({narrow}).seconds, faster, 1e-12);
  }
}

TEST(Roofline, OfAPassIsItsBytesOrItsArithmeticAndALaunch) {
  Gpu gpu = sample_gpu();
  gpu.memory_efficiency = 0.5;
  gpu.launch_latency = 4_us;
  // 1 GB over half of 2 TB/s is 1 ms; 80 GFLOP at 40 TFLOP/s are 2 ms. No fitted efficiency.
  const Roofline line = of(gpu, 0.5);
  EXPECT_DOUBLE_EQ(line.pass(1e9), 1.004e-3);
  EXPECT_DOUBLE_EQ(line.pass(1e9, 40e9), 1.004e-3);
  EXPECT_DOUBLE_EQ(line.pass(1e9, 80e9), 2.004e-3);
  EXPECT_EQ(line.pass(0), 0);  // no kernel at all
}

struct Tile {
  double rows, columns;
};
constexpr Tile kTiles[]{{256, 128}, {128, 256}, {128, 128}, {256, 64},
                        {64, 256},  {128, 64},  {64, 128},  {64, 64}};

// NVIDIA, "Matrix Multiplication Background User's Guide": work done over the work of whole waves
// of whole tiles.
double share_of_tile(const Tile& tile, const Operator& one, double multiprocessors) {
  const double tiles = std::ceil(one.m / tile.rows) * std::ceil(one.n / tile.columns) * one.count;
  const double waves = std::ceil(tiles / multiprocessors);
  return one.m * one.n * one.count / (waves * multiprocessors * tile.rows * tile.columns);
}

TEST(GemmShare, IsThatOfTheTileThatWastesLeast) {
  const Gpu gpu = sample_gpu();
  const Roofline line = of(gpu);
  for (const Operator& one : random_operators(1000)) {
    if (one.flop() == 0) continue;
    const double share = line.gemm_share(one.m, one.n, one.count);
    EXPECT_GT(share, 0);
    EXPECT_LE(share, 1);
    double best = 0;
    for (const Tile& tile : kTiles) {
      best = std::max(best, share_of_tile(tile, one, gpu.multiprocessors));
    }
    EXPECT_NEAR(share / best, 1, 1e-12);
    // Rows and columns are alike.
    EXPECT_DOUBLE_EQ(share, line.gemm_share(one.n, one.m, one.count));
  }
}

TEST(GemmShare, OfWholeWavesIsOne) {
  const Roofline line = of(sample_gpu());
  for (const Tile& tile : kTiles) {
    EXPECT_EQ(line.gemm_share(10 * tile.rows, 10 * tile.columns, 1), 1);
    EXPECT_EQ(line.gemm_share(20 * tile.rows, 5 * tile.columns, 3), 1);
    EXPECT_EQ(line.gemm_share(tile.rows, tile.columns, 200), 1);
  }
}

TEST(GemmShare, OfTheLeastProductIsOneElementOfAllTiles) {
  const Roofline line = of(sample_gpu());
  EXPECT_DOUBLE_EQ(line.gemm_share(1, 1, 1), 1.0 / (100 * 64 * 64));
  // 101 of the smallest tiles need a second wave, which does one.
  EXPECT_DOUBLE_EQ(line.gemm_share(64, 64, 100), 1);
  EXPECT_DOUBLE_EQ(line.gemm_share(64, 64, 101), 101.0 / 200);
}

}  // namespace
}  // namespace sim
