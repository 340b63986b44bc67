// SPDX-License-Identifier: Apache-2.0
// GPUs that differ: what is expected of as many from a normal distribution. And how fast GPUs are taken
// to be for which nobody has fitted it.
#include "sim/topology/gpu_speeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "sim/topology/compute_efficiency.hpp"
#include "tests/input_errors.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kSpread = 0.02;
constexpr int kCounts[] = {1, 2, 3, 8, 16, 100, 128, 1000};

std::vector<double> slowdowns(int gpus, double spread = kSpread) {
  Cluster cluster = sample_cluster({.nodes = gpus, .gpus = 1, .nics = 1});
  cluster.speed_spread = spread;
  return rank_slowdowns(cluster);
}

// Standard normal deviates of the rates, slowest first.
std::vector<double> deviates(int gpus) {
  std::vector<double> all;
  for (const double slowdown : slowdowns(gpus)) all.push_back((1 / slowdown - 1) / kSpread);
  std::ranges::sort(all);
  return all;
}

double normal_share(double deviate) { return std::erfc(-deviate / std::numbers::sqrt2) / 2; }

TEST(GpuSpeeds, AreEqualWithoutASpread) {
  for (const int gpus : kCounts) {
    EXPECT_EQ(slowdowns(gpus, 0), std::vector<double>(static_cast<std::size_t>(gpus), 1.0));
  }
}

TEST(GpuSpeeds, AreEachOfBlomsPlottingPositionsOnce) {
  for (const int gpus : kCounts) {
    const std::vector<double> all = deviates(gpus);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(gpus));
    for (int i = 0; i < gpus; ++i) {
      // The i-th of n order statistics stands at (i - 3/8) / (n + 1/4), i from 1.
      EXPECT_NEAR(normal_share(all[static_cast<std::size_t>(i)]), (i + 0.625) / (gpus + 0.25), 1e-9)
          << i << " of " << gpus;
    }
  }
}

TEST(GpuSpeeds, AreSymmetricAroundTheMean) {
  for (const int gpus : kCounts) {
    double sum = 0, squares = 0;
    for (const double deviate : deviates(gpus)) {
      sum += deviate;
      squares += deviate * deviate;
    }
    EXPECT_NEAR(sum / gpus, 0, 1e-9) << gpus;
    // Expected order statistics spread less than a sample of them, and the less so the more.
    EXPECT_LT(squares / gpus, 1) << gpus;
    if (gpus >= 100) {
      EXPECT_GT(squares / gpus, 0.95) << gpus;
    }
  }
}

TEST(GpuSpeeds, OfMoreGpusHaveASlowerSlowest) {
  double slowest = 0;
  for (const int gpus : kCounts) {
    const double one = std::ranges::max(slowdowns(gpus));
    EXPECT_GT(one, slowest) << gpus;
    slowest = one;
  }
  // Of 8 the slowest is 1.42 deviations below the mean, (Harter 1961, table 1,
  // gives 1.4236 for 8): Blom's approximation is within 1 %.
  EXPECT_NEAR(deviates(8).front(), -1.4236, 0.015);
}

TEST(GpuSpeeds, OfTheSlowestAreTheMeanOfDrawingOneByOne) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr int kDraws = 4000;
  for (const int gpus : {1, 8, 128}) {
    double sum = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      double slowest = INFINITY;
      for (int gpu = 0; gpu < gpus; ++gpu) slowest = std::min(slowest, normal(random));
      sum += slowest;
    }
    Cluster cluster = sample_cluster({.nodes = gpus, .gpus = 1, .nics = 1});
    cluster.speed_spread = kSpread;
    EXPECT_NEAR((1 / slowest_of(cluster, gpus) - 1) / kSpread, sum / kDraws, 0.05) << gpus;
    EXPECT_EQ(slowest_of(cluster, gpus), std::ranges::max(slowdowns(gpus)));
  }
}

TEST(GpuSpeeds, OfNeighboursDiffer) {
  for (const int gpus : kCounts) {
    const std::vector<double> all = slowdowns(gpus);
    for (std::size_t rank = 1; rank < all.size(); ++rank) EXPECT_NE(all[rank], all[rank - 1]);
  }
}

// No node is made of slow GPUs alone.
TEST(GpuSpeeds, OfEveryNodeAreOnBothSidesOfTheMean) {
  const std::vector<double> all = slowdowns(128);
  for (auto node = all.begin(); node != all.end(); node += 8) {
    EXPECT_LT(*std::min_element(node, node + 8), 1);
    EXPECT_GT(*std::max_element(node, node + 8), 1);
  }
}

TEST(GpuSpeeds, OfAWideSpreadStayPositive) {
  for (const double slowdown : slowdowns(1000, 1)) {
    EXPECT_GT(slowdown, 0);
    EXPECT_LE(slowdown, 10);  // a tenth of the mean rate at least
  }
}

// By what CUDA calls the GPUs of the shipped clusters.
TEST(EfficiencyDefaults, AreThoseOfTheGenerationAndThePrecision) {
  const EfficiencyTable table =
      read_efficiencies(source_directory() / "traces/compute_efficiency.toml");
  const auto of = [&](const char* gpu, ProductBits bits = ProductBits::sixteen) {
    return default_efficiency(table, gpu, {.bits = bits});
  };
  EXPECT_EQ(of("NVIDIA A100-SXM4-40GB").efficiency, 0.70);
  for (const char* gpu : {"NVIDIA H100 80GB HBM3", "NVIDIA H800", "nvidia h200"}) {
    EXPECT_EQ(of(gpu).efficiency, 0.61) << gpu;
    EXPECT_EQ(of(gpu, ProductBits::eight_or_fewer).efficiency, 0.69) << gpu;
  }
  for (const char* gpu : {"NVIDIA B200", "NVIDIA GB200"}) {
    EXPECT_EQ(of(gpu).efficiency, 0.61) << gpu;
    EXPECT_EQ(of(gpu, ProductBits::eight_or_fewer).efficiency, 0.61) << gpu;
  }
  for (const EfficiencyRow& row : table.rows) EXPECT_GT(row.spread, 0.1) << row.name;
}

TEST(EfficiencyDefaults, OfAnotherGpuAreTheMeanOfAllWithTheSpreadOfAll) {
  const EfficiencyTable table{
      .rows = {{.name = "a", .gpus = {"A1"}, .efficiency = 0.9, .spread = 0.1},
               {.name = "b", .gpus = {"B1"}, .efficiency = 0.4, .spread = 0.3}}};
  for (const char* gpu : {"GPU A10", "GPU XA1", "GPU"}) {
    const EfficiencyDefault other = default_efficiency(table, gpu, {});
    EXPECT_NEAR(other.efficiency, 0.6, 1e-12) << gpu;  // the root of 0.9 times 0.4
    // What each scatters, and how far each is from the mean: the logarithm of 1.5.
    EXPECT_NEAR(other.spread * other.spread, (0.01 + 0.09) / 2 + std::pow(std::log(1.5), 2), 1e-12);
  }
  EXPECT_EQ(default_efficiency(table, "GPU-A1-40GB", {}).efficiency, 0.9);
}

TEST(EfficiencyDefaults, OverPublishedKernelsAreOne) {
  const EfficiencyTable table{
      .rows = {{.name = "a", .gpus = {"H100"}, .efficiency = 0.5, .spread = 0.1, .source = "s"}},
      .over_published = {.efficiency = 0.9, .spread = 0.2, .source = "p"}};
  const EfficiencyDefault published = default_efficiency(table, "NVIDIA H100", {.published = true});
  EXPECT_EQ(published.efficiency, 0.9);
  EXPECT_EQ(published.spread, 0.2);
  EXPECT_EQ(published.source, "p");
  const EfficiencyDefault elsewhere = default_efficiency(table, "AMD MI300X", {.published = true});
  EXPECT_EQ(elsewhere.efficiency, 0.9);
  EXPECT_EQ(elsewhere.spread, 0.2);
  EXPECT_EQ(elsewhere.source, "p; none covers this GPU");
  EXPECT_EQ(default_efficiency(table, "NVIDIA H100", {}).efficiency, 0.5);
}

TEST(EfficiencyDefaults, AreOneForAGpuAndAPrecision) {
  const std::string row =
      "gpus = [\"H100\"]\nefficiency = 0.5\nspread = 0.1\nsource = \"s\"\nprecision = ";
  const std::string over = "[over_published]\nefficiency = 0.9\nspread = 0.1\nsource = \"s\"\n";
  const auto error = [&](const char* first, const char* second) {
    return input_error_of([&] {
      static_cast<void>(parse_efficiencies(
          "[defaults.a]\n" + row + first + "\n[defaults.b]\n" + row + second + "\n" + over,
          "x.toml"));
    });
  };
  EXPECT_EQ(error("\"bf16\"", "\"fp8\""), "");
  for (const char* bits : {"\"bf16\"", "\"any\""}) {
    EXPECT_EQ(error("\"bf16\"", bits),
              "x.toml:8:1: gpus: H100 has a default in [defaults.a] already; remove one of them");
  }
  EXPECT_NE(error("\"bf16\"", "\"fp4\"").find("is not one of: "), std::string::npos);
  const std::string none =
      input_error_of([&] { static_cast<void>(parse_efficiencies("[defaults]", "x.toml")); });
  EXPECT_NE(none.find("missing table [defaults.NAME]"), std::string::npos) << none;
}

}  // namespace
}  // namespace sim
