// SPDX-License-Identifier: Apache-2.0
// A few periods of a pipeline's order tell of all micro-batches, in every figure of a report.
#include "tests/schedule/few_periods.hpp"

#include <random>

#include "tests/schedule/fold_steps.hpp"

namespace sim {
namespace {

TEST(FewPeriods, TellOfAllMicroBatchesInRandomSteps) {
  DrawnSizes sizes = even_sizes(32);
  sizes.speed_spread = {0.0, 0.0, 0.015};
  StepDraw random(7, 2, sizes);
  std::mt19937_64 micro_batches(7);
  const Calibration calibration = roofline();
  int repeated = 0;
  constexpr int kSteps = 60;
  for (int i = 0; i < kSteps; ++i) {
    StepPoint point = random.draw();
    point.parallelism.accumulation = 12 + static_cast<int>(micro_batches() % 29);
    const StepContext context{point.cluster, point.model, calibration, point.parallelism, {}};
    const PlayedStep few = played(context, *point.scheme, false);
    if (few.left_out == 0) continue;
    ++repeated;
    const PlayedStep all = played(context, *point.scheme, true);
    EXPECT_LT(few.operations, all.operations) << to_text(point);
    EXPECT_LE(difference(few, all), kMostOfFewPeriods) << to_text(point);
  }
  EXPECT_GT(repeated * 3, kSteps);
}

}  // namespace
}  // namespace sim
