// SPDX-License-Identifier: Apache-2.0
// The rate that a power limit leaves matrix products, by hand.
#include "sim/times/throttling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sim/times/published.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

Gpu h100() {
  Gpu gpu = sample_cluster({}).gpu;
  gpu.name = "NVIDIA H100";
  gpu.power = Watts::from_base(700);
  return gpu;
}

PublishedPower shipped() {
  const auto published = read_published_kernels(source_directory() / "traces/kernels", h100());
  return published->power.value();
}

// A step of the same work at another rate.
StepActivity at_rate(StepActivity activity, double rate) {
  const double products = activity.products * activity.rate / rate;
  activity.step += products - activity.products;
  activity.products = products;
  activity.rate = rate;
  return activity;
}

TEST(PowerThrottling, LeavesProductsWithoutAPauseTheRootOfThePowerThatTheyLack) {
  const StepActivity busy{.step = 3, .products = 3};
  EXPECT_NEAR(sustained_rate(shipped(), h100(), busy), std::sqrt(700.0 / 926), 1e-12);
}

TEST(PowerThrottling, LeavesAStepThatWaitsTheFullClock) {
  const StepActivity waits{.step = 10, .products = 5, .copies = 1};
  EXPECT_EQ(sustained_rate(shipped(), h100(), waits), 1);
  EXPECT_EQ(sustained_rate(shipped(), h100(), {.step = 1, .copies = 1}), 1);
}

TEST(PowerThrottling, KeepsTheLimitExactlyWhereItBinds) {
  const PublishedPower power = shipped();
  const Gpu gpu = h100();
  for (const double copies : {0.0, 0.5, 1.5}) {
    for (const double waits : {0.0, 0.3, 0.8}) {
      const StepActivity full{.step = 10 + copies + waits, .products = 10, .copies = copies};
      ASSERT_GT(mean_power(power, gpu, full).base(), 700);
      const double rate = sustained_rate(power, gpu, full);
      EXPECT_NEAR(mean_power(power, gpu, at_rate(full, rate)).base(), 700, 1e-9);
      // Wherever the search for it begins.
      EXPECT_NEAR(sustained_rate(power, gpu, at_rate(full, 0.8)), rate, 1e-12);
    }
  }
}

TEST(PowerThrottling, IsStrongerUnderALowerLimitThanThePeaksSay) {
  const PublishedPower power = shipped();
  const Gpu capped = power_capped(h100(), 500.0 / 700);
  const double peaks = std::sqrt(500.0 / 700);
  const StepActivity busy{.step = 3, .products = 3};
  EXPECT_NEAR(peaks * sustained_rate(power, capped, busy), std::sqrt(500.0 / 926), 1e-12);
  // With long waits, products run at the full clock, which the limit does not lower.
  const StepActivity waits{.step = 10, .products = 2};
  EXPECT_NEAR(peaks * sustained_rate(power, capped, waits), 1, 1e-12);
  EXPECT_NEAR(peaks * fastest_rate(power, capped), 1, 1e-12);
}

// traces/predictions/power_h100_2026-11-27.csv, frozen before it was measured: microseconds of a product whose
// time at the full clock is 1405. The share of each mix is of the time.
TEST(PowerThrottling, IsTheLawThatPredictedMixesOfAnH100) {
  struct Mix {
    double copies, waits, microseconds;
  };
  for (const Mix& mix : {Mix{0.2, 0, 1569}, Mix{0.4, 0, 1499}, Mix{0, 0.2, 1477}}) {
    const StepActivity activity{.step = 1,
                                .products = 1 - mix.copies - mix.waits,
                                .copies = mix.copies,
                                .rate = 1405 / mix.microseconds};
    EXPECT_NEAR(sustained_rate(shipped(), h100(), activity), activity.rate, 1e-3);
  }
}

}  // namespace
}  // namespace sim
