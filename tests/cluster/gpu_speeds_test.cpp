// GPUs that differ: what is expected of as many from a normal distribution.
#include "sim/cluster/gpu_speeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

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

}  // namespace
}  // namespace sim
