// SPDX-License-Identifier: Apache-2.0
#include "sim/program/lay_out.hpp"

#include <algorithm>
#include <numeric>

#include "sim/program/block_exchange.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/times/host_codecs.hpp"
#include "sim/workload/activations.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

// Parameters of a layer on a rank, by kind.
class LayerSizes {
 public:
  LayerSizes(const Model& model, const Parallelism& p, const KindCounts& kinds) {
    for (const KindCount& one : kinds)
      known_.emplace_back(one.kind, rank_layer(model, p, one.kind));
  }
  [[nodiscard]] const RankLayer& of(LayerKind kind) const {
    return std::ranges::find(known_, kind, &Known::first)->second;
  }

 private:
  using Known = std::pair<LayerKind, RankLayer>;
  std::vector<Known> known_;
};

// Visits the places of a stage: the number of each, and the bucket of it alone. The embedding is at the
// first place of the first stage, and the head at the last one of the last.
void for_each_place(const Model& model, const Parallelism& p, const Stages& stages, int stage,
                    const auto& visit) {
  const StageParameters held = stage_parameters(model, p, stages, stage);
  const LayerSizes sizes(model, p, kinds_of_stage(model, stages, p, stage));
  const std::vector<int> starts = stages.chunk_starts(stage);
  for (int chunk = 0; chunk < p.virtual_stages; ++chunk) {
    const auto index = static_cast<std::size_t>(chunk);
    const int virtual_stage = chunk * p.pipeline + stage;
    for (int place = starts[index]; place < starts[index + 1]; ++place) {
      Bucket one{.first_place = place,
                 .last_place = place,
                 .embedding = held.embedding > 0 && place == 0,
                 .head = held.head > 0 && place + 1 == starts.back()};
      if (stages.layers_of(virtual_stage) > 0) {
        const int layer = stages.first_layer(virtual_stage) + place - starts[index];
        one.layers = 1;
        one.kinds = {{kind_of(model, layer), 1}};
        const RankLayer& held_here = sizes.of(one.kinds.front().kind);
        one.experts = dispatches(p) ? held_here.routed : 0;
        one.in_layers = held_here.parameters - one.experts;
      }
      one.parameters =
          one.in_layers + (one.embedding ? held.embedding : 0) + (one.head ? held.head : 0);
      visit(one, place == starts[index]);
    }
  }
}

void append(const Bucket& next, Bucket& bucket) {
  bucket.parameters += next.parameters;
  bucket.in_layers += next.in_layers;
  bucket.experts += next.experts;
  bucket.last_place = next.last_place;
  bucket.layers += next.layers;
  add(next.kinds, bucket.kinds);
  bucket.embedding |= next.embedding;
  bucket.head |= next.head;
}

}  // namespace

Bucket Bucket::of(Weights held) const {
  Bucket part = *this;
  part.experts = 0;
  if (held == Weights::dense) return part;
  part.parameters = part.in_layers = experts;
  part.embedding = part.head = false;
  part.group = held;
  return part;
}

Bucket whole_stage(const Model& model, const Parallelism& p, const Stages& stages, int stage) {
  Bucket whole;
  for_each_place(model, p, stages, stage, [&](const Bucket& one, bool) { append(one, whole); });
  whole.parameters = by_group(p, stage_parameters(model, p, stages, stage)).front().parameters;
  return whole;
}

std::vector<Bucket> buckets_of(const Model& model, const Parallelism& p, int stage) {
  const Stages stages(model, p);
  if (!p.overlap.gradients && !p.overlap.weights && p.sharding.stage < 2) {
    return {whole_stage(model, p, stages, stage)};
  }
  const double capacity = static_cast<double>(p.bucket.count) / bytes_of(p.gradients);
  std::vector<Bucket> buckets;
  for_each_place(model, p, stages, stage, [&](const Bucket& one, bool begins_chunk) {
    const auto all = [](const Bucket& bucket) { return bucket.parameters + bucket.experts; };
    const bool fits = !begins_chunk && all(buckets.back()) + all(one) <= capacity + 0.5;
    if (fits) append(one, buckets.back());
    if (!fits) buckets.push_back(one);
  });
  return buckets;
}

std::vector<Bucket> units_of(const Model& model, const Parallelism& p, int stage) {
  const Stages stages(model, p);
  const StageParameters held = stage_parameters(model, p, stages, stage);
  std::vector<Bucket> units;
  Bucket ends;
  for_each_place(model, p, stages, stage, [&](Bucket one, bool begins_chunk) {
    append(one, ends);
    one.embedding = one.head = false;
    one.parameters = one.in_layers;
    const bool fits = !begins_chunk && units.back().layers < p.sharding.unit_layers;
    if (fits) append(one, units.back());
    if (!fits) units.push_back(one);
  });
  ends.parameters = held.embedding + held.head;
  ends.in_layers = ends.experts = 0;
  ends.layers = 0;
  ends.kinds.clear();
  units.push_back(ends);
  return units;
}

StepSizes::StepSizes(const StepContext& step_context, const Scheme& step_scheme, Weights of)
    : context(step_context),
      scheme(step_scheme),
      parallelism(step_context.parallelism),
      group(of),
      weights(scheme.weights_of(of)),
      gradients(scheme.gradients_of(of)),
      data(holders(step_context.cluster, parallelism, of)),
      shards(shard_ranks(step_context.cluster, parallelism, of)),
      nodes(holder_nodes(step_context.cluster, parallelism, of)) {}

std::vector<StepSizes> sizes_by_group(const StepContext& context, const Scheme& scheme) {
  std::vector<StepSizes> groups{{context, scheme}};
  const Parallelism& p = context.parallelism;
  if (dispatches(p) && has_experts_to_choose(context.model)) {
    groups.emplace_back(context, scheme, Weights::experts);
  }
  return groups;
}

StepLayOut::StepLayOut(const StepContext& step_context, const Scheme& step_scheme)
    : StepSizes(step_context, step_scheme),
      groups(sizes_by_group(step_context, step_scheme)),
      roofline(step_context.cluster.gpu, compute_efficiency(step_context.cluster),
               step_context.calibration) {
  const Factoring factoring = factoring_of(context.cluster, parallelism);
  for (const Axis* axis : factoring.axes()) {
    if (axis->exchange != nullptr && factoring.size(*axis) > 1) block_axes.push_back(axis);
  }
  const Stages stages(context.model, parallelism);
  for (int stage = 0; stage < parallelism.pipeline; ++stage) {
    held.push_back(stage_parameters(context.model, parallelism, stages, stage));
    buckets.push_back(shards_weights() ? units_of(context.model, parallelism, stage)
                                       : buckets_of(context.model, parallelism, stage));
    program.buckets = std::max(program.buckets, groups.size() * buckets.back().size());
  }
}

void StepLayOut::add(int stage, decltype(Instruction::what) what) {
  program.instructions.push_back({stage, std::move(what), period});
}

void StepLayOut::hold_weights(int stage, std::size_t index) {
  for (const StepSizes& sizes : groups) add(stage, HoldWeights{bucket_id(index, sizes.group)});
}

std::uint32_t StepLayOut::communication(const Key& key,
                                        const std::function<Communication()>& make) {
  const auto next = static_cast<std::uint32_t>(program.communications.size());
  const auto [found, added] = known_.try_emplace(key, next);
  if (added) program.communications.push_back(make());
  return found->second;
}

Parallelism as_the_scheme_runs_it(Parallelism p, const Scheme& scheme) {
  p.overlap.weights = p.overlap.weights && scheme.overlap.weights;
  p.overlap.gradients = p.overlap.gradients && scheme.overlap.gradients;
  p.gathers_matrices = p.gathers_matrices || products_take(p, scheme.weights.wire);
  return p;
}

void begin_step(StepLayOut& step) {
  if (step.shards_weights()) return;
  const Parallelism& p = step.parallelism;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    step.pass(stage, Pass::zero_gradients, bytes_of(p.gradients) * step.held_by(stage).total());
  }
  gather_weights(step);
}

LayerHooks layer_hooks(StepLayOut& step) {
  return step.shards_weights() ? unit_hooks(step) : bucket_hooks(step);
}

void reduce_what_is_left(StepLayOut& step) {
  sum_tied_gradients(step);
  reduce_buckets(step);
}

void update(StepLayOut& step) {
  update_shards(step);
  encode_weights(step);
}

Program lay_out(const StepContext& context, const Scheme& scheme) {
  StepLayOut step(context, scheme);
  begin_step(step);
  run_micro_batches(step, layer_hooks(step));
  reduce_what_is_left(step);
  update(step);
  return std::move(step.program);
}

Program lay_out_once(StepContext context, const Scheme& scheme) {
  context.parallelism = as_the_scheme_runs_it(context.parallelism, scheme);
  context.parallelism.accumulation = 1;
  return lay_out(context, scheme);
}

double bytes_between_layers(const StepSizes& shape) {
  return 2 * values_between_layers(shape.context.model, shape.parallelism);
}

double kernel_seconds(const StepContext& context, const Kernel& kernel) {
  double seconds = 0;
  for (const auto& [use, count] : kernel.launches) {
    seconds += count * step_codec_time(context.calibration, context.cluster.gpu, use).seconds;
  }
  return seconds;
}

BlockTime time_of(const StepContext& context, const Roofline& roofline, const MemoryPass& pass,
                  const std::vector<BlockTime>& times) {
  if (pass.time) return times[*pass.time];
  const double seconds = pass_time(context.calibration, context.cluster.gpu, pass.pass, pass.bytes)
                             .value_or(roofline.pass(pass.bytes, pass.flop));
  return {seconds, seconds};
}

Order order_of(const Transfer& transfer) {
  return {.collective = transfer.collective,
          .bytes = transfer.bytes,
          .algorithm = transfer.algorithm,
          .spread = transfer.spread,
          .multiprocessors = transfer.multiprocessors};
}

Stream Communication::last_stream() const {
  return std::visit([](const auto& part) { return part.stream; }, parts.back().what);
}

}  // namespace sim
