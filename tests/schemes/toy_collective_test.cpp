// SPDX-License-Identifier: Apache-2.0
// An algorithm that nothing else knows: an all_reduce in which each rank sends its whole buffer to
// every other one at once. What schedules and engine need of it is its row.
#include <gtest/gtest.h>

#include <array>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/run.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

constexpr double kLaunch = 1e-6;

LaidOut lay_out_one_shot(const Topology& topology, const std::vector<int>& ranks, Detail) {
  const auto run = [](ScheduleBuilder& builder, const Communicator& group,
                      std::span<const Leg> legs, const Order& order, const Call& call) {
    run_legs(builder, group, legs, order.bytes, {.before_s = kLaunch}, call);
  };
  const auto estimate = [](const Order& order) {
    return order.protocol == Protocol::simple ? std::optional(Duration{.before_s = kLaunch})
                                              : std::nullopt;
  };
  return {list_pairs(topology, ranks), {}, run, estimate};
}

constexpr std::array kOneShotRuns{CollectiveKind::all_reduce};
constexpr CollectiveAlgorithm kOneShot{
    .name = "one_shot",
    .runs = kOneShotRuns,
    .lay_out = lay_out_one_shot,
    .sent = [](CollectiveKind, int ranks, int) { return ranks - 1.0; }};

Cluster with(const CollectiveAlgorithm& algorithm, Cluster cluster) {
  cluster.collectives.algorithm = &algorithm;
  return cluster;
}

TEST(ToyCollective, RunsTheAllReduceAndNothingElse) {
  const Cluster cluster = with(kOneShot, small_cluster());
  using Algorithms = std::vector<const CollectiveAlgorithm*>;
  const auto run = [&](CollectiveKind collective) {
    return algorithms_for(cluster, collective, {.ranks = 8, .nodes = 2});
  };
  EXPECT_EQ(run(CollectiveKind::all_reduce), Algorithms{&kOneShot});
  EXPECT_EQ(run(CollectiveKind::all_gather), Algorithms{&algorithms::ring});
  EXPECT_EQ(run(CollectiveKind::all_to_all), Algorithms{&algorithms::pairwise});
}

TEST(ToyCollective, TakesItsBytesThroughAPort) {
  const Cluster cluster = without_fixed_times(with(kOneShot, small_cluster(1, 4)));
  const Schedule schedule =
      schedule_of(collective_named("all_reduce"), cluster, all_ranks(cluster), 4e8, Detail::folded);
  EXPECT_NEAR(simulate(schedule, cluster).makespan_s, 3 * 4e8 / 400e9 + kLaunch, 1e-9);
}

TEST(ToyCollective, RunsAStep) {
  // Tensor-parallel ranks all_reduce activations: one step instead of six, of few bytes each.
  Parallelism parallelism;
  parallelism.tensor = 4;
  const auto step = [&](const CollectiveAlgorithm& algorithm) {
    Cluster cluster = with(algorithm, small_cluster());
    cluster.nvlink.latency = 100_us;
    return step_time(cluster, deep_model(), parallelism, scheme_named("sharded"));
  };
  EXPECT_LT(step(kOneShot), step(algorithms::ring));
}

}  // namespace
}  // namespace sim
