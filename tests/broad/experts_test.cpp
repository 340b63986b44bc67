// SPDX-License-Identifier: Apache-2.0
// Every scheme on layers of experts, all of which each rank holds: what travels is parameters, whoever
// they are of, and what is computed are the rows that experts get.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/schedule/least_time.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

constexpr int kCount = 4, kTopK = 2, kWidth = 512;

Model of_experts() {
  Model model = deep_model();
  model.feed_forward = 0;
  model.experts = {.count = kCount, .top_k = kTopK, .width = kWidth};
  return model;
}

// As many parameters in each layer: a router has `count` columns, as two more of the block's width have for
// each two experts.
Model as_large() {
  Model model = deep_model();
  model.feed_forward = kCount * kWidth + kCount / 2;
  return model;
}

// Dense and expert layers in turns, windows, and one that predicts.
Model mixed() {
  Model model = of_experts();
  model.feed_forward = 1024;
  model.window = 32;
  model.order = parse_order("full+dense window+experts", Block::experts).value();
  model.predictions = 1;
  return model;
}

class Experts : public EveryScheme {};
// PowerSGD's factors are of matrices, of which experts have more.
class ExpertBytes : public EveryScheme {};
bool sends_elements(const Scheme& scheme) { return scheme.gradients.factor_rank == 0; }

std::vector<Parallelism> stages_of(const Scheme& scheme) {
  std::vector<Parallelism> all;
  for (const int stage : scheme.zero) {
    all.push_back({.accumulation = 2, .sharding = {.stage = stage}});
    if (stage == 2) continue;
    all.push_back({.pipeline = 2,
                   .accumulation = 2,
                   .overlap = kOverlapAll,
                   .bucket = 8_MiB,
                   .sharding = {.stage = stage}});
  }
  return all;
}

TEST_P(ExpertBytes, AreThoseOfADenseModelOfTheirSize) {
  ASSERT_EQ(total_parameters(of_experts()), total_parameters(as_large()));
  const Cluster cluster = small_cluster();
  for (Parallelism p : stages_of(scheme())) {
    p.stage_layers = std::vector<int>(static_cast<std::size_t>(p.pipeline), 4 / p.pipeline);
    const SentBytes experts = sent_bytes(plan(cluster, of_experts(), p, scheme()));
    const SentBytes dense = sent_bytes(plan(cluster, as_large(), p, scheme()));
    EXPECT_EQ(experts.intra_node, dense.intra_node) << p.sharding.stage;
    EXPECT_EQ(experts.inter_node, dense.inter_node) << p.sharding.stage;
  }
}

TEST_P(Experts, TakeAtLeastTheirKernelsAndBytesFoldedOrNot) {
  const Cluster cluster = small_cluster();
  for (const Parallelism& p : stages_of(scheme())) {
    double times[2] = {};
    for (const Detail detail : {Detail::folded, Detail::step_by_step}) {
      const Schedule schedule = plan(cluster, mixed(), p, scheme(), detail);
      const Timeline timeline = simulate(schedule, cluster);
      ASSERT_EQ(timeline.outcome, Outcome::complete);
      EXPECT_LE(least_time(schedule, wire(schedule, cluster)).base(), timeline.makespan_s);
      times[detail == Detail::folded ? 0 : 1] = timeline.makespan_s;
    }
    EXPECT_NEAR(times[0] / times[1], 1, 0.025);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ExpertBytes, testing::ValuesIn(scheme_rows(sends_elements)),
                         scheme_label);
INSTANTIATE_TEST_SUITE_P(Schemes, Experts, testing::ValuesIn(scheme_rows()), scheme_label);

}  // namespace
}  // namespace sim
