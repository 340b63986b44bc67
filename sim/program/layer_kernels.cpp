// SPDX-License-Identifier: Apache-2.0
#include "sim/program/layer_kernels.hpp"

#include "sim/workload/operators.hpp"

namespace sim {
namespace {

// A product without a launch of its own is part of the kernel before it.
LayerKernels::Part timed(StepLayOut& step, const Operators& operators) {
  LayerKernels::Part all;
  for (const Operator& one : operators) {
    const bool follows = step.context.each_kernel ? one.launches == 0 : true;
    if (all.empty() || !follows) {
      all.push_back({step.context.each_kernel ? " " + std::string(one.name) : "",
                     static_cast<std::uint32_t>(step.program.kernels.size())});
      step.program.kernels.emplace_back();
    }
    step.program.kernels.back().push_back(step.roofline.block({one}));
    const bool in_graph = step.parallelism.cuda_graphs && &one != &operators.front();
    if (in_graph) step.program.kernels.back().back().launches = 0;
  }
  return all;
}

LayerKernels::Pair timed(StepLayOut& step, const Operators& first, const Operators& second) {
  LayerKernels::Pair pair;
  pair.first = timed(step, first);
  pair.second = timed(step, second);
  Operators both = first;
  both.insert(both.end(), second.begin(), second.end());
  pair.both = timed(step, both);
  return pair;
}

}  // namespace

LayerKernels layer_kernels(StepLayOut& step) {
  const LayerOperators layer = layer_operators(step.context.model, step.parallelism);
  const EndOperators ends = end_operators(step.context.model, step.parallelism);
  return {
      .forward = timed(step, layer.attention, layer.feed_forward),
      .recompute = timed(step, layer.recompute),
      .feed_forward_backward = timed(step, layer.feed_forward_inputs, layer.feed_forward_weights),
      .attention_backward = timed(step, layer.attention_inputs, layer.attention_weights),
      .embedding = timed(step, ends.embedding),
      .embedding_backward = timed(step, ends.embedding_backward),
      .head = timed(step, ends.head),
      .head_backward = timed(step, ends.head_backward)};
}

}  // namespace sim
