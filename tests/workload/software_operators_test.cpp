// SPDX-License-Identifier: Apache-2.0
// What the software and the precision do to operators: whose kernels, which loss, FP8 products,
// where gradients go, and what alternate recomputation repeats.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/workload/parameters.hpp"
#include "sim/workload/stacks.hpp"
#include "tests/workload/operator_sums.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

constexpr double kElementBytes = 2;  // bytes

// With a gate and grouped heads, and without both.
std::vector<Model> models_and_frameworks() {
  Model grouped = shipped_model("llama_2_7b");
  grouped.kv_heads = 8;
  return {shipped_model("gpt_1.3b"), shipped_model("llama_2_7b"), grouped};
}

double bytes_named(const Operators& operators, std::string_view name) {
  double bytes = 0;
  for (const Operator& one : operators) bytes += one.name == name ? one.bytes : 0;
  return bytes;
}

Operators both_ways(const Model& model, const Parallelism& p) {
  const LayerOperators layer = layer_operators(model, p);
  return joined({forward_of(layer), backward_of(layer)});
}

TEST(Kernels, OfPytorchMoveMoreBytesOneByOneThanCompiled) {
  for (const Model& model : models_and_frameworks()) {
    const Parallelism compiled{.attention = Attention::fused, .kernels = Kernels::compiled};
    Parallelism eager = compiled;
    eager.kernels = Kernels::eager;
    const bool has_parts = model.norm == Model::Norm::rms_norm || model.dropout;
    for (const OperatorSum& more : {forward(model, eager) - forward(model, compiled),
                                    backward(model, eager) - backward(model, compiled)}) {
      EXPECT_GE(more.bytes, 0) << model.name;
      EXPECT_GE(more.launches, 0) << model.name;
      EXPECT_EQ(more.flop, 0) << model.name;
    }
    EXPECT_EQ((forward(model, eager) - forward(model, compiled)).bytes > 0, has_parts)
        << model.name;
  }
}

// RMSNorm, rotation and SwiGLU are several kernels; bytes an element of BF16, read and written.
TEST(Kernels, OfPytorchOneByOneMoveEachTermsBytes) {
  const Model model = shipped_model("llama_2_7b");
  const Operators eager = both_ways(model, {.kernels = Kernels::eager});
  const Operators compiled = both_ways(model, {.kernels = Kernels::compiled});
  const double tokens = model.sequence;
  const double hidden = tokens * model.hidden;
  const double wide = tokens * model.feed_forward;
  // Two norms a layer: 2+4, 4+4, 4, 4+4, 4+2, 2+2 in place of 2+2.
  EXPECT_DOUBLE_EQ(bytes_named(eager, "norm"), 2 * 36 * hidden);
  EXPECT_DOUBLE_EQ(bytes_named(compiled, "norm"), 2 * 4 * hidden);
  // Queries and keys, forward and backward: 2+4, 4+4, 4+2 in place of 2+2.
  EXPECT_DOUBLE_EQ(bytes_named(eager, "rotary positions"), 2 * 20 * 2 * hidden);
  EXPECT_DOUBLE_EQ(bytes_named(compiled, "rotary positions"), 2 * 4 * 2 * hidden);
  // SiLU 2+2 and product 4+2 in place of 4+2; backward the product's two gradients, 2+2+2 and 2+2+2,
  // and SiLU's, 2+2+2, in place of 6+4.
  EXPECT_DOUBLE_EQ(bytes_named(eager, "activation"), 10 * wide);
  EXPECT_DOUBLE_EQ(bytes_named(compiled, "activation"), 6 * wide);
  EXPECT_DOUBLE_EQ(bytes_named(eager, "activation backward"), 18 * wide);
  EXPECT_DOUBLE_EQ(bytes_named(compiled, "activation backward"), 10 * wide);
}

TEST(Kernels, OfNormsAreAsFewCompiledAsMegatrons) {
  for (const Model& model : models_and_frameworks()) {
    const Operators megatron = both_ways(model, {});
    const Operators compiled = both_ways(model, {.kernels = Kernels::compiled});
    for (const char* pass : {"norm", "norm backward", "rotary positions", "activation",
                             "activation backward", "residual"}) {
      EXPECT_EQ(bytes_named(compiled, pass), bytes_named(megatron, pass))
          << pass << " of " << model.name;
    }
  }
}

TEST(WeightGradients, AreWrittenOnceWhereTheyAreReducedAtOnceAndElseAddedToTheBuffer) {
  for (Model model : models_and_frameworks()) {
    model.biases = Model::Biases::none;  // what is sharded is then matrices alone
    const auto matrices = static_cast<double>(layer_parameters(model).sharded);
    for (const Kernels kernels : {Kernels::megatron, Kernels::eager, Kernels::compiled}) {
      for (const Precision precision : {Precision::fp32, Precision::bf16}) {
        const auto planned = [&](int stage) {
          return backward(
              model, {.kernels = kernels, .gradients = precision, .sharding = {.stage = stage}});
        };
        // Megatron's product reads and writes the buffer. PyTorch writes the gradient, then reads
        // it and adds it. Under ZeRO-3 it is written in BF16, and that is all.
        const double buffer = 2 * bytes_of(precision) + (kernels == Kernels::megatron ? 0 : 2 + 2);
        EXPECT_NEAR((planned(1) - planned(3)).bytes / ((buffer - kElementBytes) * matrices), 1,
                    1e-9);
        EXPECT_EQ((planned(2) - planned(1)).bytes, 0);
      }
    }
  }
}

struct LossRow {
  Loss loss;
  Kernels kernels;
  double forward, backward;  // bytes of a logit
};
constexpr LossRow kLosses[]{
    // Cast 2+4, maximum 4, subtracted 4+4, exponentials 4+4, sum 4, divided 4+4; gradient 4+4, cast
    // 4+2.
    {Loss::unfused, Kernels::megatron, 38, 14},
    // Cast 2+4, logarithms of the softmax 4+4; zeros 4, gradient 4+4+4, cast 4+2.
    {Loss::unfused, Kernels::eager, 14, 22},
    {Loss::unfused, Kernels::compiled, 14, 22},
    // Read; read and replaced by the gradient.
    {Loss::fused, Kernels::megatron, 2, 4},
    {Loss::fused, Kernels::eager, 2, 4},
    {Loss::fused, Kernels::compiled, 2, 4},
};

TEST(Loss, MovesTheLogitsOncePerTermOrOnceEachWayWhereItIsOneKernel) {
  const Model model = shipped_model("llama_2_7b");
  for (const LossRow& row : kLosses) {
    const EndOperators ends = end_operators(
        model, {.tensor = 2, .micro_batch = 3, .kernels = row.kernels, .loss = row.loss});
    const double logits = 3.0 * model.sequence * model.vocabulary / 2;
    EXPECT_DOUBLE_EQ(bytes_named(ends.head, "loss"), row.forward * logits);
    EXPECT_DOUBLE_EQ(bytes_named(ends.head_backward, "loss backward"), row.backward * logits);
  }
}

// torchtitan keeps every other product of queries, keys, values, output, gate, up and down, and
// attention: keys, output and up are computed again; without a gate keys, output and down.
TEST(AlternateRecompute, DoesTheFlopOfKeysOutputAndOneFeedForwardMatrix) {
  for (const Model& model : models_and_frameworks()) {
    for (const int tensor : {1, 4}) {
      const Parallelism p{.tensor = tensor,
                          .micro_batch = 2,
                          .recompute = Recompute::alternate,
                          .attention = Attention::fused};
      const LayerOperators layer = layer_operators(model, p);
      const double tokens = 2.0 * model.sequence;
      const double columns = static_cast<double>(key_width(model)) + model.hidden +
                             static_cast<double>(model.feed_forward);
      EXPECT_DOUBLE_EQ(sum_of(layer.recompute).flop, 2 * tokens * model.hidden * columns / tensor)
          << model.name;
      EXPECT_EQ(std::ranges::count(layer.recompute, true, &Operator::fused_attention), 0);
      // Every pass that is no product, as the forward pass has it.
      for (const char* pass : {"norm", "residual", "activation", "rotary positions"}) {
        const double again = pass == std::string_view("residual") ? 0.5 : 1;  // the last is kept
        EXPECT_DOUBLE_EQ(bytes_named(layer.recompute, pass),
                         again * bytes_named(forward_of(layer), pass))
            << pass << " of " << model.name;
      }
    }
  }
}

// Of a layer of MaxText under save_qkv_proj: the norms, the attention's core and output, and what the
// last product reads.
TEST(ProjectionsRecompute, IsAllButTheProjectionsAndTheLastProduct) {
  for (const Model& model : models_and_frameworks()) {
    const Parallelism p{.recompute = Recompute::projections, .attention = Attention::fused};
    const LayerOperators layer = layer_operators(model, p);
    const double projected = 2.0 * model.sequence * model.hidden *
                             static_cast<double>(query_width(model) + 2 * key_width(model));
    const double down =
        2.0 * model.sequence * model.hidden * static_cast<double>(model.feed_forward);
    EXPECT_NEAR(sum_of(layer.recompute).flop, sum_of(forward_of(layer)).flop - projected - down,
                1e-9 * down)
        << model.name;
    EXPECT_EQ(bytes_named(layer.recompute, "norm"), bytes_named(forward_of(layer), "norm"));
  }
}

// The block of experts as it runs forward, and nothing of attention or of dense layers.
TEST(ExpertsRecompute, IsTheBlockOfExperts) {
  const Model model = shipped_model("deepseek_v3");
  for (const int expert : {1, 8}) {
    const Parallelism p{
        .expert = expert, .recompute = Recompute::experts, .attention = Attention::fused};
    const LayerOperators layer = layer_operators(model, p, {.block = Block::experts});
    Segments block;
    std::ranges::copy_if(layer.forward, std::back_inserter(block), [&](const Segment& one) {
      return one.block != layer.forward.front().block;
    });
    const double flop = sum_of(joined(block)).flop;
    EXPECT_NEAR(sum_of(layer.recompute).flop, flop, 1e-9 * flop) << expert;
    EXPECT_TRUE(layer_operators(model, p, {.block = Block::dense}).recompute.empty());
  }
}

// PyTorch stops early, and XLA leaves out what nothing reads; Megatron's checkpoint runs the layer as
// it stands.
TEST(FullRecompute, LeavesOutTheLastProductWhereTheStackDoes) {
  for (const Model& model : models_and_frameworks()) {
    const double down =
        2.0 * model.sequence * model.hidden * static_cast<double>(model.feed_forward);
    for (const Stack* stack : all_stacks()) {
      const Parallelism p{.recompute = Recompute::full, .stack = stack};
      const LayerOperators layer = layer_operators(model, p);
      const bool stops = stack == &stacks::torch_eager || stack == &stacks::torch_compile ||
                         stack == &stacks::maxtext;
      EXPECT_NEAR(sum_of(forward_of(layer)).flop - sum_of(layer.recompute).flop, stops ? down : 0,
                  1e-9 * down)
          << model.name << " under " << stack->name;
    }
  }
}

TEST(AlternateRecompute, CostsLessThanFull) {
  for (const Model& model : models_and_frameworks()) {
    const auto again = [&](Recompute recompute) {
      return sum_of(layer_operators(model, {.recompute = recompute, .attention = Attention::fused})
                        .recompute);
    };
    const OperatorSum more = again(Recompute::full) - again(Recompute::alternate);
    EXPECT_GT(more.flop, 0);
    EXPECT_GT(more.bytes, 0);
  }
}

}  // namespace
}  // namespace sim
