// SPDX-License-Identifier: Apache-2.0
// Published rates of kernels of others, by their machine code.
#include "sim/validation/compiled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

TEST(KernelRates, ThatCountAreWithinAQuarterAndOnTheRightSide) {
  std::map<RateRole, int> rates;
  for (const KernelRate& rate : compare_kernel_rates(source_directory())) {
    ++rates[rate.role];
    if (rate.role != RateRole::counted) continue;
    EXPECT_LE(std::abs(rate.error()), 0.25) << rate.kernel << ", " << rate.gpu;
    EXPECT_TRUE(rate.same_side()) << rate.kernel << ", " << rate.gpu;
  }
  EXPECT_GE(rates[RateRole::counted], 8);
  EXPECT_GE(rates[RateRole::fitted] + rates[RateRole::counted], 12);
}

// A kernel that moves its bytes takes at least the time of a copy of them.
TEST(KernelRates, ArePredictedNoFasterThanACopy) {
  for (const KernelRate& rate : compare_kernel_rates(source_directory())) {
    EXPECT_GE(rate.predicted_s, rate.copy_s) << rate.kernel;
  }
}

}  // namespace
}  // namespace sim::validation
