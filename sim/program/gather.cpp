// SPDX-License-Identifier: Apache-2.0
// Weights from the ranks that have shards of them to those that use them.
#include "sim/program/lay_out.hpp"
#include "sim/schemes/formats.hpp"
#include "sim/schemes/kernels.hpp"

namespace sim {
namespace {

// Products of scaled blocks multiply row by row forward and column by column backward, and MXFP8's
// scales are of one or the other, so both codes travel to whom keeps weights for both passes.
// (FP8's scale is of the tensor, NVFP4's of square blocks of a weight.)
double layouts(const StepSizes& shape) {
  const Parallelism& p = shape.parallelism;
  const bool both = !shape.shards_weights() || !p.sharding.reshard_after_forward;
  return p.gathers_matrices && p.matrices == MatrixPrecision::mxfp8 && both ? 2 : 1;
}

Transfer gather_among(Among among, double ranks, const StepSizes& shape, const Wire& wire,
                      double parameters) {
  return {.collective = CollectiveKind::all_gather,
          .among = among,
          .bytes = layouts(shape) * wire.bytes(parameters / ranks, ranks) * ranks,
          .stream = Stream::weights,
          .phase = Phase::weight_comm,
          .label = "all_gather weights"};
}

}  // namespace

Wire gathered_wire(const StepSizes& shape, bool ends) {
  const Parallelism& p = shape.parallelism;
  const Wire& wire = shape.weights.wire;
  if (p.gathers_matrices && shape.shards_weights() && ends) return {formats::kBf16};
  return p.gathers_matrices && wire.is_plain() ? Wire{formats::kFp8} : wire;
}

bool decodes_weights(const StepSizes& shape) {
  return !shape.weights.wire.is_plain() && !shape.parallelism.gathers_matrices && shape.shards > 1;
}

CodecUse shard_encode(const StepSizes& shape, double elements) {
  return weight_encode(shape.weights, elements,
                       shape.shards_weights() ? updated_weight_bytes(shape.parallelism) : 2);
}

Communication gather_of(const StepSizes& shape, double parameters, bool ends, bool beside) {
  // What ZeRO-3 sends is encoded; else the updated weights lie there when the step begins.
  Communication gather{.weights = shape.group, .elements = parameters};
  if (!beside) {
    gather.start = {{shape.shards_weights() ? Stream::weight_codec : Stream::compute}};
  }
  Transfer transfer =
      gather_among(Among::shards, shape.shards, shape, gathered_wire(shape, ends), parameters);
  const Wire& wire = shape.weights.wire;
  if (!wire.is_plain()) {
    transfer.wire = wire;
    transfer.encoded = parameters / shape.shards;
  }
  gather.add(transfer);
  // ZeRO-3's units are decoded where they are used.
  if (decodes_weights(shape) && !shape.shards_weights()) {
    gather.add(
        Kernel(weight_decode(shape.weights, parameters), Phase::decode, Stream::weight_codec));
  }
  return gather;
}

Communication secondary_gather(const StepSizes& shape, double parameters) {
  Communication gather{.weights = shape.group,
                       .elements = parameters,
                       .start = {{Stream::compute}, !shape.parallelism.overlap.weights}};
  gather.add(gather_among(Among::inside, shape.places(), shape, {formats::kBf16}, parameters));
  return gather;
}

// One node's shards are all of them: nothing is kept twice.
bool keeps_secondary(const StepSizes& shape) {
  return shape.weights.secondary_shards && shape.nodes > 1;
}

void gather_bucket(StepLayOut& step, const StepSizes& sizes, int stage, std::size_t index,
                   bool beside) {
  const Bucket part = step.bucket(stage, index).of(sizes.group);
  if (part.parameters <= 0) return;
  const bool ends = index + 1 == step.buckets[static_cast<std::size_t>(stage)].size();
  const std::size_t id = step.bucket_id(index, sizes.group);
  const std::uint32_t gather = step.communication(
      {"gather", stage, id}, [&] { return gather_of(sizes, part.parameters, ends, beside); });
  step.add(stage, Communicate{.communication = gather, .bucket = id});
}

}  // namespace sim
