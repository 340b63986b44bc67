// SPDX-License-Identifier: Apache-2.0
// FP8 products whose operands have a scale for each row (torchao's recipes): what their casts move.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tests/workload/operator_sums.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

constexpr int kSamples = 2;

// Elements of the operands of all linear layers of a layer.
struct Operands {
  double inputs = 0, weights = 0, outputs = 0;
};
Operands operands_of(const Model& model) {
  const auto h = static_cast<double>(model.hidden);
  const auto f = static_cast<double>(model.feed_forward);
  const double tokens = kSamples * static_cast<double>(model.sequence);
  Operands all;
  // Query, key and value, output, gate and up, down: outputs and inputs.
  for (const auto& [n, k] : {std::pair(3 * h, h), {h, h}, {2 * f, h}, {h, f}}) {
    all.inputs += tokens * k;
    all.weights += n * k;
    all.outputs += tokens * n;
  }
  return all;
}

struct Passes {
  OperatorSum forward, backward;
};
// Beyond those in BF16.
Passes more_than_wide(const Model& model, MatrixPrecision precision, const Casts& casts) {
  const Parallelism wide{.micro_batch = kSamples};
  Parallelism narrow = wide;
  narrow.matrices = precision;
  narrow.casts = casts;
  return {forward(model, narrow) - forward(model, wide),
          backward(model, narrow) - backward(model, wide)};
}

// A cast reads 2 bytes and writes 1, and another pass reads 2 for the scales unless it is fused.
TEST(RowwiseProducts, CastEachOperandForEachProduct) {
  const Model model = shipped_model("llama_2_7b");
  const Operands o = operands_of(model);
  for (const bool apart : {true, false}) {
    const Casts casts{.own_amax = apart, .own_transpose = apart};
    const double cast = apart ? 5 : 3;
    const Passes both = more_than_wide(model, MatrixPrecision::fp8_rowwise, casts);
    const double saved = 2 - 1;  // of an element that a product reads
    EXPECT_NEAR(both.forward.bytes / ((cast - saved) * (o.inputs + o.weights)), 1, 1e-9);
    EXPECT_NEAR(both.backward.bytes / ((cast - saved) * (2 * o.outputs + o.inputs + o.weights)), 1,
                1e-9);
    // The weights' gradients read BF16, so that neither of their operands is cast for them.
    const Passes inputs = more_than_wide(model, MatrixPrecision::fp8_rowwise_gw_hp, casts);
    EXPECT_NEAR(inputs.forward.bytes / both.forward.bytes, 1, 1e-12);
    EXPECT_NEAR(inputs.backward.bytes / ((cast - saved) * (o.outputs + o.weights)), 1, 1e-9);
    EXPECT_LT(inputs.backward.launches, both.backward.launches);
  }
}

TEST(RowwiseProducts, AreTimedAsFp8ButForTheWeightsGradientsInBf16) {
  const Model model = shipped_model("llama_2_7b");
  const auto precision_of = [&](MatrixPrecision matrices, Gradient gradient) {
    std::set<MatrixPrecision> all;
    const Parallelism p{.attention = Attention::fused, .matrices = matrices};
    for (const Operator& one : backward_of(layer_operators(model, p))) {
      if (one.work == Work::product && one.gradient == gradient) all.insert(one.precision);
    }
    return all;
  };
  using Set = std::set<MatrixPrecision>;
  for (const auto rows : {MatrixPrecision::fp8_rowwise, MatrixPrecision::fp8_rowwise_gw_hp}) {
    EXPECT_EQ(precision_of(rows, Gradient::inputs), Set{MatrixPrecision::fp8});
    const bool narrow = rows == MatrixPrecision::fp8_rowwise;
    EXPECT_EQ(precision_of(rows, Gradient::weights),
              Set{narrow ? MatrixPrecision::fp8 : MatrixPrecision::bf16});
  }
}

}  // namespace
}  // namespace sim
