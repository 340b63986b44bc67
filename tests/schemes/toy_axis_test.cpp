// SPDX-License-Identifier: Apache-2.0
// An axis that nothing else knows: ranks that hold the same weights and, after each block of a layer,
// gather what all of them have, as keys and values of a sequence's parts. What layout, exchanges of
// gradients and passes need of it is its row.
#include <gtest/gtest.h>

#include "sim/program/block_exchange.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

extern const Axis kContext;

Communication gather(const StepSizes&, double bytes) {
  Communication gather{.axis = &kContext, .start = {{Stream::compute}}};
  gather.add(Transfer{.collective = CollectiveKind::all_gather,
                      .among = Among::axis,
                      .bytes = bytes,
                      .stream = Stream::tensor,
                      .phase = Phase::tensor_comm});
  return gather;
}

constexpr BlockExchange kGather{gather};
const Axis kContext{.name = "cp", .same_weights = true, .after_block = &kGather};

Parallelism of_two(Parallelism p) {
  p.more_axes[0] = {&kContext, 2};
  p.placement = {&axes::tensor, &kContext, &axes::pipeline, &axes::data};
  return p;
}

double sent_by_kind(const Schedule& schedule, Phase phase) {
  const SentBytes bytes = sent_bytes(schedule, phase);
  return std::accumulate(bytes.intra_node.begin(), bytes.intra_node.end(), 0.0) +
         std::accumulate(bytes.inter_node.begin(), bytes.inter_node.end(), 0.0);
}

TEST(ToyAxis, LiesWhereItIsPlaced) {
  const Cluster cluster = small_cluster();
  const Parallelism p = of_two({.tensor = 2});
  EXPECT_EQ(data_parallel(cluster, p), 4);
  const Layout layout = layout_of(cluster, p);
  EXPECT_EQ(layout.size(kContext), 2);
  EXPECT_EQ(layout.size(axes::data), 2);
  const Axis* const context[] = {&kContext};
  EXPECT_EQ(layout.groups(context),
            (std::vector<std::vector<int>>{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(ToyAxis, ExchangesAfterEachBlockAndSumsGradientsWithItsReplicas) {
  for (const int pipeline : {1, 2}) {
    for (const int stage : {1, 3}) {
      Parallelism p{.pipeline = pipeline, .accumulation = 2};
      p.sharding.stage = stage;
      const Scheme& scheme = scheme_named("sharded");
      const Schedule without = plan(small_cluster(), deep_model(), p, scheme);
      const Schedule with = plan(small_cluster(), deep_model(), of_two(p), scheme);
      for (const Phase phase : {Phase::weight_comm, Phase::gradient_comm, Phase::pipeline_comm}) {
        EXPECT_NEAR(sent_by_kind(with, phase), sent_by_kind(without, phase), 1);
      }
      // Two blocks of each layer, forward and back, of two micro-batches: half a buffer from each
      // of the 8 ranks that hold the layer, which are 8 / pipeline.
      const Model model = deep_model();
      const double buffer = 2.0 * model.sequence * model.hidden;
      EXPECT_EQ(sent_by_kind(without, Phase::tensor_comm), 0);
      EXPECT_NEAR(sent_by_kind(with, Phase::tensor_comm),
                  4.0 * model.layers * 2 * buffer / 2 * 8 / pipeline, 1);
    }
  }
}

TEST(ToyAxis, RunsAStepBesideTensorParallelRanks) {
  for (const char* scheme : {"sharded", "tlq"}) {
    const Parallelism p{.tensor = 2, .accumulation = 2};
    const double without = step_time(small_cluster(), deep_model(), p, scheme_named(scheme));
    EXPECT_GT(step_time(small_cluster(), deep_model(), of_two(p), scheme_named(scheme)), without);
  }
}

}  // namespace
}  // namespace sim
