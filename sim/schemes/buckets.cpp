// SPDX-License-Identifier: Apache-2.0
// ZeRO-1 and 2: every rank holds whole weights. They are gathered once a step, after the update;
// gradients are reduced bucket by bucket, once a step or after each micro-batch.
#include "sim/schemes/kernels.hpp"
#include "sim/schemes/step.hpp"

namespace sim {
namespace {

const std::vector<Bucket>& buckets(const Step& step, int stage) {
  return step.buckets[static_cast<std::size_t>(stage)];
}

// The first micro-batch's layer waits for the gather and decode of its weights.
void wait_for_weights(Step& step, int stage, int layer) {
  for (std::size_t index = 0; index < buckets(step, stage).size(); ++index) {
    if (buckets(step, stage)[index].first_layer != layer) continue;
    step.hold_until_gathered(stage, index);
  }
}

// Whether a bucket is reduced as soon as its gradients are there.
bool reduces_at_once(const Step& step, int micro_batch) {
  const Parallelism& p = step.parallelism;
  return p.sharding.stage == 2 || (p.overlap.gradients && micro_batch == p.accumulation - 1);
}

}  // namespace

LayerHooks bucket_hooks(Step& step) {
  const Parallelism& p = step.parallelism;
  return {.before_forward =
              [&](int stage, int layer, int micro_batch) {
                if (p.overlap.weights && micro_batch == 0) wait_for_weights(step, stage, layer);
              },
          .before_backward = [](int, int, int) {},
          .after_backward =
              [&](int stage, int layer, int micro_batch) {
                if (!reduces_at_once(step, micro_batch)) return;
                for (const Bucket& bucket : buckets(step, stage)) {
                  if (bucket.first_layer != layer) continue;
                  reduce_bucket(step, stage, bucket);
                  if (!p.overlap.gradients) hold_until_reduced(step, stage);
                }
              }};
}

void reduce_what_is_left(Step& step) {
  const Parallelism& p = step.parallelism;
  if (p.sharding.stage > 1 || p.overlap.gradients) return;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    for (const Bucket& bucket : buckets(step, stage)) reduce_bucket(step, stage, bucket);
  }
}

void gather_weights(Step& step) {
  const bool beside = step.parallelism.overlap.weights;
  for (int stage = 0; stage < step.parallelism.pipeline; ++stage) {
    for (std::size_t index = 0; index < buckets(step, stage).size(); ++index) {
      gather_bucket(step, stage, index, beside);
    }
    if (beside) continue;  // each layer waits for its own bucket
    step.hold_stage(stage, Stream::weights);
    step.hold_stage(stage, Stream::weight_codec);
    // Gathered into the communication buffer, then copied to the model's parameters.
    const double parameters = stage_parameters(step.context.model, step.parallelism, stage).total();
    if (step.shards > 1) step.pass(stage, Phase::memory_pass, "copy weights", 4 * parameters);
  }
}

void encode_weights(Step& step) {
  if (step.shards_weights() || step.scheme.weights.wire.is_plain() || step.shards < 2) return;
  for (int stage = 0; stage < step.parallelism.pipeline; ++stage) {
    for (const Bucket& bucket : buckets(step, stage)) {
      const CodecKernel kernel =
          step.timed(weight_encode(step.scheme.weights, bucket.parameters / step.shards, 2));
      step.for_each_rank(stage, [&](int rank) {
        const OperationId updated = step.builder.last(rank, Stream::compute);
        step.codec(rank, Phase::encode, kernel, {&updated, 1}, Stream::weight_codec);
      });
    }
  }
}

}  // namespace sim
