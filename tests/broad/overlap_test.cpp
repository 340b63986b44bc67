// SPDX-License-Identifier: Apache-2.0
// What overlap can win, and what it can cost.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schedule/whole_step.hpp"
#include "tests/schemes/doubled_bandwidth.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// Compute and communication of about the same length, and no fixed times, so that what more
// buckets cost is the slowdown of the kernels beside them alone.
Cluster balanced_cluster() {
  Cluster cluster = without_fixed_times(small_cluster());
  cluster.nvlink.bandwidth = 100_GBps;
  return cluster;
}

// How much longer a kernel takes while flows occupy its GPU: at most two flows of data parallelism
// at once, inside and between nodes, and never more bytes than its links carry.
double largest_slowdown(const Schedule& schedule, const Cluster& cluster) {
  const Bandwidth sent = nvlink_rate(cluster) + nic_rate(cluster);
  double taken = transfer_occupancy(cluster.gpu, 0, sent.base(), {}).memory_s_per_byte;
  for (const Occupancy& one : schedule.occupancies) {
    taken = std::max(taken, 2 * one.multiprocessor_share);
  }
  return 1 / (1 - taken);
}

// The kernels of a rank, and the bytes of the busiest link of each level, each as if alone.
double longest_part_s(const Schedule& schedule, const Cluster& cluster) {
  const SentBytes sent = sent_bytes(schedule);
  double longest = work_seconds(schedule, 0, [](const Operation&) { return true; });
  for (const double bytes : sent.intra_node) {
    longest = std::max(longest, bytes / nvlink_rate(cluster).base());
  }
  for (const double bytes : sent.inter_node) {
    longest = std::max(longest, bytes / nic_rate(cluster).base());
  }
  return longest;
}

class OverlapLaws : public EveryScheme {};

TEST_P(OverlapLaws, OverlapIsBetweenTheLongestPartAndNoOverlapSlowedDown) {
  const Cluster cluster = balanced_cluster();
  const double serial = step_time(cluster, deep_model(), defined(scheme()), scheme());
  for (const Overlap& overlap :
       {Overlap{.gradients = true}, Overlap{.weights = true}, kOverlapAll}) {
    const Parallelism parallelism = defined(scheme(), {.overlap = overlap, .bucket = 12_MiB});
    const Schedule schedule = plan(cluster, deep_model(), parallelism, scheme());
    const double step_s = simulate(schedule, cluster).makespan_s;
    EXPECT_LE(step_s, serial * largest_slowdown(schedule, cluster));
    EXPECT_GE(step_s, longest_part_s(schedule, cluster) * (1 - 1e-9));
  }
}

TEST_P(OverlapLaws, OverlapHidesSomething) {
  const Cluster cluster = balanced_cluster();
  const double serial = step_time(cluster, deep_model(), defined(scheme()), scheme());
  for (const bool weights : {false, true}) {
    const Overlap overlap{.gradients = !weights, .weights = weights};
    const Parallelism parallelism = defined(scheme(), {.overlap = overlap, .bucket = 12_MiB});
    const bool allowed = weights ? parallelism.sharding.stage > 0 && scheme().overlap.weights
                                 : scheme().overlap.gradients;
    if (!allowed) continue;
    EXPECT_LT(step_time(cluster, deep_model(), parallelism, scheme()), serial);
  }
}

// Between two collectives kernels are one operation, or one each: only the timeline shows it.
TEST_P(OverlapLaws, StepsTakeAsLongWithEachKernelShown) {
  Cluster cluster = balanced_cluster();
  cluster.speed_spread = 0.05;
  const Calibration calibration = roofline();
  for (Parallelism parallelism :
       {Parallelism{.overlap = kOverlapAll, .bucket = 4_MiB}, Parallelism{.tensor = 2,
                                                              .pipeline = 2,
                                                              .accumulation = 3,
                                                              .recompute = Recompute::full,
                                                              .overlap = kOverlapAll}}) {
    parallelism = defined(scheme(), parallelism);
    StepContext context{cluster, deep_model(), calibration, parallelism};
    const double merged_s = simulate(whole_step(context, scheme()), cluster).makespan_s;
    context.each_kernel = true;
    // SimGrid ends what is within a nanosecond of its end, at each event: milliseconds have hundreds.
    EXPECT_NEAR(simulate(whole_step(context, scheme()), cluster).makespan_s / merged_s, 1, 5e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, OverlapLaws, testing::ValuesIn(scheme_rows()), scheme_label);

// gardenhose-doubled-bandwidth has more of these.
TEST(DoubledBandwidth, MakesNoStepSlower) {
  for (std::uint64_t number = 0; number < 20; ++number) {
    const RandomStep step = random_step(number);
    EXPECT_LT(step.seconds(true), step.seconds(false) * (1 + kSlowerTolerance))
        << number << ": " << described(step);
  }
}

TEST(TensorOverlap, RunsWeightGradientsBesideTheAllReduceOfTheInputs) {
  const Cluster cluster = balanced_cluster();
  Parallelism parallelism{.tensor = 4, .micro_batch = 4};
  const Scheme& scheme = scheme_named("sharded");
  const double serial = step_time(cluster, deep_model(), parallelism, scheme);
  parallelism.overlap.tensor = true;
  EXPECT_LT(step_time(cluster, deep_model(), parallelism, scheme), serial);
}

}  // namespace
}  // namespace sim
