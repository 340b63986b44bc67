// SPDX-License-Identifier: Apache-2.0
// Replicas whose messages share links of a fabric: alike ranks that are simulated as one would meet on them
// every time, which GPUs of unlike speeds do not.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// Messages of 50 GB/s NICs over links half as fast, between kernels that take about as long as they.
Cluster narrow_links(const NetworkFabric* fabric, int nodes) {
  Cluster cluster = sample_cluster({.nodes = nodes,
                                    .gpus = 4,
                                    .nics = 4,
                                    .fabric = fabric,
                                    .oversubscription = 2,
                                    .nodes_per_leaf = 2});
  cluster.network.link_bandwidth = 25_GBps;
  cluster.speed_spread = 0.015;
  return cluster;
}

PlannedStep step_of(const Cluster& cluster, const Parallelism& p, bool whole) {
  Model model = deep_model();
  model.sequence = 1024;
  const Calibration calibration = roofline();
  const StepContext context{.cluster = cluster,
                            .model = model,
                            .calibration = calibration,
                            .parallelism = p,
                            .whole = whole};
  return plan_step(context, scheme_named("data_parallel"));
}

double seconds_of_planned(const PlannedStep& step) {
  return simulate(step.schedule, step.wiring).makespan_s;
}

TEST(Collisions, OfReplicasAreThoseOfGpusAtTheirOwnSpeeds) {
  const NetworkFabric* const fabrics_of_links[] = {&fabrics::torus, &fabrics::dragonfly,
                                                   &fabrics::fat_tree_2level};
  std::mt19937 random(5);
  const auto any = [&](const auto& values) {
    return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
  };
  int collide = 0;
  for (int i = 0; i < 36; ++i) {
    const Cluster cluster = narrow_links(fabrics_of_links[i % 3], any(std::vector{4, 8, 12, 16}));
    const Placement placements[] = {{&axes::tensor, &axes::data, &axes::pipeline},
                                    {&axes::data, &axes::tensor, &axes::pipeline},
                                    {&axes::data, &axes::pipeline, &axes::tensor}};
    Parallelism p{.tensor = any(std::vector{1, 2, 4}), .pipeline = any(std::vector{1, 2, 4})};
    p.placement = any(std::vector(std::begin(placements), std::end(placements)));
    p.accumulation = p.pipeline * any(std::vector{1, 2, 3});
    p.sharding.stage = 0;
    const PlannedStep step = step_of(cluster, p, false);
    collide += step.schedule.ranks == rank_count(cluster) ? 1 : 0;
    EXPECT_NEAR(seconds_of_planned(step) / seconds_of_planned(step_of(cluster, p, true)), 1, 0.01)
        << i;
  }
  EXPECT_GT(collide, 6);
}

// Links that carry all at once, and GPUs that stay in step.
TEST(Collisions, LeaveOneOfAlikeRanksWhereNoneHappen) {
  Parallelism p{.pipeline = 4, .accumulation = 8};
  p.sharding.stage = 0;
  Cluster wide =
      sample_cluster({.nodes = 16, .gpus = 4, .nics = 4, .fabric = &fabrics::fat_tree_2level});
  wide.speed_spread = 0.015;
  EXPECT_LT(step_of(wide, p, false).schedule.ranks, rank_count(wide));
  Cluster even = narrow_links(&fabrics::torus, 16);
  EXPECT_EQ(step_of(even, p, false).schedule.ranks, rank_count(even));
  even.speed_spread = 0;
  EXPECT_LT(step_of(even, p, false).schedule.ranks, rank_count(even));
}

}  // namespace
}  // namespace sim
