// SPDX-License-Identifier: Apache-2.0
// What draws power in a step: the kernels of its last rank, by what bounds them.
#include "sim/report/activity.hpp"

#include <gtest/gtest.h>

#include <array>

#include "sim/schedule/builder.hpp"

namespace sim {
namespace {

TEST(StepActivity, CountsTheKernelsOfTheLastRankByWhatBoundsThem) {
  ScheduleBuilder builder(2);
  const std::array parts{KernelPart{.share = 0.75}, KernelPart{.share = 0.25, .memory_share = 1}};
  const OperationId layer = builder.work(0, Stream::compute, Phase::forward, "layer", 4, parts);
  builder.work(0, Stream::compute, Phase::optimizer, "update", 2, 1.0, std::array{layer});
  builder.work(1, Stream::compute, Phase::forward, "other rank", 1, 0.0);
  const Schedule schedule = std::move(builder).finish();
  const Timeline timeline{.start_s = {0, 5, 0}, .end_s = {4, 7, 1}, .makespan_s = 7};
  const StepActivity activity = activity_of(schedule, timeline);
  EXPECT_DOUBLE_EQ(activity.step, 7);
  EXPECT_DOUBLE_EQ(activity.products, 3);
  EXPECT_DOUBLE_EQ(activity.copies, 1 + 2);
  EXPECT_DOUBLE_EQ(activity.rate, 1);
}

}  // namespace
}  // namespace sim
