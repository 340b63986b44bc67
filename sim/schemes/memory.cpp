// SPDX-License-Identifier: Apache-2.0
// What a scheme's codecs keep on a GPU.
#include <algorithm>

#include "sim/schemes/low_rank.hpp"
#include "sim/schemes/plan_step.hpp"

namespace sim {
namespace {

using Algorithm = GradientExchange::Algorithm;

// Wires that leave and arrive, bytes for each gradient that is sent at once. The plain gather and
// reduction work in place.
double gradient_buffers(const GradientExchange& exchange, double ranks) {
  switch (exchange.algorithm) {
    case Algorithm::ring:
    case Algorithm::low_rank:
      return 0;  // factors are counted with the state
    case Algorithm::all_to_all:
      return 2 * exchange.between.bytes_per_element();
    case Algorithm::two_level:
      return 2 * exchange.inside.bytes_per_element();
    case Algorithm::all_gather:
      return (1 + ranks) * exchange.between.bytes_per_element();
    case Algorithm::all_reduce:
      return exchange.between.bytes_per_element();
  }
  return 0;
}

// The residual of what the rank encodes first, and of the sums that it encodes again.
double residuals(const GradientExchange& exchange, bool sharded, double ranks, double places) {
  double sums = 0;
  if (exchange.algorithm == Algorithm::two_level && places > 1 && places < ranks) sums = 1 / places;
  if (exchange.algorithm == Algorithm::all_to_all && !sharded) sums = 1 / ranks;
  return exchange.residual_bytes * (1 + sums);
}

// Both factors in FP32, for each parameter of the stage that has most.
double factors(const StepContext& context, int factor_rank) {
  double most = 0;
  for (int stage = 0; stage < context.parallelism.pipeline; ++stage) {
    const StageParameters held = stage_parameters(context.model, context.parallelism, stage);
    const Factors sent =
        factors_of(context.model, context.parallelism, stage,
                   {.parameters = held.total(), .last_layer = held.layers - 1}, factor_rank);
    most = std::max(most, kFp32Bytes * (sent.rows + sent.columns) / held.total());
  }
  return most;
}

}  // namespace

CodecMemory codec_memory(const StepContext& context, const Scheme& scheme) {
  const Parallelism& p = context.parallelism;
  const double ranks = data_parallel(context.cluster, p);
  CodecMemory memory;
  if (ranks < 2) return memory;
  const double places = ranks / replica_nodes(context.cluster, p);
  const bool sharded = p.sharding.stage > 0;
  if (!scheme.weights.wire.is_plain() && sharded) {
    memory.buffers += scheme.weights.wire.bytes_per_element();
  }
  if (scheme.weights.secondary_shards && places < ranks) memory.state += 2 / places;
  memory.buffers += gradient_buffers(scheme.gradients, ranks);
  memory.state += residuals(scheme.gradients, sharded, ranks, places);
  if (scheme.gradients.algorithm == Algorithm::low_rank) {
    memory.state += factors(context, scheme.gradients.factor_rank);
  }
  return memory;
}

}  // namespace sim
