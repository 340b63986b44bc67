// SPDX-License-Identifier: Apache-2.0
// The planner's second bound, from the order of each stage alone, and its third, from a few periods of
// the schedule: never above what is simulated, and close where a stage waits for its own weights.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "sim/engine/simulate.hpp"
#include "sim/schedule/least_time.hpp"
#include "sim/study/search/first_bound.hpp"
#include "tests/apps/any_order.hpp"
#include "tests/apps/jobs.hpp"

namespace sim::study {
namespace {

double whole_step_s(const Job& job, const Setup& setup) {
  const PlannedStep step = plan_step(job.context(setup), setup.scheme);
  return simulate(step.schedule, step.wiring).makespan_s;
}

// Each layer is a chunk of its own, so that no gather begins before the layer before it has ended.
TEST(OrderedBound, KnowsThatChunksDoNotPrefetchEachOther) {
  const Job job = apps_tests::job_of(
      "--topology dgx_h100_x16 --nodes 2 --model gpt_1.3b --attention fused --zero 3 --pp 2 "
      "--virtual-stages 12 --accumulation 4 --overlap all --set network.nic_bandwidth=50Gbps");
  const auto& setup = job.setups.front();
  FirstBounds bounds;
  const double first_s = bounds.of(job, setup).seconds(job.cluster());
  const double ordered_s = bounds.in_order_s(job, setup);
  const double step_s = whole_step_s(job, setup);
  EXPECT_LE(ordered_s, step_s);
  EXPECT_GE(ordered_s, 0.7 * step_s);
  EXPECT_LE(first_s, 0.8 * ordered_s);
}

TEST(OrderedBound, IsNeverAboveWhatIsSimulated) {
  constexpr int kDraws = 150;
  std::mt19937 random(5);
  int run = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::string flags = apps_tests::any_order(random);
    SCOPED_TRACE(flags);
    const std::optional<Job> job = apps_tests::job_if_it_runs(flags);
    if (!job) continue;
    ++run;
    const auto& setup = job->setups.front();
    const double whole_s = whole_step_s(*job, setup);
    EXPECT_LE(FirstBounds().in_order_s(*job, setup), whole_s);
    const PlannedStep few = plan_for_bound(job->context(setup), setup.scheme);
    EXPECT_LE(least_time(few.schedule, few.wiring).base(), whole_s);
  }
  EXPECT_GE(run, kDraws / 10);
}

}  // namespace
}  // namespace sim::study
