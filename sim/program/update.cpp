// SPDX-License-Identifier: Apache-2.0
// The end of a step: gradient norm over all ranks, clipping, and the update of each rank's shard.
#include "sim/program/lay_out.hpp"
#include "sim/times/host_update.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/muon.hpp"
#include "sim/workload/parameters.hpp"

namespace sim {
namespace {

// Where a rank's gradients are brought and summed.
StreamSet reduction_streams(const StepSizes& step) {
  StreamSet streams{Stream::gradients, Stream::gradients_inter, Stream::codec};
  if (step.shards_weights()) streams.add(Stream::weights);
  return streams;
}

// A parameter's weight and two moments are read and written, and its gradient is read. Term by term,
// in passes over weights and moments and over gradients of the weights' precision: decay (2 weights),
// the moments scaled and added to (2 moments, then 2 and a gradient; of both), root, quotient and sum
// of the denominator (2 moments each), the step (2 weights, 2 moments). The arithmetic of both: 7 for
// the moments, 2 for their bias corrections, 7 for root, quotient, decay and step.
double fused_adam_bytes(const Parallelism& p, double gradient) {
  return gradient + 2 * updated_weight_bytes(p) + 4 * moment_bytes(p);
}
double adam_bytes(const Parallelism& p, double gradient) {
  if (p.optimizer != Optimizer::adamw_foreach) return fused_adam_bytes(p, gradient);
  return 6 * updated_weight_bytes(p) + 16 * moment_bytes(p);
}

// Between the GPUs of a stage and their hosts: in one direction, while training waits.
void copy(StepLayOut& step, int stage, double bytes) {
  const double seconds = bytes / host_copy_rate(step.context.cluster)->base();
  step.timed_pass(stage, Pass::copy_optimizer, Phase::memory_pass, {seconds, seconds});
}

// Parameters whose shards a rank of the stage updates.
double shard_of(const StepLayOut& step, int stage) {
  return shard_parameters(step.context.cluster, step.parallelism, step.held_by(stage));
}

void update_on_gpus(StepLayOut& step, int stage, double gradient) {
  const Parallelism& p = step.parallelism;
  const std::vector<GroupParameters> held = by_group(p, step.held_by(stage));
  const double shard = shard_of(step, stage);
  double adam = shard;
  for (const GroupParameters& one : held) {
    adam -= updated_by_muon(p, one) / step.sizes(one.group).shards;
  }
  step.pass(stage, Pass::adam, adam_bytes(p, gradient) * adam, 16 * adam, Phase::optimizer);
  for (const GroupParameters& one : held) {
    if (updated_by_muon(p, one) > 0) update_matrices(step, stage, one, gradient);
  }
  if (!copies_weights(p)) return;
  step.pass(stage, Pass::cast_weights, (4 + 2) * shard, 0, Phase::optimizer);
}

// Of AdamW in one kernel, whatever the GPUs', which also writes the weights that go back.
void update_on_hosts(StepLayOut& step, int stage, double gradient) {
  const Parallelism& p = step.parallelism;
  const double weight = step.shards_weights() ? updated_weight_bytes(p) : 2;
  const double shard = shard_of(step, stage);
  const double host_s =
      host_pass_s(step.context.calibration, (fused_adam_bytes(p, gradient) + weight) * shard);
  copy(step, stage, gradient * shard);
  step.timed_pass(stage, Pass::adam, Phase::optimizer, {host_s, host_s});
  if (!weights_on_hosts(p)) copy(step, stage, weight * shard);
}

}  // namespace

void hold_until_reduced(StepLayOut& step, int stage) { step.hold(stage, reduction_streams(step)); }

void sum_tied_gradients(StepLayOut& step) {
  const Parallelism& p = step.parallelism;
  if (p.pipeline < 2 || !step.context.model.tied_embeddings) return;
  const int parts = p.tensor * (p.sharding.stage > 1 ? step.shards : 1);  // of what is left to sum
  const double embedding = static_cast<double>(end_parameters(step.context.model).words);
  StreamSet after = reduction_streams(step);
  after.add(Stream::compute);
  step.add(0, SumTied{embedding / parts * bytes_of(p.gradients), after});
}

void update_shards(StepLayOut& step) {
  const Parallelism& p = step.parallelism;
  // FSDP's shards of the gradients have the precision of its weights, which are cast when gathered.
  const double gradient = step.shards_weights() ? updated_weight_bytes(p) : bytes_of(p.gradients);
  for (int stage = 0; stage < p.pipeline; ++stage) {
    hold_until_reduced(step, stage);
    step.pass(stage, Pass::gradient_norm, gradient * shard_of(step, stage), 0, Phase::optimizer);
  }
  step.add(0, SumNorm{});
  for (int stage = 0; stage < p.pipeline; ++stage) {
    step.pass(stage, Pass::clip, 2 * gradient * shard_of(step, stage), 0, Phase::optimizer);
    if (hosts_take_step(p, step.context.calibration)) {
      update_on_hosts(step, stage, gradient);
      continue;
    }
    const bool on_host = p.optimizer_state == OptimizerState::host;
    double state =
        on_host ? optimizer_bytes(step.context.cluster, step.context.model, p, stage) : 0;
    if (weights_on_hosts(p)) state += updated_weight_bytes(p) * shard_of(step, stage);
    if (on_host) copy(step, stage, state);
    update_on_gpus(step, stage, gradient);
    if (on_host) copy(step, stage, state);
  }
}

}  // namespace sim
