// SPDX-License-Identifier: Apache-2.0
#include "sim/program/lay_out.hpp"

#include <algorithm>
#include <numeric>

#include "sim/program/block_exchange.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
std::vector<Bucket> buckets_of(const Model& model, const Parallelism& p, int stage) {
  const StageParameters held = stage_parameters(model, p, stage);
  const bool split = p.overlap.gradients || p.overlap.weights || p.sharding.stage > 1;
  const double capacity =
      split ? static_cast<double>(p.bucket.count) / bytes_of(p.gradients) : held.total();
  const std::vector<int> starts = chunk_starts(model, p, stage);
  std::vector<Bucket> buckets;
  for (int layer = 0; layer < held.layers; ++layer) {
    double parameters = held.layer;
    if (layer == 0) parameters += held.embedding;
    if (layer == held.layers - 1) parameters += held.head;
    const bool fits = !buckets.empty() && (!split || !std::ranges::binary_search(starts, layer)) &&
                      buckets.back().parameters + parameters <= capacity + 0.5;
    if (!fits) buckets.push_back({.first_layer = layer});
    buckets.back().parameters += parameters;
    buckets.back().last_layer = layer;
  }
  return buckets;
}

std::vector<Bucket> units_of(const Model& model, const Parallelism& p, int stage) {
  const StageParameters held = stage_parameters(model, p, stage);
  const std::vector<int> starts = chunk_starts(model, p, stage);
  std::vector<Bucket> units;
  for (std::size_t chunk = 0; chunk + 1 < starts.size(); ++chunk) {
    for (int layer = starts[chunk]; layer < starts[chunk + 1]; ++layer) {
      const bool begins = (layer - starts[chunk]) % p.sharding.unit_layers == 0;
      if (begins) units.push_back({.first_layer = layer});
      units.back().parameters += held.layer;
      units.back().last_layer = layer;
    }
  }
  units.push_back({held.embedding + held.head, 0, held.layers - 1});
  return units;
}

StepSizes::StepSizes(const StepContext& step_context, const Scheme& step_scheme)
    : context(step_context),
      scheme(step_scheme),
      parallelism(step_context.parallelism),
      data(data_parallel(step_context.cluster, parallelism)),
      shards(shard_ranks(step_context.cluster, parallelism)),
      nodes(replica_nodes(step_context.cluster, parallelism)) {}

StepLayOut::StepLayOut(const StepContext& step_context, const Scheme& step_scheme)
    : StepSizes(step_context, step_scheme),
      roofline(step_context.cluster.gpu, compute_efficiency(step_context.cluster),
               step_context.calibration) {
  const Layout layout = layout_of(context.cluster, parallelism);
  for (const Axis* axis : parallelism.placement) {
    if (axis == nullptr || axis->after_block == nullptr || layout.size(*axis) == 1) continue;
    block_axes.push_back(axis);
  }
  for (int stage = 0; stage < parallelism.pipeline; ++stage) {
    buckets.push_back(shards_weights() ? units_of(context.model, parallelism, stage)
                                       : buckets_of(context.model, parallelism, stage));
    program.buckets = std::max(program.buckets, buckets.back().size());
  }
}

void StepLayOut::add(int stage, decltype(Instruction::what) what) {
  program.instructions.push_back({stage, std::move(what)});
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

Program lay_out(const StepContext& context, const Scheme& scheme) {
  StepLayOut step(context, scheme);
  const Parallelism& p = step.parallelism;
  if (step.shards_weights()) {
    run_micro_batches(step, unit_hooks(step));
  } else {
    for (int stage = 0; stage < p.pipeline; ++stage) {
      const double parameters = stage_parameters(context.model, p, stage).total();
      step.pass(stage, Pass::zero_gradients, bytes_of(p.gradients) * parameters);
    }
    gather_weights(step);
    run_micro_batches(step, bucket_hooks(step));
  }
  sum_tied_gradients(step);
  reduce_what_is_left(step);
  update_shards(step);
  encode_weights(step);
  return std::move(step.program);
}

Program lay_out_once(StepContext context, const Scheme& scheme) {
  context.parallelism = as_the_scheme_runs_it(context.parallelism, scheme);
  context.parallelism.accumulation = 1;
  return lay_out(context, scheme);
}

Stream Communication::last_stream() const {
  return std::visit([](const auto& part) { return part.stream; }, parts.back().what);
}

}  // namespace sim
