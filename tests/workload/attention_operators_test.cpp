// SPDX-License-Identifier: Apache-2.0
// Attention's operators: the passes over scores, queries and keys that each way of it has.
#include <gtest/gtest.h>

#include <string>

#include "sim/workload/parameters.hpp"
#include "tests/workload/operator_sums.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

constexpr double kBf16 = 2;  // bytes

struct SoftmaxShape {
  int heads, tensor, micro_batch, sequence;
  bool one_kernel;
};
constexpr SoftmaxShape kSoftmaxShapes[]{
    {40, 4, 1, 2048, false},  // 10 heads
    {40, 4, 2, 2048, true},   // 20 heads and samples
    {40, 2, 1, 2048, true},  {40, 8, 2, 2048, false}, {40, 8, 4, 2048, true},
    {16, 1, 1, 4096, true},  {16, 1, 1, 4100, false},  // longer than 4096
    {16, 1, 1, 2046, false},                           // no multiple of 4
    {16, 1, 1, 2044, true},
};

TEST(AttentionOperators, OfUnfusedAttentionMoveTheScoresOncePerKernelThatTouchesThem) {
  for (const SoftmaxShape& shape : kSoftmaxShapes) {
    SCOPED_TRACE(testing::Message() << shape.heads << "/" << shape.tensor << " heads x "
                                    << shape.micro_batch << ", sequence " << shape.sequence);
    Model model = shipped_model("gpt_1.3b");
    model.heads = model.kv_heads = shape.heads;
    model.hidden = shape.heads * 128;
    model.sequence = shape.sequence;
    Parallelism unfused{.tensor = shape.tensor, .micro_batch = shape.micro_batch};
    Parallelism fused = unfused;
    fused.attention = Attention::fused;
    const double tokens = static_cast<double>(shape.micro_batch) * shape.sequence;
    const double vectors = kBf16 * tokens * model.hidden / shape.tensor;  // of all its heads
    const double scores = kBf16 * tokens * shape.sequence * shape.heads / shape.tensor;
    // Forward: the products write and read them; softmax reads a triangle and writes all, or mask
    // and softmax read and write all; dropout reads, writes and keeps a byte of each. The output's
    // heads are joined by a copy.
    const OperatorSum more = forward(model, unfused) - forward(model, fused);
    EXPECT_DOUBLE_EQ(more.bytes, (2 + (shape.one_kernel ? 1.5 : 4) + 2.5) * scores + 2 * vectors);
    EXPECT_EQ(more.launches, (2 + (shape.one_kernel ? 1 : 2) + 1 + 1) - 1);
    // Backward: probabilities read, their gradient written, that of the scores read twice; dropout
    // reads a byte of each, reads and writes; softmax reads two triangles and writes all, or reads
    // two and writes one, and the mask reads and writes. Three gradients are joined by a copy.
    const OperatorSum back = backward(model, unfused) - backward(model, fused);
    EXPECT_DOUBLE_EQ(back.bytes, (4 + 2.5 + (shape.one_kernel ? 2 : 5)) * scores + 2 * 3 * vectors);
    EXPECT_EQ(back.launches, (4 + 1 + (shape.one_kernel ? 1 : 2) + 1) - 1);
  }
}

TEST(AttentionOperators, OfTokensOnBothSidesNeedNoMask) {
  // A softmax reads and writes all scores; backward it reads them and their gradient, and writes one.
  Model model = shipped_model("vit_g");
  const Parallelism fused{.micro_batch = 2, .attention = Attention::fused};
  const Parallelism unfused{.micro_batch = 2};
  const double vectors = kBf16 * 2 * model.sequence * model.hidden;
  const double scores = kBf16 * 2 * model.sequence * model.sequence * model.heads;
  const OperatorSum more = forward(model, unfused) - forward(model, fused);
  EXPECT_NEAR(more.bytes / ((2 + 2) * scores + 2 * vectors), 1, 1e-12);
  const OperatorSum back = backward(model, unfused) - backward(model, fused);
  EXPECT_NEAR(back.bytes / ((4 + 3) * scores + 2 * 3 * vectors), 1, 1e-12);
}

TEST(AttentionOperators, OfQueryKeyNormsPassOverQueriesAndKeys) {
  Model model = shipped_model("llama_2_7b");
  model.kv_heads = 8;
  Model normed = model;
  normed.query_key_norm = true;
  const Parallelism p{.tensor = 4, .micro_batch = 2};
  // 32 heads of queries and 8 of keys: passed over twice forward, four times backward, as in any
  // norm.
  const double vectors = kBf16 * 2 * model.sequence * 128 * (32 + 8) / 4;
  EXPECT_DOUBLE_EQ((forward(normed, p) - forward(model, p)).bytes, 2 * vectors);
  EXPECT_DOUBLE_EQ((backward(normed, p) - backward(model, p)).bytes, 4 * vectors);
  EXPECT_EQ((forward(normed, p) - forward(model, p)).flop, 0);
}

TEST(AttentionOperators, OfAlibiReadAndWriteTheScoresOnceMoreWhereTheyAreInMemory) {
  const Model model = shipped_model("gpt_1.3b");
  Model biased = model;
  biased.positions = Model::Positions::alibi;
  const double scores = kBf16 * 2 * model.heads * model.sequence * model.sequence;
  for (const Attention attention : {Attention::unfused, Attention::fused}) {
    const Parallelism p{.micro_batch = 2, .attention = attention};
    EXPECT_DOUBLE_EQ((forward(biased, p) - forward(model, p)).bytes,
                     attention == Attention::unfused ? 2 * scores : 0);
    EXPECT_EQ((backward(biased, p) - backward(model, p)).bytes, 0);
  }
  // No table to read either.
  EXPECT_LT(sum_of(end_operators(biased, {}).embedding).bytes,
            sum_of(end_operators(model, {}).embedding).bytes);
}

// A bias of each head is added to the scores, read and written in BF16; its gradient is that of the
// scores. A fused kernel computes it, and nothing is rotated.
TEST(Alibi, IsOneAdditionToUnfusedScoresAndNothingElse) {
  Model none = shipped_model("llama_2_7b");
  none.positions = Model::Positions::none;
  Model alibi = none;
  alibi.positions = Model::Positions::alibi;
  const double scores = 1.0 * none.heads * none.sequence * none.sequence;
  for (const Kernels kernels : {Kernels::megatron, Kernels::eager, Kernels::compiled}) {
    Parallelism p{.kernels = kernels};
    const OperatorSum more = forward(alibi, p) - forward(none, p);
    EXPECT_NEAR(more.bytes / (2 * kBf16 * scores), 1, 1e-9);
    EXPECT_EQ(more.launches, 1);
    EXPECT_EQ((backward(alibi, p) - backward(none, p)).bytes, 0);
    p.attention = Attention::fused;
    EXPECT_EQ((forward(alibi, p) - forward(none, p)).bytes, 0);
    EXPECT_EQ((backward(alibi, p) - backward(none, p)).bytes, 0);
  }
  EXPECT_EQ(total_parameters(alibi), total_parameters(none));
}

}  // namespace
}  // namespace sim
