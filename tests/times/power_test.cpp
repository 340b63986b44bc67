// SPDX-License-Identifier: Apache-2.0
// What a power limit does to arithmetic: the law of power_capped(), held against published products
// of GPUs with the same dies and different power.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/times/published.hpp"
#include "sim/validation/median.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

struct Timed {
  std::shared_ptr<const PublishedKernels> published;
  Gpu gpu;
  [[nodiscard]] double seconds(const Operator& product) const {
    return product_seconds(*published, gpu, product);
  }
};

Timed timed(const std::string& name) {
  Gpu gpu = sample_cluster({}).gpu;
  gpu.name = "NVIDIA " + name;
  auto published = read_published_kernels(source_directory() / "traces/kernels", gpu);
  EXPECT_TRUE(published->same) << name;
  return {published, as_timed(published->products, gpu)};
}

// The power of the ratio of watts by which products of so many FLOP and more are faster: the median.
double exponent(const Timed& less, const Timed& more, double watts, double least_flop) {
  std::vector<double> exponents;
  for (const auto& [precision, grid] : less.published->products.grids) {
    for (const double m : grid.m) {
      for (const double n : grid.n) {
        for (const double k : grid.k) {
          const Operator product{
              .m = m, .n = n, .k = k, .precision = precision, .work = Work::product};
          if (product.flop() < least_flop) continue;
          exponents.push_back(std::log(less.seconds(product) / more.seconds(product)) /
                              std::log(watts));
        }
      }
    }
  }
  EXPECT_GT(exponents.size(), 40u);
  return validation::median(exponents);
}

TEST(PowerCap, FollowsWhatLargeProductsGainFromMorePowerOnTheSameDies) {
  // Data sheets: B200 1,000 W and GB200 1,200 W; B300 1,100 W and GB300 1,400 W.
  const Gpu gpu = sample_cluster({}).gpu;
  const double law = std::log(power_capped(gpu, 0.5).bf16 / gpu.bf16) / std::log(0.5);
  for (const double flop : {1e12, 3e12}) {
    const double blackwell = exponent(timed("B200"), timed("GB200"), 1200.0 / 1000, flop);
    const double ultra = exponent(timed("B300"), timed("GB300"), 1400.0 / 1100, flop);
    EXPECT_NEAR((blackwell + ultra) / 2, law, 0.1) << flop << ": " << blackwell << ", " << ultra;
  }
}

}  // namespace
}  // namespace sim
