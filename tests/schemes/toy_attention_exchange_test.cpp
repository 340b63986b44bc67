// SPDX-License-Identifier: Apache-2.0
// An exchange that nothing else knows: its ranks gather keys and values inside attention, and after each
// block of a layer what the next one takes.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/program/block_exchange.hpp"
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

// Between the projections and the core; the core waits for it.
TEST(ToyAttentionExchange, RunsBetweenProjectionsAndCore) {
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

TEST(ToyAttentionExchange, SendsItsBytesAtEachPointAndNoOthers) {
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

TEST(ToyAttentionExchange, RunsAStepBesideTensorParallelRanks) {
  for (const char* scheme : {"sharded", "tlq"}) {
    const Parallelism p{.tensor = 2, .accumulation = 2};
    const double without = step_time(small_cluster(), deep_model(), p, scheme_named(scheme));
    EXPECT_GT(step_time(small_cluster(), deep_model(), of_two(p), scheme_named(scheme)), without);
  }
}

}  // namespace
}  // namespace sim
