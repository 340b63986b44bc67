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
    last.point = next.point;
    append(last.beside, last.kernels);
    append(next.kernels, last.kernels);
    last.beside = next.beside;
  }
  const auto of_block = [&](const Segment& one) {
    return std::ranges::count(all, one.block, &Segment::block);
  };
  for (Segment& one : all) {
    if (of_block(one) == 1) one.part = {};
  }
  return all;
}

// What runs beside an exchange at the point, for people.
const char* beside_at(Point point) {
  if (is_behind_block(point)) return " weights";
  const bool core = point == Point::inside_attention || point == Point::before_core_gradients;
  return core ? " rounds" : " shared";
}

// What ranks exchange at the point of the block, for people.
std::string exchanged_at(Point point, const std::string& block) {
  switch (point) {
    case Point::inside_attention:
      return block + " core input";
    case Point::after_core:
      return block + " core output";
    case Point::before_core_gradients:
      return block + " core output gradients";
    case Point::core_gradients:
      return block + " core input gradients";
    case Point::dispatch:
      return "dispatch";
    case Point::combine:
      return "combine";
    case Point::dispatch_gradients:
      return "dispatch of gradients";
    case Point::combine_gradients:
      return "combine of gradients";
    default:
      return block;
  }
}

LayerKernels::Segment timed(StepLayOut& step, Segment one, bool exchanges, const char* suffix) {
  const std::string block(one.block), part(one.part);
  const bool overlaps =
      exchanges && runs_beside(step.parallelism, one.point) && !one.beside.empty();
  LayerKernels::Segment segment{.label = " " + block + (part.empty() ? "" : " " + part)};
  if (overlaps) {
    segment.beside = timed(step, one.beside);
    segment.besides = segment.label + beside_at(one.point);
    if (is_behind_block(one.point)) segment.label += " inputs";
  } else {
    append(one.beside, one.kernels);
  }
  segment.kernels = timed(step, one.kernels);
  if (exchanges) {
    segment.exchange = one.point;
    segment.exchanged = exchanged_at(one.point, block);
    if (is_behind_block(one.point)) segment.exchanged += suffix;
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
    all.push_back(timed(step, one, exchanges(one.point), " output"));
  }
  return all;
}

std::vector<LayerKernels::Segment> backward_of(StepLayOut& step, const Segments& segments,
                                               const std::function<bool(Point)>& exchanges) {
  std::vector<LayerKernels::Segment> all;
  std::string_view block;
  for (const Segment& one : unsplit(segments, exchanges)) {
    all.push_back(timed(step, one, exchanges(one.point), " input gradients"));
    if (one.block != block && one.gathers) all.back().input = std::string(one.block) + " input";
    block = one.block;
  }
  return all;
}

std::vector<LayerKernels::Segment> repeated(const Parallelism& p,
                                            const std::vector<LayerKernels::Segment>& forward) {
  std::vector<LayerKernels::Segment> all;
  int left = recomputed_exchanges(p);
  for (const LayerKernels::Segment& one : forward) {
    if (!one.exchange) continue;
    if (is_behind_block(*one.exchange) ? left-- <= 0 : !repeats(p, *one.exchange)) continue;
    all.push_back(
        {.label = "", .kernels = {}, .exchange = one.exchange, .exchanged = one.exchanged});
  }
  return all;
}

}  // namespace

bool runs_beside(const Parallelism& p, Point point) {
  switch (point) {
    case Point::inside_attention:
    case Point::before_core_gradients:
      return true;  // a ring's rounds
    case Point::dispatch:
    case Point::combine:
    case Point::dispatch_gradients:
    case Point::combine_gradients:
      return p.overlap.experts;
    default:
      return p.overlap.tensor;
  }
}

bool repeats(const Parallelism& p, Point point) {
  const bool of_experts = p.recompute == Recompute::full || p.recompute == Recompute::experts;
  if (point == Point::combine) return of_experts && recomputes_last(p);
  if (point == Point::dispatch) return of_experts || p.recompute == Recompute::projections;
  return p.recompute == Recompute::full;
}

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
