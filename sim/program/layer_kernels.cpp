// SPDX-License-Identifier: Apache-2.0
#include "sim/program/layer_kernels.hpp"

#include <algorithm>
#include <functional>

namespace sim {
namespace {

// A product without a launch of its own is part of the kernel before it.
TimedPart timed(StepLayOut& step, const Operators& operators) {
  TimedPart all;
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

void append(const Operators& more, Operators& operators) {
  operators.insert(operators.end(), more.begin(), more.end());
}

// Parts of a block are one where nothing is exchanged between them.
Segments unsplit(const Segments& segments, const std::function<bool(Point)>& exchanges) {
  Segments all;
  for (const Segment& next : segments) {
    if (all.empty() || all.back().block != next.block || exchanges(all.back().point)) {
      all.push_back(next);
      continue;
    }
    Segment& last = all.back();
    last.part = {};
    last.point = next.point;
    append(last.beside, last.kernels);
    append(next.kernels, last.kernels);
    last.beside = next.beside;
  }
  return all;
}

LayerKernels::Segment timed(StepLayOut& step, Segment one, bool exchanges, const char* suffix) {
  const std::string block(one.block), part(one.part);
  const bool overlaps = exchanges && step.parallelism.overlap.tensor && !one.beside.empty();
  LayerKernels::Segment segment{.label = " " + block + (part.empty() ? "" : " " + part)};
  if (overlaps) {
    segment.beside = timed(step, one.beside);
  } else {
    append(one.beside, one.kernels);
  }
  segment.kernels = timed(step, one.kernels);
  if (exchanges) {
    segment.exchange = one.point;
    segment.exchanged = one.point == Point::after_block ? block + suffix : block + " core" + suffix;
  }
  return segment;
}

// A layer without exchanges is one block.
std::vector<LayerKernels::Segment> forward_of(StepLayOut& step, const Segments& segments,
                                              const std::function<bool(Point)>& exchanges) {
  const auto is_split = [&](const Segment& one) { return exchanges(one.point); };
  if (std::ranges::none_of(segments, is_split)) {
    Operators whole;
    for (const Segment& one : segments) append(one.kernels, whole);
    return {{.label = "", .kernels = timed(step, whole)}};
  }
  std::vector<LayerKernels::Segment> all;
  for (const Segment& one : unsplit(segments, exchanges)) {
    const bool inside = one.point == Point::inside_attention;
    all.push_back(timed(step, one, exchanges(one.point), inside ? " input" : " output"));
  }
  return all;
}

std::vector<LayerKernels::Segment> backward_of(StepLayOut& step, const Segments& segments,
                                               const std::function<bool(Point)>& exchanges) {
  std::vector<LayerKernels::Segment> all;
  std::string_view block;
  for (const Segment& one : unsplit(segments, exchanges)) {
    all.push_back(timed(step, one, exchanges(one.point), " input gradients"));
    if (one.block != block) all.back().input = std::string(one.block) + " input";
    block = one.block;
  }
  return all;
}

// The exchanges of the forward pass that what is recomputed repeats: those after blocks, and inside
// attention where its projections are recomputed.
std::vector<LayerKernels::Segment> repeated(const Parallelism& p,
                                            const std::vector<LayerKernels::Segment>& forward) {
  std::vector<LayerKernels::Segment> all;
  int left = recomputed_exchanges(p);
  for (const LayerKernels::Segment& one : forward) {
    if (!one.exchange) continue;
    const bool after = one.exchange == Point::after_block;
    if (after ? left-- <= 0 : p.recompute != Recompute::full) continue;
    all.push_back(
        {.label = "", .kernels = {}, .exchange = one.exchange, .exchanged = one.exchanged});
  }
  return all;
}

}  // namespace

LayerKernels layer_kernels(StepLayOut& step, LayerKind kind,
                           const std::function<bool(Point)>& exchanges) {
  const LayerOperators layer = layer_operators(step.context.model, step.parallelism, kind);
  LayerKernels kernels{.kind = kind,
                       .forward = forward_of(step, layer.forward, exchanges),
                       .backward = backward_of(step, layer.backward, exchanges),
                       .recompute = timed(step, layer.recompute)};
  kernels.recomputed = repeated(step.parallelism, kernels.forward);
  return kernels;
}

EndKernels end_kernels(StepLayOut& step) {
  const EndOperators ends = end_operators(step.context.model, step.parallelism);
  return {.embedding = timed(step, ends.embedding),
          .embedding_backward = timed(step, ends.embedding_backward),
          .head = timed(step, ends.head),
          .head_backward = timed(step, ends.head_backward)};
}

}  // namespace sim
