// SPDX-License-Identifier: Apache-2.0
// Weights from the ranks that have shards of them to those that use them.
#include "sim/schemes/formats.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/schemes/step.hpp"

namespace sim {
namespace {

// Products of scaled blocks multiply row by row forward and column by column backward, and MXFP8's
// scales are of one or the other, so both codes travel to whom keeps weights for both passes.
// (FP8's scale is of the tensor, NVFP4's of square blocks of a weight.)
double layouts(const Step& step) {
  const Parallelism& p = step.parallelism;
  const bool both = !step.shards_weights() || !p.sharding.reshard_after_forward;
  return p.gathers_matrices && p.matrices == MatrixPrecision::mxfp8 && both ? 2 : 1;
}

void gather_from(Step& step, const Communicator& group, const Wire& wire, double parameters,
                 std::span<const OperationId> after) {
  const auto ranks = static_cast<double>(group.ranks.size());
  all_gather(step.builder, group, layouts(step) * wire.bytes(parameters / ranks, ranks) * ranks,
             {.stream = Stream::weights,
              .phase = Phase::weight_comm,
              .label = "all_gather weights",
              .after = after});
}

// What ZeRO-3 sends is encoded; else the updated weights lie there when the step begins.
std::vector<OperationId> ready_to_send(const Step& step, const Communicator& group, bool beside) {
  if (beside) return {};
  return step.last_of(group, step.shards_weights() ? Stream::weight_codec : Stream::compute);
}

// Of ZeRO-1 and 2 beside the compute stream; ZeRO-3's units are decoded where they are used.
void decode_beside(Step& step, const Communicator& group, std::size_t index, double parameters) {
  const CodecKernel decode = step.timed(weight_decode(step.scheme.weights, parameters));
  for (const int rank : group.ranks) {
    const OperationId gathered = step.builder.last(rank, Stream::weights);
    step.note_gathered(
        rank, index, step.codec(rank, Phase::decode, decode, {&gathered, 1}, Stream::weight_codec));
  }
}

}  // namespace

Wire gathered_wire(const Step& step, int stage, std::size_t bucket) {
  const Parallelism& p = step.parallelism;
  const Wire& wire = step.scheme.weights.wire;
  const bool ends =
      step.shards_weights() && bucket + 1 == step.buckets[static_cast<std::size_t>(stage)].size();
  if (p.gathers_matrices && ends) return {formats::kBf16};
  return p.gathers_matrices && wire.is_plain() ? Wire{formats::kFp8} : wire;
}

bool decodes_weights(const Step& step) {
  return !step.scheme.weights.wire.is_plain() && !step.parallelism.gathers_matrices &&
         step.shards > 1;
}

void gather_bucket(Step& step, int stage, std::size_t index, bool beside) {
  const double parameters = step.buckets[static_cast<std::size_t>(stage)][index].parameters;
  for (const DataGroup& replicas : step.data_groups(stage)) {
    for (const Communicator& group : replicas.shards) {
      gather_from(step, group, gathered_wire(step, stage, index), parameters,
                  ready_to_send(step, group, beside));
      if (decodes_weights(step) && !step.shards_weights()) {
        decode_beside(step, group, index, parameters);
        continue;
      }
      for (const int rank : group.ranks) {
        step.note_gathered(rank, index, step.builder.last(rank, Stream::weights));
      }
    }
  }
}

void gather_secondary(Step& step, int stage, std::size_t index) {
  const double parameters = step.buckets[static_cast<std::size_t>(stage)][index].parameters;
  for (const DataGroup& replicas : step.data_groups(stage)) {
    for (const Communicator& group : replicas.inside) {
      std::vector<OperationId> ready;
      for (const int rank : group.ranks) {
        ready.push_back(step.builder.barrier(step.beside_compute(rank)));
      }
      gather_from(step, group, {formats::kBf16}, parameters, ready);
      for (const int rank : group.ranks) {
        step.note_gathered(rank, index, step.builder.last(rank, Stream::weights));
      }
    }
  }
}

}  // namespace sim
