// SPDX-License-Identifier: Apache-2.0
// ZeRO-1 and 2: every rank holds whole weights. They are gathered once a step, after the update;
// gradients are reduced bucket by bucket, once a step or after each micro-batch.
#include "sim/program/lay_out.hpp"

namespace sim {
namespace {

std::size_t count(const StepLayOut& step, int stage) {
  return step.buckets[static_cast<std::size_t>(stage)].size();
}

void for_each_bucket_at(const StepLayOut& step, int stage, int place, const auto& visit) {
  for (std::size_t index = 0; index < count(step, stage); ++index) {
    if (step.bucket(stage, index).first_place == place) visit(index);
  }
}

// Whether a bucket is reduced as soon as its gradients are there.
bool reduces_at_once(const StepLayOut& step, int micro_batch) {
  const Parallelism& p = step.parallelism;
  return p.sharding.stage == 2 || (p.overlap.gradients && micro_batch == p.accumulation - 1);
}

}  // namespace

LayerHooks bucket_hooks(StepLayOut& step) {
  const Parallelism& p = step.parallelism;
  // The first micro-batch's layer waits for the gather and decode of its weights.
  const auto wait_for_weights = [&](int stage, int place, int micro_batch) {
    if (!p.overlap.weights || micro_batch > 0) return;
    for_each_bucket_at(step, stage, place,
                       [&](std::size_t index) { step.hold_weights(stage, index); });
  };
  const auto reduce = [&](int stage, int place, int micro_batch) {
    if (!reduces_at_once(step, micro_batch)) return;
    for_each_bucket_at(step, stage, place, [&](std::size_t index) {
      reduce_bucket(step, stage, index);
      if (!p.overlap.gradients) hold_until_reduced(step, stage);
    });
  };
  return {.before_forward = wait_for_weights,
          .before_backward = [](int, int, int) {},
          .after_backward = reduce};
}

void reduce_buckets(StepLayOut& step) {
  const Parallelism& p = step.parallelism;
  if (p.sharding.stage > 1 || p.overlap.gradients) return;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    for (std::size_t index = 0; index < count(step, stage); ++index) {
      reduce_bucket(step, stage, index);
    }
  }
}

void gather_weights(StepLayOut& step) {
  const bool beside = step.parallelism.overlap.weights;
  for (int stage = 0; stage < step.parallelism.pipeline; ++stage) {
    for (std::size_t index = 0; index < count(step, stage); ++index) {
      for (const StepSizes& sizes : step.groups) gather_bucket(step, sizes, stage, index, beside);
    }
    if (beside) continue;  // each layer waits for its own bucket
    step.hold(stage, {Stream::weights, Stream::weight_codec});
    // Gathered into the communication buffer, then copied to the model's parameters.
    double copied = 0;
    for (const GroupParameters& one : by_group(step.parallelism, step.held_by(stage))) {
      if (step.sizes(one.group).shards > 1) copied += one.parameters;
    }
    if (copied > 0) step.pass(stage, Pass::copy_weights, 4 * copied);
  }
}

namespace {

void encode_shard(StepLayOut& step, const StepSizes& sizes, int stage, const Bucket& bucket) {
  const double parameters = bucket.of(sizes.group).parameters;
  if (sizes.weights.wire.is_plain() || sizes.shards < 2 || parameters <= 0) return;
  const CodecUse use = shard_encode(sizes, parameters / sizes.shards);
  step.add(stage, Codec{Kernel(use, Phase::encode, Stream::weight_codec), {{Stream::compute}}});
}

}  // namespace

void encode_weights(StepLayOut& step) {
  if (step.shards_weights()) return;
  for (int stage = 0; stage < step.parallelism.pipeline; ++stage) {
    for (const Bucket& bucket : step.buckets[static_cast<std::size_t>(stage)]) {
      for (const StepSizes& sizes : step.groups) encode_shard(step, sizes, stage, bucket);
    }
  }
}

}  // namespace sim
