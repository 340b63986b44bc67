// SPDX-License-Identifier: Apache-2.0
// Stacks fill in what nobody chose, at every stage of ZeRO, and only that.
#include "sim/workload/stacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "sim/workload/operators.hpp"
#include "tests/workload/operator_sums.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

TEST(Stacks, HaveNamesSummariesAndSources) {
  std::set<std::string_view> names;
  for (const Stack* stack : all_stacks()) {
    EXPECT_TRUE(names.insert(stack->name).second) << stack->name;
    EXPECT_FALSE(stack->summary.empty()) << stack->name;
    EXPECT_FALSE(stack->source.empty()) << stack->name;
    EXPECT_TRUE(stack->zero == 1 || stack->zero == 3) << stack->name;
  }
}

TEST(Stacks, FillInWhatIsOpenAtEveryStage) {
  const Parallelism chosen{
      .attention = Attention::flash1, .kernels = Kernels::compiled, .overlap = {.tensor = true}};
  for (const Stack* stack : all_stacks()) {
    for (const int stage : {0, 1, 2, 3}) {
      const Parallelism open = at_stage(chosen, stage, {.stack = stack});
      EXPECT_EQ(open.sharding.stage, stage);
      EXPECT_EQ(open.stack, stack);
      EXPECT_EQ(open.attention, stack->attention);
      EXPECT_EQ(open.kernels, stack->kernels);
      EXPECT_EQ(open.overlap, stack->overlap);
      const Parallelism kept = at_stage(
          chosen, stage, {.attention = false, .kernels = false, .overlap = false, .stack = stack});
      EXPECT_EQ(kept.attention, chosen.attention);
      EXPECT_EQ(kept.kernels, chosen.kernels);
      EXPECT_EQ(kept.overlap, chosen.overlap);
      EXPECT_EQ(kept.casts, stack->casts);
    }
  }
}

TEST(Stacks, FollowFromTheStageWhereNoneIsGiven) {
  for (const int stage : {0, 1, 2}) EXPECT_EQ(stack_of(stage, {}).name, "megatron");
  EXPECT_EQ(stack_of(3, {}).name, "torch-eager");
}

double cast_bytes(const Model& model, const Stack& stack, MatrixPrecision precision) {
  Parallelism p = at_stage({}, 3, {.stack = &stack});
  p.matrices = precision;
  const LayerOperators layer = layer_operators(model, p);
  double bytes = 0;
  for (const Segments* pass : {&layer.forward, &layer.backward}) {
    for (const Segment& part : *pass) {
      for (const Operator& one : part.kernels) bytes += one.work == Work::cast ? one.bytes : 0;
    }
  }
  return bytes;
}

// Of FP8, each operand of a layer's products, activations and weights forward and gradients
// backward: read in BF16, written once for each product. The amax reads it once more, and a copy
// apart reads the code again.
TEST(Stacks, CastInAsManyPassesAsTheirKernelsTake) {
  const Model model = shipped_model("llama_2_7b");
  const double fused = cast_bytes(model, stacks::torch_compile, MatrixPrecision::fp8);
  const double apart = cast_bytes(model, stacks::torch_eager, MatrixPrecision::fp8);
  EXPECT_NEAR(apart / fused, (2 + 2 + 1 + 2) / (2.0 + 1 + 1), 1e-12);
  // Block scales are found on the way, by either.
  EXPECT_EQ(cast_bytes(model, stacks::torch_compile, MatrixPrecision::mxfp8),
            cast_bytes(model, stacks::torch_eager, MatrixPrecision::mxfp8));
}

// Both are eager PyTorch with its attention, an FP32 loss and a fused AdamW.
TEST(Stacks, OfTransformersLaunchTheKernelsOfTorchtitan) {
  const Model model = shipped_model("llama_3_8b");
  const auto sums = [&](const Stack& stack) {
    const Parallelism p = at_stage({}, 3, {.stack = &stack});
    std::vector<double> all;
    const EndOperators ends = end_operators(model, p);
    for (const OperatorSum& sum : {forward(model, p), backward(model, p), sum_of(ends.head)}) {
      all.insert(all.end(), {sum.flop, sum.bytes, sum.launches});
    }
    return all;
  };
  EXPECT_EQ(sums(stacks::transformers), sums(stacks::torch_eager));
  EXPECT_EQ(stacks::transformers.optimizer, Optimizer::adamw);
}

TEST(Stacks, ComputeMetricsOverTheLogits) {
  const Model model = shipped_model("mpt_125m");
  Parallelism p = at_stage({}, 3, {.stack = &stacks::composer});
  p.micro_batch = 4;
  const double with = sum_of(end_operators(model, p).head).bytes;
  p.loss_metrics = 0;
  const double without = sum_of(end_operators(model, p).head).bytes;
  EXPECT_NEAR(with - without, 2 * 14.0 * 4 * model.sequence * static_cast<double>(model.vocabulary),
              1);
}

}  // namespace
}  // namespace sim
