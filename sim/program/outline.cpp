// SPDX-License-Identifier: Apache-2.0
#include "sim/program/outline.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/workload/pipeline_tasks.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

// Gradients that overlap the last micro-batch are reduced after it: the same is done.
Parallelism in_whole_chunks(Parallelism p) {
  p.bucket = {std::numeric_limits<std::int64_t>::max()};
  p.sharding.unit_layers = std::numeric_limits<int>::max();
  p.overlap.gradients = false;
  return p;
}

}  // namespace

Outline outline(StepContext context, const Scheme& scheme) {
  context.parallelism = in_whole_chunks(as_the_scheme_runs_it(context.parallelism, scheme));
  StepLayOut step(context, scheme);
  const Stages stages(context.model, context.parallelism);
  const LayerHooks hooks = layer_hooks(step);
  const int pipeline = context.parallelism.pipeline;
  const auto taken = [&] { return std::exchange(step.program.instructions, {}); };
  const auto append = [](Outline::Part& part, Outline::Part more) {
    std::ranges::move(more, std::back_inserter(part));
  };
  const auto forward = [&](int stage) {
    const int places = stages.chunk_starts(stage).back();
    for (int place = 0; place < places; ++place) hooks.before_forward(stage, place, 0);
    return taken();
  };
  const auto backward = [&](int stage, int micro_batch) {
    const int places = stages.chunk_starts(stage).back();
    for (int place = places - 1; place >= 0; --place) {
      hooks.before_backward(stage, place, micro_batch);
      hooks.after_backward(stage, place, micro_batch);
    }
    return taken();
  };
  // Of gradients that are reduced once, the first backward pass has the last one's reduction.
  const int last = context.parallelism.accumulation - 1;
  Outline all;
  begin_step(step);
  all.begin = taken();
  for (int stage = 0; stage < pipeline; ++stage) {
    const bool alternate = passes_in_flight(context.parallelism, stage) == 1;
    append(all.first_forward, forward(stage));
    if (alternate) append(all.first_backward, backward(stage, last));
    append(all.forward, forward(stage));
    if (!alternate) append(all.first_backward, backward(stage, last));
    append(all.backward, backward(stage, 0));
  }
  reduce_what_is_left(step);
  all.reduce = taken();
  update(step);
  all.update = taken();
  all.communications = std::move(step.program.communications);
  all.times = std::move(step.program.times);
  return all;
}

}  // namespace sim
