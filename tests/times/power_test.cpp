// SPDX-License-Identifier: Apache-2.0
// What a power limit does to arithmetic: the law of power_capped(), held against data sheets of GPUs
// with the same dies and different power.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sim/times/published.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

FlopRate peak(const std::string& name) {
  Gpu gpu = sample_cluster({}).gpu;
  gpu.name = "NVIDIA " + name;
  const auto published = read_published_kernels(source_directory() / "traces/kernels", gpu);
  EXPECT_TRUE(published->same) << name;
  return published->products.bf16;
}

// The power of the ratio of watts by which the peak is higher.
double exponent(const std::string& less, const std::string& more, double watts) {
  return std::log(peak(more) / peak(less)) / std::log(watts);
}

TEST(PowerCap, FollowsWhatPeaksGainFromMorePowerOnTheSameDies) {
  const Gpu gpu = sample_cluster({}).gpu;
  const double law = std::log(power_capped(gpu, 0.5).bf16 / gpu.bf16) / std::log(0.5);
  // Data sheets: B200 1,000 W and GB200 1,200 W; B300 1,100 W and GB300 1,400 W.
  const double blackwell = exponent("B200", "GB200", 1200.0 / 1000);
  const double ultra = exponent("B300", "GB300", 1400.0 / 1100);
  EXPECT_NEAR((blackwell + ultra) / 2, law, 0.1) << blackwell << ", " << ultra;
}

}  // namespace
}  // namespace sim
