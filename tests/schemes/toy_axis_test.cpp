// SPDX-License-Identifier: Apache-2.0
// Axes that nothing else knows. What layout, batch, gradients, shards and exchanges need of them is their
// rows: one along which ranks hold the same weights and compute with other tokens of the same samples, and
// gather after each block of a layer what all of them have, as keys and values of a sequence's parts; and
// one along which they hold other experts.
#include <gtest/gtest.h>

#include "sim/program/block_exchange.hpp"
#include "sim/program/groups.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

extern const Axis kContext;
constexpr double kInsideShare = 0.25;

// Two ranks of a sequence each gather the other's keys and values before the core, and after each block
// what the next one takes.
Communication gather(const StepSizes&, Point point, double bytes) {
  const bool inside = point == Point::inside_attention || point == Point::core_gradients;
  if (!inside && point != Point::after_block) return {};
  if (inside) bytes *= kInsideShare;
  Communication gather{.axis = &kContext, .start = {{Stream::compute}}};
  gather.add(Transfer{.collective = CollectiveKind::all_gather,
                      .among = Among::axis,
                      .bytes = bytes,
                      .stream = Stream::tensor,
                      .phase = Phase::tensor_comm});
  return gather;
}

constexpr BlockExchange kGather{gather};
const Axis kContext{.name = "cp", .splits = Splits::tokens, .exchange = &kGather};
constexpr Axis kExperts{.name = "ep", .of = Weights::experts};

Parallelism of_two(Parallelism p) {
  p.more_axes[0] = {&kContext, 2};
  p.placement = {&axes::tensor, &kContext, &axes::pipeline, &axes::data};
  return p;
}

Parallelism with_experts(int ranks, Parallelism p) {
  p.expert_tensor = 1;
  p.expert_axes[0] = {&kExperts, ranks};
  return p;
}

double sent_by_kind(const Schedule& schedule, Phase phase) {
  const SentBytes bytes = sent_bytes(schedule, phase);
  return std::accumulate(bytes.intra_node.begin(), bytes.intra_node.end(), 0.0) +
         std::accumulate(bytes.inter_node.begin(), bytes.inter_node.end(), 0.0);
}

using Lists = std::vector<std::vector<int>>;

TEST(ToyAxis, LiesWhereItIsPlaced) {
  const Cluster cluster = small_cluster();
  const Parallelism p = of_two({.tensor = 2});
  const Layout layout = layout_of(cluster, p);
  EXPECT_EQ(layout.size(kContext), 2);
  EXPECT_EQ(layout.size(axes::data), 2);
  const Axis* const context[] = {&kContext};
  EXPECT_EQ(layout.groups(context), (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

// 8 ranks are 4 that hold each half of the weights, and two of those share a sample.
TEST(ToyAxis, ThatSplitsTokensHoldsWeightsAndNoSamples) {
  const Cluster cluster = small_cluster();
  const Parallelism p = of_two({.tensor = 2, .micro_batch = 3, .accumulation = 5});
  EXPECT_EQ(holders(cluster, p), 4);
  EXPECT_EQ(shard_ranks(cluster, p), 4);
  EXPECT_EQ(replicas(cluster, p), 2);
  EXPECT_EQ(global_batch(cluster, p), 2 * 3 * 5);
}

// An axis that splits weights in a way of its own: rank 1 and rank 5 hold what 0 and 4 do not.
TEST(ToyAxis, ThatSplitsWeightsHasItsOwnHolders) {
  constexpr Axis kOther{.name = "other"};
  const Cluster cluster = small_cluster();
  Parallelism p{.tensor = 2, .micro_batch = 3};
  p.more_axes[0] = {&kOther, 2};
  p.placement = {&kOther, &axes::tensor, &axes::data, &axes::pipeline};
  EXPECT_EQ(holders(cluster, p), 2);
  EXPECT_EQ(global_batch(cluster, p), 2 * 3);
  EXPECT_EQ(factoring_of(cluster, p).groups_of_holders(Weights::dense),
            (Lists{{0, 4}, {2, 6}, {1, 5}, {3, 7}}));
  EXPECT_EQ(holder_nodes(cluster, p), 2);
  EXPECT_TRUE(has_even_holders(cluster, p));
}

// The same ranks once more: 8 of a stage are 2 x 4 dense, and 4 x 2 of experts.
TEST(ToyAxis, OfExpertsDividesTheRanksOfAStageAnew) {
  const Cluster cluster = small_cluster();
  const Parallelism p = with_experts(4, {.tensor = 2, .micro_batch = 3});
  EXPECT_EQ(global_batch(cluster, p), 4 * 3);
  EXPECT_EQ(holders(cluster, p), 4);
  EXPECT_EQ(holders(cluster, p, Weights::experts), 2);
  EXPECT_EQ(shard_ranks(cluster, p, Weights::experts), 2);
  const Factoring factoring = factoring_of(cluster, p);
  EXPECT_EQ(factoring.size(kExperts), 4);
  EXPECT_EQ(factoring.groups(kExperts), (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(factoring.groups_of_holders(Weights::experts), (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

// Wherever the pipeline lies, each stage for itself.
TEST(ToyAxis, OfExpertsStaysInAStage) {
  const Cluster cluster = small_cluster();
  for (const Placement placement : {Placement{&axes::tensor, &axes::data, &axes::pipeline},
                                    Placement{&axes::pipeline, &axes::data, &axes::tensor},
                                    Placement{&axes::data, &axes::pipeline, &axes::tensor}}) {
    Parallelism p = with_experts(2, {.tensor = 2, .pipeline = 2});
    p.placement = placement;
    const Factoring factoring = factoring_of(cluster, p);
    for (const Lists& lists :
         {factoring.groups(kExperts), factoring.groups_of_holders(Weights::experts)}) {
      EXPECT_EQ(lists.size(), 4U);
      for (const std::vector<int>& group : lists) {
        ASSERT_EQ(group.size(), 2U);
        EXPECT_EQ(factoring.dense().place(group[0], axes::pipeline),
                  factoring.dense().place(group[1], axes::pipeline));
      }
    }
  }
}

// Gradients of dense weights among all, those of experts among the ranks that hold the same ones.
TEST(ToyAxis, OfExpertsSumsTheirGradientsAmongTheirHolders) {
  const Cluster cluster = small_cluster();
  const Model model = deep_model();
  const Calibration calibration = roofline();
  const StepContext context{cluster, model, calibration, with_experts(4, {})};
  Program program;
  for (const Weights weights : {Weights::dense, Weights::experts}) {
    Communication& sum = program.communications.emplace_back();
    sum.weights = weights;
    sum.add(Transfer{.collective = CollectiveKind::reduce_scatter, .among = Among::shards});
  }
  Communication& dispatch = program.communications.emplace_back();
  dispatch.axis = &kExperts;
  dispatch.weights = Weights::experts;
  dispatch.add(Transfer{.collective = CollectiveKind::all_to_all, .among = Among::axis});
  std::map<Weights, Lists> summed;
  Lists dispatched;
  for_each_group(
      groups_needed(program), context, [&](const GroupsKey& key, Ranks ranks, const Uses&) {
        (key.axis == &kExperts ? dispatched : summed[key.weights]).push_back(std::move(ranks));
      });
  EXPECT_EQ(dispatched, (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(summed[Weights::dense], (Lists{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(summed[Weights::experts], (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

// Between the projections and the core; the core waits for it.
TEST(ToyAxis, ExchangesInsideAttention) {
  const Schedule schedule = plan(small_cluster(), deep_model(),
                                 of_two({.recompute = Recompute::full}), scheme_named("sharded"));
  const Timeline timeline = simulate(schedule, small_cluster());
  double projected_s = 0, exchanged_s = 0, core_s = 0;
  int repeated = 0;
  for (std::size_t id = schedule.operations.size(); id-- > 0;) {
    const Operation& one = schedule.operations[id];
    if (one.rank != 0) continue;
    const std::string& label = schedule.labels[one.label];
    if (label == "layer 0 attention projections") projected_s = timeline.end_s[id];
    if (label == "layer 0 attention core") core_s = timeline.start_s[id];
    if (label != "attention core input") continue;
    exchanged_s = timeline.end_s[id];
    ++repeated;
  }
  // The first of all: of layer 0. Forward and recomputed.
  EXPECT_EQ(repeated, 2 * deep_model().layers);
  EXPECT_GT(projected_s, 0);
  EXPECT_GT(exchanged_s, projected_s);
  EXPECT_GE(core_s, exchanged_s);
}

TEST(ToyAxis, ExchangesAtEachPointAndSumsGradientsWithItsHolders) {
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
      // Two blocks of each layer and, of a quarter, one core, forward and back, of two micro-batches:
      // half a buffer from each of the 8 ranks that hold the layer, which are 8 / pipeline.
      const Model model = deep_model();
      const double buffer = 2.0 * model.sequence * model.hidden;
      EXPECT_EQ(sent_by_kind(without, Phase::tensor_comm), 0);
      EXPECT_NEAR(sent_by_kind(with, Phase::tensor_comm),
                  2 * (2 + kInsideShare) * model.layers * 2 * buffer / 2 * 8 / pipeline, 1);
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
