// SPDX-License-Identifier: Apache-2.0
// What a scheme's codecs keep on a GPU: a pass over its exchanges.
#include <algorithm>
#include <map>
#include <utility>

#include "sim/program/lay_out.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

// So many that what wires round up does not count.
constexpr double kMany = 0x1p46;

// Codes that leave and arrive. An all_gather and an all_reduce work where the rank's own codes lie.
double buffer(const Transfer& transfer) {
  return (transfer.collective == CollectiveKind::all_to_all ? 2 : 1) * transfer.bytes;
}

// Per element: of exchanges of one kind all at once, as slices overlap, and of the kind that has
// most; the residual of everything that the rank encodes.
CodecMemory memory_of(const Communication& communication, double residual_bytes) {
  std::map<std::pair<CollectiveKind, Among>, double> buffers;
  CodecMemory memory;
  for (const Part& part : communication.parts) {
    const auto* transfer = std::get_if<Transfer>(&part.what);
    if (transfer == nullptr) continue;
    memory.state += residual_bytes * transfer->encoded / communication.elements;
    const double bytes = buffer(*transfer) / communication.elements;
    if (transfer->kept) {
      memory.state += bytes;
    } else if (transfer->wire) {
      memory.buffers =
          std::max(memory.buffers, buffers[{transfer->collective, transfer->among}] += bytes);
    }
  }
  return memory;
}

bool keeps(const Communication& communication) {
  return std::ranges::any_of(communication.parts, [](const Part& part) {
    const auto* transfer = std::get_if<Transfer>(&part.what);
    return transfer != nullptr && transfer->kept;
  });
}

// Of the stage that keeps most.
CodecMemory reduction_memory(const StepSizes& shape) {
  const double residual = shape.gradients.residual_bytes;
  const Communication any = reduction_of(shape, 0, {.parameters = kMany * shape.data});
  if (any.parts.empty() || !keeps(any)) return memory_of(any, residual);
  CodecMemory most;
  const Parallelism& p = shape.parallelism;
  const Stages stages(shape.context.model, p);
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const Bucket whole = whole_stage(shape.context.model, p, stages, stage).of(shape.group);
    const CodecMemory memory = memory_of(reduction_of(shape, stage, whole), residual);
    if (memory.state > most.state) most = memory;
  }
  return most;
}

CodecMemory memory_of(const StepSizes& shape) {
  if (shape.data < 2) return {};
  CodecMemory memory = reduction_memory(shape);
  if (shape.has_shards()) {
    memory.buffers += memory_of(gather_of(shape, kMany * shape.data, false, true), 0).buffers;
  }
  if (keeps_secondary(shape)) memory.state += 2.0 / shape.places();
  return memory;
}

}  // namespace

CodecMemory codec_memory(const StepContext& context, const Scheme& scheme) {
  CodecMemory memory;
  for (const StepSizes& shape : sizes_by_group(context, scheme)) {
    const CodecMemory one = memory_of(shape);
    if (shape.group == Weights::dense) {
      memory = one;
    } else {
      memory.expert_buffers = one.buffers;
      memory.expert_state = one.state;
    }
  }
  return memory;
}

}  // namespace sim
