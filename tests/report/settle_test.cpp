// SPDX-License-Identifier: Apache-2.0
// Which steps repeat a few periods, and which timelines are told to go on as they are.
#include "sim/report/settle.hpp"

#include <gtest/gtest.h>

#include "sim/schedule/builder.hpp"
#include "sim/schedule/least_time.hpp"
#include "tests/schedule/few_periods.hpp"
#include "tests/schedule/fold_steps.hpp"

namespace sim {
namespace {

// Four stages of one node each, with so many micro-batches.
struct PipelineStep {
  explicit PipelineStep(int micro_batches) : parallelism{.tensor = 2, .pipeline = 4} {
    parallelism.accumulation = micro_batches;
  }
  [[nodiscard]] StepContext context() const {
    return {cluster, model, calibration, parallelism, {}};
  }
  [[nodiscard]] PlayedStep few() const { return played(context(), scheme, false); }
  [[nodiscard]] PlayedStep all() const { return played(context(), scheme, true); }

  Cluster cluster = sample_cluster({.nodes = 4, .gpus = 4, .nics = 4});
  Model model = shallow_gpt(8, 512);
  Calibration calibration = roofline();
  Parallelism parallelism;
  Scheme scheme = scheme_named("sharded");
};

TEST(FewPeriods, AreAsManyOperationsForAnyNumberOfMicroBatches) {
  const PlayedStep some = PipelineStep(40).few();
  const PlayedStep many = PipelineStep(4000).few();
  EXPECT_GT(some.left_out, 0);
  EXPECT_EQ(many.left_out, some.left_out + 3960);
  EXPECT_EQ(many.operations, some.operations);
}

TEST(FewPeriods, TellOfAllMicroBatches) {
  for (const int stage : {1, 2, 3}) {
    for (const int virtual_stages : {1, 2}) {
      for (const bool overlaps : {false, true}) {
        PipelineStep step(64);
        step.parallelism.sharding.stage = stage;
        step.parallelism.virtual_stages = virtual_stages;
        if (overlaps) step.parallelism.overlap = {true, true, true, true};
        const PlayedStep few = step.few();
        EXPECT_GT(few.left_out, 0) << stage << virtual_stages << overlaps;
        EXPECT_LE(difference(few, step.all()), kMostOfFewPeriods)
            << stage << virtual_stages << overlaps;
      }
    }
  }
}

TEST(FewPeriods, AreAllWhereSomethingElseIsAskedFor) {
  const PipelineStep step(64);
  const auto left_out = [&](auto change) {
    StepContext context = step.context();
    change(context);
    return plan_few_periods(context, step.scheme).schedule.left_out;
  };
  EXPECT_GT(left_out([](StepContext&) {}), 0);
  EXPECT_GT(left_out([](StepContext& c) { c.detail = Detail::folded; }), 0);
  EXPECT_EQ(left_out([](StepContext& c) { c.detail = Detail::step_by_step; }), 0);
  EXPECT_EQ(left_out([](StepContext& c) { c.whole = true; }), 0);
  EXPECT_EQ(left_out([](StepContext& c) { c.each_kernel = true; }), 0);
  EXPECT_EQ(left_out([](StepContext& c) { c.each_micro_batch = true; }), 0);
  EXPECT_EQ(left_out([](StepContext& c) { c.parallelism.accumulation = 8; }), 0);
}

TEST(FewPeriods, AreAllBesideTheTrafficOfOtherJobs) {
  PipelineStep step(64);
  step.cluster.traffic.emplace_back();
  EXPECT_EQ(plan_few_periods(step.context(), step.scheme).schedule.left_out, 0);
}

TEST(FewPeriods, BoundTheTimeOfTheWholeStep) {
  const PipelineStep step(64);
  const auto [schedule, wiring] = plan_few_periods(step.context(), step.scheme);
  const double bound_s = least_time(schedule, wiring).base();
  const double whole_s = step.all().report.time_s;
  EXPECT_LE(bound_s, whole_s);
  EXPECT_GT(bound_s, 0.5 * whole_s);
}

// A stage whose periods are kernels of one second on two ranks that wait for nothing else.
struct TwoRanks {
  static constexpr int kPeriods = 7;
  static constexpr int kLeftOut = 10;

  TwoRanks() {
    ScheduleBuilder builder(2);
    builder.leave_out(kLeftOut);
    for (int period = 0; period < kPeriods; ++period) {
      builder.begin_period(0, period);
      for (const int rank : {0, 1}) {
        builder.work(rank, Stream::compute, Phase::forward, "kernel", 1, 0);
      }
    }
    schedule = std::move(builder).finish();
  }
  // That of the two ranks' kernels, one after the other.
  [[nodiscard]] Timeline timeline(double first_s, double second_s) const {
    Timeline timeline;
    for (int period = 0; period < kPeriods; ++period) {
      for (const double seconds : {first_s, second_s}) {
        timeline.start_s.push_back(period * seconds);
        timeline.end_s.push_back((period + 1) * seconds);
      }
    }
    timeline.makespan_s = timeline.end_s.back();
    return timeline;
  }
  Schedule schedule;
};

TEST(Settle, RepeatsPeriodsThatAreAlike) {
  const TwoRanks ranks;
  Timeline timeline = ranks.timeline(1, 1);
  ASSERT_TRUE(settle(ranks.schedule, timeline));
  EXPECT_DOUBLE_EQ(timeline.makespan_s, TwoRanks::kPeriods + TwoRanks::kLeftOut);
  EXPECT_DOUBLE_EQ(time_parts(ranks.schedule, timeline).compute_s, timeline.makespan_s);
}

TEST(Settle, RefusesStagesThatGoAtDifferentPaces) {
  const TwoRanks ranks;
  Timeline timeline = ranks.timeline(1, 1.001);
  EXPECT_FALSE(settle(ranks.schedule, timeline));
  EXPECT_EQ(timeline.repeated.times, 0);
}

TEST(Settle, RefusesWhatIsUnderWayBesideThePeriods) {
  TwoRanks ranks;
  Timeline timeline = ranks.timeline(1, 1);
  Operation beside = ranks.schedule.operations.front();
  ranks.schedule.operations.push_back(beside);
  timeline.start_s.push_back(0);
  timeline.end_s.push_back(1);
  EXPECT_TRUE(settle(ranks.schedule, timeline));
  timeline = ranks.timeline(1, 1);
  timeline.start_s.push_back(0);
  timeline.end_s.push_back(TwoRanks::kPeriods);
  EXPECT_FALSE(settle(ranks.schedule, timeline));
}

TEST(Settle, LeavesAWholeTimelineAsItIs) {
  TwoRanks ranks;
  ranks.schedule.left_out = 0;
  Timeline timeline = ranks.timeline(1, 1);
  EXPECT_TRUE(settle(ranks.schedule, timeline));
  EXPECT_DOUBLE_EQ(timeline.makespan_s, TwoRanks::kPeriods);
}

}  // namespace
}  // namespace sim
