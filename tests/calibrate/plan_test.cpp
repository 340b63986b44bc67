// SPDX-License-Identifier: Apache-2.0
// Which sizes are measured, on how many buffers, for how long.
#include "apps/calibrate/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apps/calibrate/settings.hpp"
#include "codecs/cuda/repeats.hpp"
#include "tests/input_errors.hpp"

namespace calibrate {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kGiB = std::size_t{1} << 30;

TEST(Sizes, DoubleUpToTheLargest) {
  EXPECT_EQ(sizes_that_fit({kMiB, 5 * kMiB}, 1024 * kMiB), (std::vector{kMiB, 2 * kMiB, 4 * kMiB}));
  // 1 MiB to 4 GiB on 139 GiB: 13 sizes.
  EXPECT_EQ(sizes_that_fit({}, 139 * kGiB).size(), 13u);
}

TEST(KernelSizes, QuadrupleWhileLaunchesCountAndThenAreTheLargest) {
  EXPECT_EQ(kernel_sizes({}, 139 * kGiB),
            (std::vector{kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB, 4 * kGiB}));
  // 7 times 1 GiB fits into 8 GiB, 7 times 2 GiB does not.
  EXPECT_EQ(kernel_sizes({}, 8 * kGiB).back(), kGiB);
  EXPECT_EQ(kernel_sizes({kMiB, 2 * kMiB}, kGiB), (std::vector{kMiB, 2 * kMiB}));
  EXPECT_EQ(kernel_sizes({kMiB, kMiB}, kGiB), std::vector{kMiB});
  EXPECT_TRUE(kernel_sizes({kMiB, kMiB}, kMiB).empty());
}

// The claim of plan.hpp, of a time of 1 + bytes: the worst is where both are equal.
TEST(KernelSizes, InterpolateALaunchAndItsBytesWithinSixPercent) {
  double worst = 0;
  for (double low = 0x1p-8; low < 0x1p8; low *= 1.01) {
    for (double at = low; at <= 4 * low; at *= 1.01) {
      const double share = std::log(at / low) / std::log(4.0);
      const double between = (1 + low) * std::pow((1 + 4 * low) / (1 + low), share);
      worst = std::max(worst, std::abs(between / (1 + at) - 1));
    }
  }
  EXPECT_NEAR(worst, std::sqrt(1.5 * 3) / 2 - 1, 1e-3);  // 6.1 %
}

TEST(Sizes, LeaveRoomForAllBuffers) {
  for (const std::size_t free : {kMiB, 100 * kMiB, 7 * kGiB, 40 * kGiB}) {
    for (const std::size_t bytes : sizes_that_fit({}, free)) {
      EXPECT_LT(kMemoryPerInput * static_cast<double>(bytes), static_cast<double>(free));
    }
  }
}

TEST(Copies, OutgrowTheCacheAndFitIntoMemory) {
  constexpr std::size_t kCache = 50 * kMiB, kFree = 139 * kGiB;
  for (const std::size_t bytes : sizes_that_fit({}, kFree)) {
    const std::size_t count = copies(bytes, kCache, kFree);
    EXPECT_GE(count * bytes, 4 * kCache) << bytes;
    EXPECT_LT(kMemoryPerInput * static_cast<double>(count * bytes), static_cast<double>(kFree));
  }
  EXPECT_EQ(copies(kGiB, kCache, kFree), 1u);
  EXPECT_EQ(copies(kMiB, kCache, kMiB), 1u) << "one there always is";
}

TEST(Repeats, AreTheWantedSamplesWhereTheBudgetAllows) {
  for (const double launch_s : {1e-6, 1e-5, 1e-4, 1e-3}) {
    const auto repeat = codecs::cuda::repeats(launch_s, 1, 31);
    EXPECT_EQ(repeat.samples, 31);
    EXPECT_GE(repeat.total(), 30);
    EXPECT_LE(repeat.launches, codecs::cuda::kMostLaunches);
    EXPECT_GE(repeat.launches * launch_s, 0.99 * std::min(64 * launch_s, 200e-6));
  }
}

TEST(Repeats, KeepToTheBudgetButForAFewSamples) {
  EXPECT_EQ(codecs::cuda::repeats(0.1, 1, 31).samples, 10);
  EXPECT_EQ(codecs::cuda::repeats(10, 1, 31).samples, codecs::cuda::kFewestSamples);
  EXPECT_EQ(codecs::cuda::repeats(10, 1, 3).samples, 3);
  EXPECT_EQ(codecs::cuda::repeats(0, 1, 31).launches, codecs::cuda::kMostLaunches);
}

TEST(RowBudget, SharesWhatIsLeftAndNeverRunsOut) {
  EXPECT_GT(row_budget_s(480, 4000), row_budget_s(100, 4000));
  EXPECT_GT(row_budget_s(-10, 100), 0);
  EXPECT_LE(row_budget_s(1e6, 0), 1);
}

std::optional<Settings> settings_of(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "calibrate");
  return read_settings(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Settings, HaveTheirDefaults) {
  const auto gpu = settings_of({});
  EXPECT_EQ(gpu->target, Target::gpu);
  EXPECT_EQ(gpu->sizes.min_bytes, kMiB);
  EXPECT_EQ(gpu->sizes.max_bytes, 4 * kGiB);
  EXPECT_EQ(gpu->command, "calibrate");
  const auto cpu = settings_of({"--device", "cpu"});
  EXPECT_EQ(cpu->target, Target::cpu);
  EXPECT_EQ(cpu->sizes.max_bytes, 64 * kMiB);
  EXPECT_EQ(cpu->command, "calibrate --device cpu");
}

TEST(Settings, ThatAreWrongNameTheirFlag) {
  constexpr std::pair<const char*, const char*> kWrong[] = {
      {"--device", "tpu"},  {"--min-size", "8 GiB"},
      {"--min-size", "16"}, {"--max-size", "MiB"},
      {"--minutes", "0"},   {"--hidden", "100"},
      {"--cublas", "/"},    {"--cublas-lt", "missing.so"},
      {"--codecs", "int3"}};
  for (const auto& [flag, value] : kWrong) {
    const std::string error = input_error_of([&, f = flag, v = value] {
      static_cast<void>(settings_of({f, v}));
    });
    EXPECT_TRUE(error.starts_with(std::string(flag) + ": ")) << error;
  }
}

}  // namespace
}  // namespace calibrate
