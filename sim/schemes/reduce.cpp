// SPDX-License-Identifier: Apache-2.0
// Gradients from the ranks that computed them to those that update with them.
#include <cmath>

#include "sim/schemes/kernels.hpp"
#include "sim/schemes/low_rank.hpp"
#include "sim/schemes/step.hpp"
#include "sim/schemes/two_level.hpp"

namespace sim {
namespace {

using Algorithm = GradientExchange::Algorithm;

double divided(double elements, double parts) { return std::ceil(elements / parts); }

bool has_shards(const Step& step) { return step.parallelism.sharding.stage > 0; }

int size_of(const Communicator& group) { return static_cast<int>(group.ranks.size()); }

// Each rank's kernels, one after the other, once `ready` (by place in the group) is there; what is
// ready then takes its place.
void launch(Step& step, const Communicator& group, Phase phase,
            const std::vector<CodecKernel>& kernels, std::vector<OperationId>& ready) {
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    for (const CodecKernel& kernel : kernels) {
      ready[i] = step.codec(group.ranks[i], phase, kernel, {&ready[i], 1});
    }
  }
}

using Collective = decltype(&all_gather);

void exchange(Step& step, const Communicator& group, Collective collective, double bytes,
              Stream stream, std::string_view label, std::vector<OperationId>& ready) {
  collective(step.builder, group, bytes,
             {.stream = stream, .phase = Phase::gradient_comm, .label = label, .after = ready});
  ready = step.last_of(group, stream);
}

// What each rank sends once its gradients are computed.
std::vector<OperationId> encoded(Step& step, const Communicator& group, double parameters) {
  const GradientExchange& gradients = step.scheme.gradients;
  auto ready = step.last_of(group, Stream::compute);
  if (gradients.between.is_plain()) return ready;
  launch(step, group, Phase::encode,
         step.timed(gradient_encode(gradients, gradients.between, parameters, size_of(group))),
         ready);
  return ready;
}

// Of a bucket's elements each rank sends 1/n to each, who sums them. Without shards the sums are
// encoded again and gathered by all.
void reduce_by_all_to_all(Step& step, const Communicator& group, double parameters) {
  const GradientExchange& gradients = step.scheme.gradients;
  const Wire& wire = gradients.between;
  const int ranks = size_of(group);
  const double part = divided(parameters, ranks);
  const double bytes = wire.bytes(part, ranks) * ranks;
  auto ready = encoded(step, group, parameters);
  exchange(step, group, all_to_all, bytes, Stream::gradients, "all_to_all gradients", ready);
  if (has_shards(step)) {
    launch(step, group, Phase::decode, {step.timed(gradient_sum(wire, ranks, part))}, ready);
    return;
  }
  launch(step, group, Phase::decode,
         step.timed(gradient_encode_sum(gradients, wire, wire, ranks, part, ranks)), ready);
  exchange(step, group, all_gather, bytes, Stream::gradients_inter, "all_gather gradients", ready);
  launch(step, group, Phase::decode, {step.timed(gradient_decode(gradients, parameters, ranks))},
         ready);
}

// Every rank's wire to every rank.
void reduce_by_all_gather(Step& step, const Communicator& group, double parameters) {
  const Wire& wire = step.scheme.gradients.between;
  const int ranks = size_of(group);
  auto ready = encoded(step, group, parameters);
  exchange(step, group, all_gather, wire.bytes(parameters, ranks) * ranks, Stream::gradients,
           "all_gather gradients", ready);
  launch(step, group, Phase::decode, {step.timed(gradient_sum(wire, ranks, parameters))}, ready);
}

// The wires are summed in flight.
void reduce_by_all_reduce(Step& step, const Communicator& group, double parameters) {
  const GradientExchange& gradients = step.scheme.gradients;
  auto ready = encoded(step, group, parameters);
  exchange(step, group, all_reduce, gradients.between.bytes(parameters, size_of(group)),
           Stream::gradients, "all_reduce gradients", ready);
  launch(step, group, Phase::decode,
         {step.timed(gradient_decode(gradients, parameters, size_of(group)))}, ready);
}

// One NCCL communicator gathers and reduces under ZeRO-3, in the order in which it was asked to.
Stream reduction_stream(const Step& step) {
  return step.shards_weights() ? Stream::weights : Stream::gradients;
}

void reduce_ring(Step& step, const Communicator& group, double parameters) {
  const auto after = step.last_of(group, Stream::compute);
  const double padded = divided(parameters, step.shards) * step.shards;
  reduce_scatter(step.builder, group, padded * bytes_of(step.parallelism.gradients),
                 {.stream = reduction_stream(step),
                  .phase = Phase::gradient_comm,
                  .label = "reduce_scatter gradients",
                  .after = after});
}

// Of one shard, over the groups that hold replicas of it; of everything where there are no shards.
void reduce_replicas(Step& step, const Communicator& group, double parameters) {
  const auto after =
      step.last_of(group, has_shards(step) ? reduction_stream(step) : Stream::compute);
  const double shard = divided(parameters, step.shards);
  all_reduce(
      step.builder, group, shard * bytes_of(step.parallelism.gradients),
      {.stream = has_shards(step) ? Stream::gradients_inter : Stream::gradients,
       .phase = Phase::gradient_comm,
       .label = has_shards(step) ? "all_reduce gradients of replicas" : "all_reduce gradients",
       .after = after});
}

void reduce_compressed(Step& step, const DataGroup& group, const Communicator& ranks, int stage,
                       const Bucket& bucket) {
  switch (step.scheme.gradients.algorithm) {
    case Algorithm::ring:
      break;  // the two below
    case Algorithm::all_to_all:
      return reduce_by_all_to_all(step, ranks, bucket.parameters);
    case Algorithm::two_level:
      return reduce_on_two_levels(step, group, bucket.parameters);
    case Algorithm::all_gather:
      return reduce_by_all_gather(step, ranks, bucket.parameters);
    case Algorithm::all_reduce:
      return reduce_by_all_reduce(step, ranks, bucket.parameters);
    case Algorithm::low_rank:
      return reduce_low_rank(step, ranks, stage, bucket);
  }
}

void reduce_group(Step& step, const DataGroup& group, int stage, const Bucket& bucket) {
  if (step.scheme.gradients.algorithm != Algorithm::ring) {
    for (const Communicator& ranks : has_shards(step) ? group.shards : group.replicas) {
      reduce_compressed(step, group, ranks, stage, bucket);
    }
    return;
  }
  if (has_shards(step)) {
    for (const Communicator& shards : group.shards) reduce_ring(step, shards, bucket.parameters);
  }
  for (const Communicator& replicas : group.replicas) {
    reduce_replicas(step, replicas, bucket.parameters);
  }
}

}  // namespace

void reduce_bucket(Step& step, int stage, const Bucket& bucket) {
  if (step.data < 2) return;
  const double wire = bytes_of(step.parallelism.gradients);
  if (step.shards_weights()) {
    // FSDP copies the layers' BF16 gradients into the buffer that it sends from.
    step.pass(stage, Phase::memory_pass, "pack gradients", (2 + wire) * bucket.parameters);
  } else {
    // The mean's division is a pass over the whole buffer, in Megatron and in SDP4Bit's fork of it.
    step.pass(stage, Phase::memory_pass, "scale gradients", 2 * wire * bucket.parameters);
  }
  for (const DataGroup& replicas : step.data_groups(stage)) {
    reduce_group(step, replicas, stage, bucket);
  }
}

}  // namespace sim
