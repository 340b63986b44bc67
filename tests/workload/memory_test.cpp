// SPDX-License-Identifier: Apache-2.0
// Memory of one GPU: the closed forms of what holds it, and that more sharding needs less.
#include "sim/workload/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/workload/parameters.hpp"
#include "sim/workload/stacks.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

double activations_of(const MemoryUse& use) {
  return use.attention_activations + use.feed_forward_activations;
}

Cluster nodes(int count) { return sample_cluster({.nodes = count}); }

TEST(Memory, OfParametersIsTwoBytesAWeightAndTwelveOfTheOptimizerSharded) {
  const Model model = shipped_model("gpt_1.3b");
  const auto n = static_cast<double>(total_parameters(model));
  for (const int count : {1, 2, 16}) {
    for (const Precision precision : {Precision::fp32, Precision::bf16}) {
      const MemoryUse use = memory_use(nodes(count), model, {.gradients = precision},
                                       {.buffers = 0.5, .state = 0.25});
      EXPECT_DOUBLE_EQ(use.weights, 2 * n);
      EXPECT_DOUBLE_EQ(use.gradients, bytes_of(precision) * n);
      EXPECT_DOUBLE_EQ(use.optimizer, (4 + 4 + 4) * n / (8 * count));
      EXPECT_DOUBLE_EQ(use.codec, 0.75 * n);
    }
  }
}

TEST(Memory, OfMuonIsOneMomentOfTheMatricesAndTwoOfTheRest) {
  // A layer of Llama 2 7B is 4 h^2 + 3 h f weights and two norms.
  const Model model = shipped_model("llama_2_7b");
  const auto n = static_cast<double>(total_parameters(model));
  const double h = model.hidden;
  const double matrices = model.layers * (4 * h * h + 3 * h * model.feed_forward);
  const auto optimizer = [&](int stage) {
    return memory_use(nodes(2), model, {.optimizer = Optimizer::muon, .sharding = {.stage = stage}})
        .optimizer;
  };
  for (const int stage : {1, 2}) {
    EXPECT_DOUBLE_EQ(optimizer(stage), (8 * matrices + 12 * (n - matrices)) / 16);
  }
  EXPECT_DOUBLE_EQ(optimizer(3), (4 * matrices + 8 * (n - matrices)) / 16);
}

TEST(Memory, OfActivationsIsTheFormulaOfKorthikanti) {
  // arXiv 2205.05198, table 2, a layer of GELU with dropout: s b h (34 + 5 a s / h) without
  // parallelism, s b h (10 + 24/t + 5 a s / (h t)) with tensor parallelism, all of it over t with
  // sequence parallelism too, s b h 34/t without the scores, 2 s b h recomputed in full.
  Model model = shipped_model("gpt_1.3b");
  model.dropout = true;
  const double s = model.sequence;
  const double h = model.hidden;
  const double scores = 5.0 * model.heads * s / h;
  const double t = 4;
  const double sbh = s * 2 * h;
  const auto activations = [&](Parallelism p) {
    p.micro_batch = 2;
    return activations_of(memory_use(nodes(2), model, p)) / model.layers;
  };
  EXPECT_DOUBLE_EQ(activations({.recompute = Recompute::none}), sbh * (34 + scores));
  EXPECT_DOUBLE_EQ(activations({.tensor = 4, .recompute = Recompute::none}),
                   sbh * (10 + 24 / t + scores / t));
  EXPECT_DOUBLE_EQ(
      activations({.tensor = 4, .sequence_parallel = true, .recompute = Recompute::none}),
      sbh * (34 + scores) / t);
  EXPECT_DOUBLE_EQ(
      activations({.tensor = 4, .sequence_parallel = true, .recompute = Recompute::selective}),
      sbh * 34 / t);
  // PyTorch keeps the inputs of both blocks' first products as they were gathered.
  EXPECT_DOUBLE_EQ(activations({.tensor = 4,
                                .sequence_parallel = true,
                                .recompute = Recompute::none,
                                .stack = &stacks::torch_eager}),
                   sbh * ((34 + scores) / t + 2 * 2 * (1 - 1 / t)));
  EXPECT_DOUBLE_EQ(activations({.recompute = Recompute::none, .attention = Attention::fused}),
                   sbh * 34);
  EXPECT_DOUBLE_EQ(activations({.recompute = Recompute::full}), sbh * 2);
  // The layer's input, and queries, keys and values, as wide each.
  EXPECT_DOUBLE_EQ(activations({.recompute = Recompute::projections}), sbh * 8);
  EXPECT_DOUBLE_EQ(activations({.tensor = 4, .recompute = Recompute::projections}),
                   sbh * (2 + 6 / t));
}

// torchtitan's selective option "op": a layer's input, queries, values, the core's output, gate and
// down; with tensor parallelism down's output before it is scattered, and what both blocks'
// reduce_scatters give.
TEST(Memory, OfAlternateRecomputationKeepsWhatIsScatteredToo) {
  const Model model = shipped_model("llama_2_7b");
  const double sbh = 2.0 * model.sequence * model.hidden;
  const double sbf = 2.0 * model.sequence * model.feed_forward;
  const auto kept = [&](int t) {
    const Parallelism p{.tensor = t,
                        .sequence_parallel = t > 1,
                        .recompute = Recompute::alternate,
                        .attention = Attention::fused,
                        .stack = &stacks::torch_compile};
    return activations_of(memory_use(nodes(2), model, p)) / model.layers;
  };
  EXPECT_DOUBLE_EQ(kept(1), 4 * sbh + sbf + sbh);
  for (const int t : {2, 8}) EXPECT_DOUBLE_EQ(kept(t), (4 * sbh + sbf) / t + sbh + 2 * sbh / t);
}

TEST(Memory, OfActivationsGrowsWithTheHeadsAndWithTheInputsOfTheirNorms) {
  Model model = shipped_model("llama_2_7b");
  model.kv_heads = 8;
  const double tokens = model.sequence;
  const auto activations = [&] {
    return activations_of(memory_use(nodes(2), model, {.tensor = 4})) / model.layers;
  };
  const double plain = activations();
  // Queries and output are 32 heads wide, keys and values 8: with heads twice as wide they take as
  // much again.
  model.head_width = 256;
  EXPECT_DOUBLE_EQ(activations() - plain, 2 * tokens * 128 * (2 * 32 + 2 * 8) / 4);
  model.head_width = 128;
  model.query_key_norm = true;
  EXPECT_DOUBLE_EQ(activations() - plain, 2 * tokens * 128 * (32 + 8) / 4);
}

TEST(Memory, OfTheFirstStageHoldsOneMicroBatchForEachStage) {
  // 1F1B keeps p micro-batches on the first of p stages, and no more than there are. With few words
  // the first stage, which has the positions, needs most.
  Model model = shipped_model("gpt_1.3b");
  model.vocabulary = 8;
  const double one_layer =
      activations_of(memory_use(nodes(2), model, {.recompute = Recompute::full})) / model.layers;
  for (const int accumulation : {1, 2, 4, 16}) {
    const MemoryUse use =
        memory_use(nodes(2), model,
                   {.pipeline = 4, .accumulation = accumulation, .recompute = Recompute::full});
    EXPECT_EQ(use.head, 0);  // the last stage's
    EXPECT_DOUBLE_EQ(activations_of(use), one_layer * model.layers / 4 * std::min(4, accumulation));
  }
}

TEST(Memory, OfTheLastStageHoldsOneMicroBatch) {
  // Its backward pass follows each forward pass at once. With many words it needs most.
  Model model = shipped_model("gpt_1.3b");
  model.vocabulary = 1'000'000;
  const Parallelism parallelism{.pipeline = 4, .accumulation = 4, .recompute = Recompute::full};
  const MemoryUse use = memory_use(nodes(2), model, parallelism);
  const double tokens = model.sequence;
  EXPECT_DOUBLE_EQ(use.head, (2 + 4) * tokens * model.vocabulary);  // BF16 and FP32
  EXPECT_DOUBLE_EQ(activations_of(use), 2 * tokens * model.hidden * model.layers / 4);
}

TEST(Memory, IsLessTheMoreIsSharded) {
  for (const char* name : {"gpt_1.3b", "gpt_13b", "llama_2_7b"}) {
    const Model model = shipped_model(name);
    const auto total = [&](int count, const Parallelism& p) {
      return memory_use(nodes(count), model, p, {.buffers = 1}).total();
    };
    const std::vector<std::vector<double>> falling{
        {total(1, {}), total(2, {}), total(4, {}), total(64, {})},
        {total(4, {}), total(4, {.tensor = 2}), total(4, {.tensor = 4}), total(4, {.tensor = 8})},
        {total(4, {}), total(4, {.pipeline = 2}), total(4, {.pipeline = 4})},
        {total(4, {.tensor = 4}), total(4, {.tensor = 4, .sequence_parallel = true})},
        {total(4, {.recompute = Recompute::none}), total(4, {.recompute = Recompute::selective}),
         total(4, {.recompute = Recompute::full})}};
    for (const auto& row : falling) {
      for (std::size_t i = 1; i < row.size(); ++i) EXPECT_LT(row[i], row[i - 1]) << name;
    }
  }
}

TEST(Memory, TotalIsTheSumOfItsParts) {
  MemoryUse use;
  int place = 0;
  for (const MemoryPart& part : memory_parts()) {
    use.*part.bytes = std::exp2(++place);
  }
  EXPECT_EQ(use.total(), std::exp2(static_cast<double>(memory_parts().size()) + 1) - 2);
}

}  // namespace
}  // namespace sim
