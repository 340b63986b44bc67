// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes: the parts are the whole, and none is more than there was.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

double sum(const TimeParts& parts) {
  return parts.compute_s + parts.exposed_comm_s + parts.codec_s + parts.host_s + parts.bubble_s +
         parts.optimizer_s + parts.other_s;
}

// Time in which at least one flow of the phase was under way, anywhere.
double flowing_s(const ReportedStep& step, Phase phase) {
  std::vector<std::pair<double, double>> intervals;
  for (std::size_t id = 0; id < step.schedule.operations.size(); ++id) {
    const Operation& one = step.schedule.operations[id];
    if (one.kind != OperationKind::flow || one.phase != phase) continue;
    intervals.emplace_back(step.timeline.start_s[id], step.timeline.end_s[id]);
  }
  std::sort(intervals.begin(), intervals.end());
  double covered = 0;
  double until = 0;
  for (const auto& [start, end] : intervals) {
    covered += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return covered;
}

class Parts : public EveryScheme {};

TEST_P(Parts, SumUpToTheStep) {
  for (const Detail detail : {Detail::folded, Detail::step_by_step}) {
    for (const Parallelism& parallelism : reported_settings()) {
      const ReportedStep step = reported_step(small_cluster(), parallelism, scheme(), detail);
      const TimeParts& parts = step.report.time;
      EXPECT_NEAR(sum(parts) / step.report.time_s, 1, 1e-9);
      for (const double part : {parts.compute_s, parts.exposed_comm_s, parts.codec_s, parts.host_s,
                                parts.bubble_s, parts.optimizer_s, parts.other_s}) {
        EXPECT_GE(part, 0);
      }
    }
  }
}

TEST_P(Parts, ExposeOfAPhaseAtMostWhatItTook) {
  for (const Parallelism& parallelism : reported_settings()) {
    const ReportedStep step = reported_step(small_cluster(), parallelism, scheme());
    double exposed = 0;
    for (const auto& [phase, seconds] : step.report.time.exposed_by_phase_s) {
      EXPECT_GT(seconds, 0);
      EXPECT_LE(seconds, flowing_s(step, phase) * (1 + 1e-9)) << phase_name(phase);
      exposed += seconds;
    }
    EXPECT_NEAR(exposed / step.report.time.exposed_comm_s, 1, 1e-9);
  }
}

// A collective that its rank's host issues late: until then the rank waits for its host.
TEST(PartsOfHosts, AreWhatCollectivesWaitForToo) {
  ScheduleBuilder builder(2);
  const std::uint32_t route = builder.add_route({.hops = {Hop{0, 1, 0, 0, 1}}});
  std::vector<OperationId> starts;
  for (const int rank : {0, 1}) {
    const OperationId kernel =
        builder.work(rank, Stream::compute, Phase::forward, "kernel", 1, 0.0);
    const OperationId issued = builder.host(rank, "issue", rank == 0 ? 3 : 2);
    starts.push_back(builder.barrier(std::array{kernel, issued}));
  }
  const OperationId begin = builder.barrier(starts);
  const OperationId flow =
      builder.flow(route, 0, Phase::expert_comm, "rows", 0.5, 0, std::array{begin});
  const OperationId end = builder.barrier(std::array{flow});
  for (const int rank : {0, 1}) {
    const auto own = static_cast<std::size_t>(rank);
    builder.member(rank, Stream::experts, Phase::expert_comm, "rows", {&starts[own], 1}, end);
  }
  const Schedule schedule = std::move(builder).finish();
  const Timeline timeline = simulate(schedule, small_cluster());
  const auto of = [&](int rank) {
    return time_parts(schedule, timeline, rank, {0, timeline.makespan_s});
  };
  for (const int rank : {0, 1}) {
    EXPECT_NEAR(of(rank).compute_s, 1, 1e-9);
    EXPECT_NEAR(of(rank).host_s, rank == 0 ? 2 : 1, 1e-9);
    EXPECT_NEAR(of(rank).bubble_s, rank == 0 ? 0 : 1, 1e-9);  // for the other's host
    EXPECT_NEAR(of(rank).exposed_comm_s, 0.5, 1e-9);
  }
}

// Without overlap each kernel of the rank counts for its own time, and all that flows is waited
// for: a flow slows no kernel, and two levels of slices hide each other alone.
TEST_P(Parts, WithoutOverlapAreTheKernelsAndTheFlows) {
  const ReportedStep step = reported_step(small_cluster(), {}, scheme());
  const TimeParts& parts = step.report.time;
  const auto seconds = [&](Phase phase) { return work_seconds(step.schedule, 0, phase); };
  const double step_s = step.report.time_s;
  EXPECT_NEAR(parts.compute_s,
              seconds(Phase::forward) + seconds(Phase::backward) + seconds(Phase::recompute),
              1e-9 * step_s);
  EXPECT_NEAR(parts.optimizer_s, seconds(Phase::optimizer), 1e-9 * step_s);
  EXPECT_NEAR(parts.other_s, seconds(Phase::memory_pass), 1e-9 * step_s);
  EXPECT_GE(parts.codec_s, (seconds(Phase::encode) + seconds(Phase::decode)) * (1 - 1e-9));
  const auto& exposed = parts.exposed_by_phase_s;
  if (exposed.contains(Phase::weight_comm)) {
    EXPECT_NEAR(exposed.at(Phase::weight_comm), flowing_s(step, Phase::weight_comm), 1e-9 * step_s);
  } else {
    EXPECT_EQ(flowing_s(step, Phase::weight_comm), 0);
  }
  EXPECT_NEAR(parts.bubble_s, 0, 1e-9 * step_s);
}

TEST_P(Parts, AreTheSameFoldedAndStepByStep) {
  for (const Parallelism& parallelism : reported_settings()) {
    const Report folded = reported_step(small_cluster(), parallelism, scheme()).report;
    const Report unfolded =
        reported_step(small_cluster(), parallelism, scheme(), Detail::step_by_step).report;
    // Collectives agree within 2 %; what kernels beside them lose to their flows comes on top.
    const double tolerance_s = 0.03 * folded.time_s;
    EXPECT_NEAR(folded.time.exposed_comm_s, unfolded.time.exposed_comm_s, tolerance_s);
    EXPECT_NEAR(folded.time.bubble_s, unfolded.time.bubble_s, tolerance_s);
  }
}

TEST_P(Parts, OfOneGpuHaveNoCommunicationCodecOrBubble) {
  const ReportedStep step = reported_step(small_cluster(1, 1), {}, scheme());
  EXPECT_EQ(step.report.time.exposed_comm_s, 0);
  EXPECT_EQ(step.report.time.codec_s, 0);
  EXPECT_NEAR(step.report.time.bubble_s, 0, 1e-12);
  EXPECT_EQ(step.report.step->gradient_exchange_s, 0);
  EXPECT_EQ(step.report.compression_ratio_fp32, 1);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Parts, testing::ValuesIn(scheme_rows()), scheme_label);

}  // namespace
}  // namespace sim
