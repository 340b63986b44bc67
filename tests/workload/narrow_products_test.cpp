// SPDX-License-Identifier: Apache-2.0
// Matrix products of 8 and 4 bits: which they are, what their operands weigh, and the casts that
// they need.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/shipped_files.hpp"
#include "tests/workload/operator_sums.hpp"

namespace sim {
namespace {

struct NarrowRow {
  MatrixPrecision precision;
  double operand;  // bytes, with its part of the scale
  double cast;     // bytes that a cast of an element of BF16 moves
  double copy;     // and a copy along the other dimension
};
constexpr NarrowRow kRows[]{
    // The tensor's scale is found first: 2, then 2 + 1. One copy read and written a backward pass.
    {MatrixPrecision::fp8, 1, 5, 2},
    // A scale of 8 bits for 32 elements, of 8 bits for 16 under one of the tensor, which is found
    // first. Both directions are cast at once.
    {MatrixPrecision::mxfp8, 33.0 / 32, 2 + 2 * 33.0 / 32, 0},
    {MatrixPrecision::nvfp4, 9.0 / 16, 2 + 2 + 2 * 9.0 / 16, 0},
};

class NarrowProducts : public testing::TestWithParam<NarrowRow> {
 protected:
  [[nodiscard]] static Model model() {
    return read_model(source_directory() / "traces/models/llama_2_7b.toml");
  }
  [[nodiscard]] static Parallelism narrow() {
    return {.micro_batch = 2, .matrices = GetParam().precision};
  }
  static double tokens() { return 2.0 * model().sequence; }
};

// Query, key and value, output, gate and up, down: outputs and inputs.
struct Shape {
  double n, k;
};
std::vector<Shape> linears(const Model& model) {
  const auto h = static_cast<double>(model.hidden);
  const auto f = static_cast<double>(model.feed_forward);
  return {{3 * h, h}, {h, h}, {2 * f, h}, {h, f}};
}

TEST_P(NarrowProducts, WeighAnOperandWithItsScales) {
  EXPECT_DOUBLE_EQ(bytes_of(GetParam().precision), GetParam().operand);
  EXPECT_EQ(bytes_of(MatrixPrecision::bf16), 2);
}

TEST_P(NarrowProducts, AreThoseOfTheLinearLayersAndDoTheirFlop) {
  const LayerOperators layer = layer_operators(model(), narrow());
  for (const Operators& way : {forward_of(layer), backward_of(layer)}) {
    for (const Operator& one : way) {
      const bool linear = one.flop() > 0 && !one.name.starts_with("attention scores") &&
                          !one.name.starts_with("attention values");
      EXPECT_EQ(one.precision == GetParam().precision, linear || one.work == Work::cast)
          << one.name;
    }
  }
  for (const Operator& one : end_operators(model(), narrow()).head) {
    EXPECT_EQ(one.precision, MatrixPrecision::bf16);
  }
  const Parallelism wide{.micro_batch = 2};
  EXPECT_DOUBLE_EQ(forward(model(), narrow()).flop, forward(model(), wide).flop);
  EXPECT_DOUBLE_EQ(backward(model(), narrow()).flop, backward(model(), wide).flop);
}

TEST_P(NarrowProducts, ReadTheirOperandsAndForwardCastInputsAndWeights) {
  double expected = 0;
  for (const Shape& one : linears(model())) {
    const double operands = tokens() * one.k + one.n * one.k;
    expected += (GetParam().operand - 2) * operands + GetParam().cast * operands;
  }
  const OperatorSum more = forward(model(), narrow()) - forward(model(), {.micro_batch = 2});
  EXPECT_NEAR(more.bytes / expected, 1, 1e-9);
}

// The outputs' gradients are cast; inputs and weights are there from the forward pass. Both products
// take two of the three.
TEST_P(NarrowProducts, ReadTheirOperandsAndBackwardCastTheOutputsGradients) {
  double expected = 0;
  for (const Shape& one : linears(model())) {
    const double outputs = tokens() * one.n, inputs = tokens() * one.k, weights = one.n * one.k;
    expected += (GetParam().operand - 2) * (2 * outputs + inputs + weights);
    expected += GetParam().cast * outputs + GetParam().copy * (outputs + inputs + weights);
  }
  const OperatorSum more = backward(model(), narrow()) - backward(model(), {.micro_batch = 2});
  EXPECT_NEAR(more.bytes / expected, 1, 1e-9);
}

TEST_P(NarrowProducts, OfWeightsThatArriveNarrowCastThemNoMore) {
  Parallelism gathered = narrow();
  gathered.gathers_matrices = true;
  double weights = 0;
  for (const Shape& one : linears(model())) weights += one.n * one.k;
  const OperatorSum less = forward(model(), narrow()) - forward(model(), gathered);
  EXPECT_NEAR(less.bytes / (GetParam().cast * weights), 1, 1e-9);
  EXPECT_GT(less.launches, 0);
  EXPECT_EQ((backward(model(), narrow()) - backward(model(), gathered)).bytes, 0);
}

std::string row_name(const testing::TestParamInfo<NarrowRow>& row) {
  switch (row.param.precision) {
    case MatrixPrecision::fp8:
      return "fp8";
    case MatrixPrecision::mxfp8:
      return "mxfp8";
    case MatrixPrecision::nvfp4:
      return "nvfp4";
    case MatrixPrecision::fp8_rowwise:
    case MatrixPrecision::fp8_rowwise_gw_hp:
    case MatrixPrecision::bf16:
      break;
  }
  return "bf16";
}
INSTANTIATE_TEST_SUITE_P(Precisions, NarrowProducts, testing::ValuesIn(kRows), row_name);

}  // namespace
}  // namespace sim
