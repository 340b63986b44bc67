// SPDX-License-Identifier: Apache-2.0
// Operators: their FLOP are the model's, and their bytes follow from what a kernel reads and
// writes.
#include "sim/workload/operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "sim/workload/parameters.hpp"
#include "sim/workload/stacks.hpp"
#include "tests/shipped_files.hpp"
#include "tests/workload/operator_sums.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

constexpr double kBf16Bytes = 2;  // bytes

// All that a rank runs for one layer and the ends.
Operators everything(const Model& model, const Parallelism& p) {
  const LayerOperators layer = layer_operators(model, p);
  const EndOperators ends = end_operators(model, p);
  return joined({forward_of(layer), layer.recompute, backward_of(layer), ends.embedding,
                 ends.embedding_backward, ends.head, ends.head_backward});
}

// Every shipped model of words whose layers are alike, dense, and attend to all before them; one whose heads
// share keys and values, and one whose heads are wide, with all that no shipped model has.
std::vector<Model> dense_models() {
  std::vector<Model> all;
  for (const auto& file : shipped_files("traces/models", ".toml")) {
    const Model model = read_model(file);
    const bool plain = is_uniform(model) && kind_of(model, 0) == LayerKind{} && model.causal;
    if (plain && model.vision.patch_values == 0) all.push_back(model);
  }
  all.push_back(shipped_model("llama_2_7b"));
  all.back().name = "grouped queries";
  all.back().kv_heads = 8;
  all.push_back(all.back());
  all.back().name = "wide heads";
  all.back().head_width = 192;
  all.back().query_key_norm = true;
  all.back().positions = Model::Positions::alibi;
  all.back().biases = Model::Biases::qkv;
  return all;
}

std::vector<int> tensor_sizes(const Model& model) {
  std::vector<int> sizes;
  for (const int tensor : {1, 2, 4, 8}) {
    const bool divides = model.heads % tensor == 0 && model.kv_heads % tensor == 0 &&
                         model.feed_forward % tensor == 0 && model.vocabulary % tensor == 0;
    if (divides) sizes.push_back(tensor);
  }
  return sizes;
}

// Of a rank and one product over all pairs of tokens.
double pairs_flop(const Model& model, const Parallelism& p) {
  const auto width = static_cast<double>(query_width(model));
  return 2.0 * p.micro_batch * model.sequence * model.sequence * width / p.tensor;
}

// A fused core skips the blocks of 128 x 128 scores above the diagonal: of b (b + 1) / 2 blocks of
// b x b that it computes, the share is 1/2 + 1/(2 b).
double share_of_pairs(const Model& model, const Parallelism& p) {
  if (p.attention == Attention::unfused) return 1;
  return 0.5 + 0.5 * 128 / static_cast<double>(model.sequence);
}

void expect_flop_of(const Model& model, const Parallelism& p) {
  const LayerOperators layer = layer_operators(model, p);
  const EndOperators ends = end_operators(model, p);
  const bool fused = p.attention == Attention::fused;
  const double third = model_flop(model, p.micro_batch).base() / 3 / p.tensor;  // forward
  const double pairs = model.layers * pairs_flop(model, p);
  // Two of a third's products are over pairs, of which a fused core skips some.
  const double skipped = 2 * (1 - share_of_pairs(model, p)) * pairs;
  const double layers_forward = model.layers * sum_of(forward_of(layer)).flop;
  EXPECT_NEAR(
      (layers_forward + sum_of(joined({ends.embedding, ends.head})).flop) / (third - skipped), 1,
      1e-13);
  const double backward = model.layers * sum_of(backward_of(layer)).flop +
                          sum_of(joined({ends.embedding_backward, ends.head_backward})).flop;
  // It computes the scores again.
  const double again = fused ? share_of_pairs(model, p) * pairs : 0;
  EXPECT_NEAR(backward / (2 * (third - skipped) + again), 1, 1e-13);
  const double core = fused ? 0 : 2 * pairs_flop(model, p);
  const double selective = p.recompute == Recompute::selective ? core : 0;
  EXPECT_NEAR(model.layers * sum_of(layer.recompute).flop,
              p.recompute == Recompute::full ? layers_forward : model.layers * selective,
              1e-13 * layers_forward);
}

TEST(Operators, DoTheModelsFlopAThirdOfThemForward) {
  for (const Model& model : dense_models()) {
    for (const int tensor : tensor_sizes(model)) {
      SCOPED_TRACE(model.name + ", TP " + std::to_string(tensor));
      for (const Attention attention : {Attention::unfused, Attention::fused}) {
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
          expect_flop_of(
              model,
              {.tensor = tensor, .micro_batch = 3, .recompute = recompute, .attention = attention});
        }
      }
    }
  }
}

TEST(Operators, RecomputeWhatTheForwardPassRan) {
  const Model model = shipped_model("gpt_1.3b");
  const LayerOperators full = layer_operators(model, {.recompute = Recompute::full});
  EXPECT_EQ(sum_of(full.recompute).bytes, sum_of(forward_of(full)).bytes);
  EXPECT_EQ(sum_of(full.recompute).launches, sum_of(forward_of(full)).launches);
  // The attention core alone: neither its projections nor its norm and residual.
  const LayerOperators selective = layer_operators(model, {.recompute = Recompute::selective});
  for (const Operator& one : selective.recompute) {
    EXPECT_TRUE(std::ranges::count(forward_of(selective), one.name, &Operator::name) == 1);
    EXPECT_FALSE(one.name == "norm" || one.name == "residual") << one.name;
    EXPECT_TRUE(one.flop() == 0 || std::min(one.n, one.k) == 2048.0 / 16) << one.name;
  }
}

TEST(Operators, OfSequenceParallelismSplitWhatStandsBetweenTheBlocksAndNothingElse) {
  const std::set<std::string_view> between{
      "norm",      "norm backward",       "residual",          "dropout backward",
      "embedding", "embedding positions", "embedding dropout", "embedding backward"};
  for (const char* name : {"gpt_1.3b", "llama_2_7b"}) {
    const Model model = shipped_model(name);
    for (const int tensor : {2, 8}) {
      const Operators whole = everything(model, {.tensor = tensor});
      const Operators split = everything(model, {.tensor = tensor, .sequence_parallel = true});
      ASSERT_EQ(whole.size(), split.size());
      // With these sizes no other bias gradient has as many bytes as those of the blocks' outputs.
      const double output = kBf16Bytes * model.sequence * model.hidden;
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const Operator& one = whole[i];
        const bool local =
            between.contains(one.name) || (one.name == "bias gradient" && one.bytes == output);
        EXPECT_DOUBLE_EQ(split[i].bytes, local ? one.bytes / tensor : one.bytes) << one.name;
        EXPECT_EQ(split[i].name, one.name);
        EXPECT_EQ(split[i].flop(), one.flop()) << one.name;
        EXPECT_EQ(split[i].launches, one.launches) << one.name;
      }
    }
  }
}

TEST(Operators, OfDTensorCopyWhatSequenceParallelRanksGatherAndScatter) {
  // Each copy reads and writes the activations of all ranks: two gathers and two scatters forward, as
  // many backward, and those of what is recomputed.
  const Model model = shipped_model("llama_2_7b");
  const auto bytes = [&](Recompute recompute, bool sequence_parallel, bool overlap) {
    const Parallelism parallelism{.tensor = 4,
                                  .sequence_parallel = sequence_parallel,
                                  .recompute = recompute,
                                  .attention = Attention::fused,
                                  .overlap = {.tensor = overlap},
                                  .stack = &stacks::torch_compile};
    Operators copies;
    std::ranges::copy_if(everything(model, parallelism), std::back_inserter(copies),
                         [](const Operator& one) { return one.name == "sequence copy"; });
    return sum_of(copies).bytes;
  };
  const double copy = 2 * kBf16Bytes * model.sequence * model.hidden;
  EXPECT_DOUBLE_EQ(bytes(Recompute::none, true, false), 8 * copy);
  EXPECT_DOUBLE_EQ(bytes(Recompute::alternate, true, false), (8 + 2) * copy);
  EXPECT_DOUBLE_EQ(bytes(Recompute::full, true, false), (8 + 3) * copy);
  EXPECT_EQ(bytes(Recompute::full, true, true), 0) << "products take the parts as they come";
  EXPECT_EQ(bytes(Recompute::full, false, false), 0);
}

// Where it overlaps: all products but gradients of weights run in as many parts as ranks, whose sum each of the
// two scatters of a pass reads once.
TEST(Operators, OfDTensorComeInPartsWhereTheirExchangesOverlap) {
  constexpr int kRanks = 4;
  const Model model = shipped_model("llama_2_7b");
  const auto operators = [&](bool overlap) {
    return everything(model, {.tensor = kRanks,
                              .sequence_parallel = true,
                              .attention = Attention::fused,
                              .overlap = {.tensor = overlap},
                              .stack = &stacks::torch_compile});
  };
  double sums = 0;
  for (const Operator& one : operators(true)) {
    const bool of_layer = !one.name.starts_with("logits");
    const bool in_parts =
        of_layer && one.flop() > 0 && !one.fused_attention() && one.gradient != Gradient::weights;
    EXPECT_EQ(one.in_turn, in_parts ? kRanks : 1) << one.name;
    if (one.name == "sum of parts") sums += one.bytes;
  }
  const double activations = kBf16Bytes * model.sequence * model.hidden;
  EXPECT_DOUBLE_EQ(sums, 4 * (1 + 1.0 / kRanks) * activations);
  EXPECT_EQ(sum_of(operators(true)).flop, sum_of(operators(false)).flop);
  EXPECT_GT(sum_of(operators(true)).bytes, 0);
}

TEST(Operators, OfFusedAttentionMoveNoScores) {
  // As many tokens in samples twice as long have twice as many scores, and nothing else.
  Model model = shipped_model("gpt_1.3b");
  model.sequence = 1024;
  Model longer = model;
  longer.sequence = 2048;
  for (const Attention attention : {Attention::fused, Attention::unfused}) {
    const auto bytes = [&](const Model& of, int micro_batch) {
      return sum_of(everything(of, {.micro_batch = micro_batch,
                                    .recompute = Recompute::full,
                                    .attention = attention}))
          .bytes;
    };
    const double more = bytes(longer, 2) - bytes(model, 4);
    EXPECT_EQ(more != 0, attention == Attention::unfused) << more;
  }
}

void expect_bias_gradients(const Model& biased, const Model& model, int tensor) {
  const Parallelism p{.tensor = tensor, .micro_batch = 2};
  const OperatorSum less = backward(biased, p) - backward(model, p);
  // The gradient of each biased output is read once: two bytes a token and bias.
  const LayerParameters with = layer_parameters(biased);
  const LayerParameters none = layer_parameters(model);
  const auto sharded = static_cast<double>(with.sharded - none.sharded);
  const auto replicated = static_cast<double>(with.replicated - none.replicated);
  EXPECT_NEAR(less.bytes / (kBf16Bytes * 2 * model.sequence * (sharded / tensor + replicated)), 1,
              1e-9)
      << model.name;
  EXPECT_EQ(less.flop, 0);
  EXPECT_GT((forward(biased, p) - forward(model, p)).bytes, 0);
  EXPECT_EQ((forward(biased, p) - forward(model, p)).flop, 0);
}

TEST(Operators, WithoutBiasesReadNoGradientsOfTheirs) {
  for (Model biased : dense_models()) {
    Model model = biased;
    model.biases = Model::Biases::none;
    for (const Model::Biases biases : {Model::Biases::qkv, Model::Biases::all}) {
      biased.biases = biases;
      for (const int tensor : tensor_sizes(model)) expect_bias_gradients(biased, model, tensor);
    }
  }
}

TEST(Operators, WithoutDropoutMoveNoMasks) {
  Model dropped = shipped_model("gpt_1.3b");
  dropped.dropout = true;
  Model model = dropped;
  model.dropout = false;
  const double activations = kBf16Bytes * 2 * model.sequence * model.hidden;
  const double scores = kBf16Bytes * 2 * model.heads * model.sequence * model.sequence;
  for (const Attention attention : {Attention::unfused, Attention::fused}) {
    const Parallelism p{.micro_batch = 2, .attention = attention};
    // A pass of its own reads, writes and has a byte mask; after attention and block it rides with
    // the residual, which writes the mask alone.
    const double core = attention == Attention::unfused ? 2.5 * scores : 0;
    EXPECT_DOUBLE_EQ((forward(dropped, p) - forward(model, p)).bytes, core + 2 * 0.5 * activations);
    EXPECT_DOUBLE_EQ((backward(dropped, p) - backward(model, p)).bytes,
                     core + 2 * 2.5 * activations);
    EXPECT_EQ((forward(dropped, p) - forward(model, p)).flop, 0);
    EXPECT_EQ((backward(dropped, p) - backward(model, p)).flop, 0);
    EXPECT_DOUBLE_EQ(
        (sum_of(end_operators(dropped, p).embedding) - sum_of(end_operators(model, p).embedding))
            .bytes,
        2.5 * activations);
  }
}

TEST(Operators, AddWeightGradientsToTheBufferInItsPrecision) {
  for (Model model : dense_models()) {
    model.biases = Model::Biases::none;  // what is sharded is then matrices alone
    for (const int tensor : tensor_sizes(model)) {
      const Parallelism fp32{.tensor = tensor, .gradients = Precision::fp32};
      const Parallelism bf16{.tensor = tensor, .gradients = Precision::bf16};
      // Each weight's gradient is read and written: 2 x (4 - 2) bytes more.
      const auto matrices = static_cast<double>(layer_parameters(model).sharded) / tensor;
      const auto words = static_cast<double>(end_parameters(model).words) / tensor;
      EXPECT_NEAR((backward(model, fp32) - backward(model, bf16)).bytes / (4 * matrices), 1, 1e-9);
      const OperatorSum head = sum_of(end_operators(model, fp32).head_backward) -
                               sum_of(end_operators(model, bf16).head_backward);
      EXPECT_NEAR(head.bytes / (4 * words), 1, 1e-9) << model.name;
      EXPECT_EQ((forward(model, fp32) - forward(model, bf16)).bytes, 0);
    }
  }
}

TEST(Operators, OfOneProductReadTwoMatricesAndWriteTheThird) {
  for (const Operator& one :
       everything(shipped_model("llama_2_7b"), {.tensor = 4, .gradients = Precision::bf16})) {
    if (one.flop() == 0 || one.name.starts_with("attention scores")) continue;
    if (one.name.starts_with("attention values")) continue;
    // A weight's gradient is read too, for it is added.
    const double times = one.name.ends_with("weights") ? 2 : 1;
    EXPECT_DOUBLE_EQ(one.bytes,
                     kBf16Bytes * (one.m * one.k + one.k * one.n + times * one.m * one.n))
        << one.name;
  }
}

}  // namespace
}  // namespace sim
