// SPDX-License-Identifier: Apache-2.0
// Gradients from the ranks that computed them to those that update with them.
#include <cmath>

#include "sim/program/lay_out.hpp"
#include "sim/schemes/kernels.hpp"

namespace sim {
namespace {

double divided(double elements, double parts) { return std::ceil(elements / parts); }

// The ranks that share a sum: without shards, those that hold the same weights are replicas of one.
Among all_ranks(const StepSizes& shape) {
  return shape.has_shards() ? Among::shards : Among::replicas;
}

// Of elements that each rank encodes, unless they travel as they are.
Transfer coded(const StepSizes& shape, CollectiveKind collective, double bytes, double elements,
               std::string label) {
  const Wire& wire = shape.gradients.between;
  Transfer transfer{.collective = collective,
                    .among = all_ranks(shape),
                    .bytes = bytes,
                    .label = std::move(label),
                    .wire = wire};
  if (!wire.is_plain()) transfer.encoded = elements;
  return transfer;
}

// What each rank sends once its gradients are computed.
Communication encoded(const StepSizes& shape, double parameters) {
  const GradientExchange& gradients = shape.gradients;
  Communication reduction{.elements = parameters, .start = {{Stream::compute}}};
  if (!gradients.between.is_plain()) {
    reduction.add(gradient_encode(gradients, gradients.between, parameters, shape.data),
                  Phase::encode);
  }
  return reduction;
}

// Of a bucket's elements each rank sends 1/n to each, who sums them. Without shards the sums are
// encoded again and gathered by all.
Communication by_all_to_all(const StepSizes& shape, int, const Bucket& bucket) {
  const double parameters = bucket.parameters;
  const GradientExchange& gradients = shape.gradients;
  const Wire& wire = gradients.between;
  const double part = divided(parameters, shape.data);
  const double bytes = wire.bytes(part, shape.data) * shape.data;
  Communication reduction = encoded(shape, parameters);
  reduction.add(
      coded(shape, CollectiveKind::all_to_all, bytes, parameters, "all_to_all gradients"));
  if (shape.has_shards()) {
    reduction.add(Kernel(gradient_sum(wire, shape.data, part), Phase::decode));
    return reduction;
  }
  reduction.add(gradient_encode_sum(gradients, wire, wire, shape.data, part, shape.data),
                Phase::decode);
  Transfer back = coded(shape, CollectiveKind::all_gather, bytes, part, "all_gather gradients");
  back.stream = Stream::gradients_inter;
  reduction.add(back);
  reduction.add(Kernel(gradient_decode(gradients, parameters, shape.data), Phase::decode));
  return reduction;
}

// Every rank's wire to every rank.
Communication by_all_gather(const StepSizes& shape, int, const Bucket& bucket) {
  const double parameters = bucket.parameters;
  const Wire& wire = shape.gradients.between;
  Communication reduction = encoded(shape, parameters);
  reduction.add(coded(shape, CollectiveKind::all_gather,
                      wire.bytes(parameters, shape.data) * shape.data, parameters,
                      "all_gather gradients"));
  reduction.add(Kernel(gradient_sum(wire, shape.data, parameters), Phase::decode));
  return reduction;
}

// The wires are summed in flight.
Communication by_all_reduce(const StepSizes& shape, int, const Bucket& bucket) {
  const double parameters = bucket.parameters;
  const GradientExchange& gradients = shape.gradients;
  Communication reduction = encoded(shape, parameters);
  reduction.add(coded(shape, CollectiveKind::all_reduce,
                      gradients.between.bytes(parameters, shape.data), parameters,
                      "all_reduce gradients"));
  reduction.add(Kernel(gradient_decode(gradients, parameters, shape.data), Phase::decode));
  return reduction;
}

// In the gradient buffer, to shards, then over the groups that hold replicas of a shard; of
// everything where there are no shards. One NCCL communicator gathers and reduces under ZeRO-3, in
// the order in which it was asked to.
Communication by_ring(const StepSizes& shape, int, const Bucket& bucket) {
  const double bytes = bytes_of(shape.parallelism.gradients);
  const double shard = divided(bucket.parameters, shape.shards);
  Communication reduction{.elements = bucket.parameters, .start = {{Stream::compute}}};
  if (shape.has_shards()) {
    reduction.add(Transfer{.collective = CollectiveKind::reduce_scatter,
                           .bytes = shard * shape.shards * bytes,
                           .stream = shape.shards_weights() ? Stream::weights : Stream::gradients,
                           .label = "reduce_scatter gradients"});
  }
  if (shape.shards == shape.data) return reduction;
  reduction.add(Transfer{
      .collective = CollectiveKind::all_reduce,
      .among = Among::replicas,
      .bytes = shard * bytes,
      .stream = shape.has_shards() ? Stream::gradients_inter : Stream::gradients,
      .label = shape.has_shards() ? "all_reduce gradients of replicas" : "all_reduce gradients"});
  return reduction;
}

}  // namespace

constinit const Reduction reductions::ring{
    .name = "ring", .sends = Reduction::Sends::buffer, .has_replicas = true, .lay_out = by_ring};
constinit const Reduction reductions::all_to_all{.name = "all_to_all", .lay_out = by_all_to_all};
constinit const Reduction reductions::all_gather{
    .name = "all_gather", .leaves = Reduction::Leaves::all, .lay_out = by_all_gather};
constinit const Reduction reductions::all_reduce{.name = "all_reduce",
                                                 .leaves = Reduction::Leaves::all,
                                                 .sums_in_flight = true,
                                                 .lay_out = by_all_reduce};

Communication reduction_of(const StepSizes& shape, int stage, const Bucket& bucket) {
  if (shape.data < 2) return {};
  Communication reduction = shape.gradients.algorithm->lay_out(shape, stage, bucket);
  reduction.weights = shape.group;
  return reduction;
}

namespace {

void reduce_part(StepLayOut& step, const StepSizes& sizes, int stage, std::size_t index) {
  const Bucket part = step.bucket(stage, index).of(sizes.group);
  if (sizes.data < 2 || part.parameters <= 0) return;
  const double wire = bytes_of(step.parallelism.gradients);
  if (step.shards_weights()) {
    // FSDP copies the layers' gradients into the buffer that it sends from: BF16 ones, or their sum.
    const double read = accumulates_whole(step.parallelism) ? wire : 2;
    step.pass(stage, Pass::pack_gradients, (read + wire) * part.parameters);
  } else {
    // The mean's division is a pass over the whole buffer, in Megatron and in SDP4Bit's fork of it.
    step.pass(stage, Pass::scale_gradients, 2 * wire * part.parameters);
  }
  const std::uint32_t reduction =
      step.communication({"reduction", stage, step.bucket_id(index, sizes.group)},
                         [&] { return reduction_of(sizes, stage, part); });
  step.add(stage, Communicate{reduction});
}

}  // namespace

void reduce_bucket(StepLayOut& step, int stage, std::size_t index) {
  for (const StepSizes& sizes : step.groups) reduce_part(step, sizes, stage, index);
}

}  // namespace sim
