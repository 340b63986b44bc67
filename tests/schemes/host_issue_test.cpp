// SPDX-License-Identifier: Apache-2.0
// Steps whose GPUs wait for their hosts.
#include "sim/program/host_issue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sim/program/lay_out.hpp"
#include "sim/report/report.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Calibration calibration_with(const HostRow& row) {
  Calibration calibration = roofline();
  calibration.hosts.rows = {row};
  return calibration;
}

HostRow host(double issue_s, bool waits = false) {
  return {.name = "host",
          .kernels = {Kernels::megatron, Kernels::eager, Kernels::compiled},
          .issue_s = issue_s,
          .spread = 0.5,
          .waits_for_norm = waits,
          .waits_for_messages = waits};
}

struct Played {
  Schedule schedule;
  Timeline timeline;
  [[nodiscard]] double seconds() const { return timeline.makespan_s; }
};

Played played(const HostRow& row, const Cluster& cluster, const Parallelism& parallelism,
              bool each_kernel = false, const Model& model = deep_model()) {
  const Calibration calibration = calibration_with(row);
  const StepContext context{cluster,        model,       calibration, parallelism,
                            Detail::folded, each_kernel, true};
  auto [schedule, wiring] = plan_step(context, scheme_named("sharded"));
  Timeline timeline = simulate(schedule, wiring);
  return {std::move(schedule), std::move(timeline)};
}

std::size_t host_operations(const Schedule& schedule) {
  return static_cast<std::size_t>(
      std::ranges::count(schedule.operations, OperationKind::host, &Operation::kind));
}

const std::vector<Parallelism>& layouts() {
  static const std::vector<Parallelism> all{
      {},
      {.tensor = 2, .accumulation = 2},
      {.pipeline = 2, .accumulation = 4},
      {.kernels = Kernels::eager,
       .overlap = {.gradients = true, .weights = true},
       .sharding = {.stage = 3}},
  };
  return all;
}

// Against the definition, where the host is behind, ahead, and waits.
TEST(HostIssue, StartsBlocksWhenTheyAreIssuedAndTheGpuIsFree) {
  std::mt19937 source(11);
  const auto random = [&](double most) {
    return std::uniform_real_distribution(0.0, most)(source);
  };
  for (int step = 0; step < 20; ++step) {
    ScheduleBuilder builder(1);
    HostIssue issue(builder, host(1e-3));
    double host_s = random(0.01) - 0.005;
    double gpu_s = 0;
    issue.start(0, -host_s);
    for (int i = 0; i < 40; ++i) {
      const HostBlock block = launched(1 + i % 3, 1e-3, random(6e-3));
      const OperationId issued = issue.issue(0, block);
      builder.work(0, Stream::compute, Phase::forward, "kernels", block.gpu_s, 0, {&issued, 1});
      gpu_s = std::max(host_s + block.start_s, gpu_s) + block.gpu_s;
      host_s += block.issue_s;
      if (i % 10 != 9) continue;
      issue.wait(0, std::array{builder.last(0, Stream::compute)});
      host_s = std::max(host_s, gpu_s);
    }
    const Schedule schedule = std::move(builder).finish();
    EXPECT_NEAR(simulate(schedule, small_cluster()).makespan_s, gpu_s, 1e-9);
  }
}

TEST(HostIssue, AddsNothingWhereTheHostIsAlwaysAhead) {
  for (const Parallelism& parallelism : layouts()) {
    const Cluster cluster = small_cluster();
    const Model model = deep_model();
    const Calibration ideal = roofline();
    const StepContext context{cluster, model, ideal, parallelism, Detail::folded, false, true};
    const auto [schedule, wiring] = plan_step(context, scheme_named("sharded"));
    const Played with_host = played(host(1e-12), cluster, parallelism);
    EXPECT_EQ(host_operations(with_host.schedule), 0U);
    EXPECT_EQ(with_host.timeline.end_s, simulate(schedule, wiring).end_s);
  }
}

// Kernels that the host issues in a step of one GPU: nobody to communicate with.
double launches(const HostRow& row, const Cluster& cluster, const Parallelism& parallelism) {
  const Calibration calibration = calibration_with(row);
  const Model model = deep_model();
  const Program program =
      lay_out({cluster, model, calibration, parallelism}, scheme_named("sharded"));
  double count = 0;
  for (const Instruction& one : program.instructions) {
    if (const auto* compute = std::get_if<Compute>(&one.what)) {
      for (const BlockTime& kernel : program.kernels[compute->kernels]) count += kernel.launches;
    } else if (const auto* exchange = std::get_if<Communicate>(&one.what)) {
      count += static_cast<double>(program.communications[exchange->communication].parts.size());
    } else if (std::holds_alternative<MemoryPass>(one.what) ||
               std::holds_alternative<SumNorm>(one.what)) {
      ++count;
    }
  }
  return count;
}

// A host that takes a second for a kernel issues them one after the other, whatever the GPU does.
TEST(HostIssue, OfASlowHostIsTheStep) {
  const Cluster cluster = small_cluster(1, 1);
  for (const bool waits : {false, true}) {
    const HostRow slow = host(1, waits);
    EXPECT_NEAR(played(slow, cluster, {}).seconds() / launches(slow, cluster, {}), 1, 1e-3);
  }
}

TEST(HostIssue, TakesTheRestOfAStepToo) {
  const Cluster cluster = small_cluster(1, 1);
  for (const bool waits : {false, true}) {
    HostRow slow = host(1, waits);
    const double without = played(slow, cluster, {}).seconds();
    slow.step_s = 20;
    EXPECT_NEAR(played(slow, cluster, {}).seconds(), without + 20, 0.01) << waits;
  }
}

TEST(HostIssue, IsTheSameKernelByKernel) {
  for (const Parallelism& parallelism : layouts()) {
    for (const double issue_s : {1e-6, 5e-6, 20e-6, 100e-6}) {
      for (const bool waits : {false, true}) {
        const double blocks = played(host(issue_s, waits), small_cluster(), parallelism).seconds();
        const double kernels =
            played(host(issue_s, waits), small_cluster(), parallelism, true).seconds();
        EXPECT_NEAR(kernels / blocks, 1, 1e-3) << issue_s << (waits ? ", waits" : "");
      }
    }
  }
}

TEST(HostIssue, NeverMakesAStepFaster) {
  for (const Parallelism& parallelism : layouts()) {
    double before = 0;
    for (const double issue_s : {1e-12, 1e-6, 5e-6, 20e-6, 100e-6}) {
      const double seconds = played(host(issue_s), small_cluster(), parallelism).seconds();
      EXPECT_GE(seconds, before * (1 - 1e-9)) << issue_s;
      EXPECT_GE(played(host(issue_s, true), small_cluster(), parallelism).seconds(),
                seconds * (1 - 1e-9));
      before = seconds;
    }
  }
}

// One launch for all kernels of a block.
TEST(HostIssue, CostsLessWithGraphs) {
  for (const Parallelism& parallelism : layouts()) {
    Parallelism graphs = parallelism;
    graphs.cuda_graphs = true;
    for (const bool each : {false, true}) {
      EXPECT_LT(played(host(100e-6), small_cluster(), graphs, each).seconds(),
                0.6 * played(host(100e-6), small_cluster(), parallelism, each).seconds());
    }
  }
}

TEST(HostIssue, IsAPartOfTheStepsTime) {
  const Played slow = played(host(100e-6), small_cluster(1, 1), {});
  const TimeParts parts = time_parts(slow.schedule, slow.timeline);
  const double kernels_s = parts.compute_s + parts.optimizer_s + parts.other_s;
  EXPECT_GT(parts.host_s, 0.5 * slow.seconds());
  EXPECT_NEAR(parts.host_s + parts.bubble_s + kernels_s, slow.seconds(), 1e-9);
  EXPECT_LT(parts.bubble_s, 0.05 * slow.seconds());
}

}  // namespace
}  // namespace sim
