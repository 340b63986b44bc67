// SPDX-License-Identifier: Apache-2.0
// The axes, and what tensor-parallel ranks exchange after each block of a layer: an all_reduce of the
// activations, or with sequence parallelism a reduce_scatter and the next block's all_gather, with
// the same bytes in total. If the scheme names a codec for them, each rank sends every other rank
// its part, sums what it receives, encodes the sum, and all ranks gather it:
//
//   tensor        [all_to_all]               [all_gather]
//   tensor_codec  [encode]        [sum, encode]            [decode]
#include "sim/schemes/block_messages.hpp"
#include "sim/schemes/kernels.hpp"

namespace sim {
namespace {

void exchange_coded(Step& step, const Communicator& group, double activation_bytes,
                    const std::string& label) {
  const int ranks = step.parallelism.tensor;
  const Wire& wire = step.scheme.activations.tensor;
  const double elements = activation_bytes / 2;
  const double part = elements / ranks;
  const double bytes = wire.bytes(part, ranks) * ranks;
  auto ready = step.last_of(group, Stream::compute);
  const auto launch = [&](Phase phase, const CodecUse& use) {
    const CodecKernel kernel = step.timed(use);
    for (std::size_t i = 0; i < group.ranks.size(); ++i) {
      ready[i] = step.codec(group.ranks[i], phase, kernel, {&ready[i], 1}, Stream::tensor_codec);
    }
  };
  const auto send = [&](auto collective) {
    collective(
        step.builder, group, bytes,
        {.stream = Stream::tensor, .phase = Phase::tensor_comm, .label = label, .after = ready});
    ready = step.last_of(group, Stream::tensor);
  };
  launch(Phase::encode, activation_encode(wire, elements));
  send(all_to_all);
  launch(Phase::decode, activation_sum(wire, ranks, part));
  send(all_gather);
  launch(Phase::decode, activation_decode(wire, elements));
}

void exchange(Step& step, const Communicator& group, double activation_bytes,
              const std::string& label) {
  if (!step.scheme.activations.tensor.is_plain()) {
    exchange_coded(step, group, activation_bytes, label);
    return;
  }
  const auto after = step.last_of(group, Stream::compute);
  const Call call{
      .stream = Stream::tensor, .phase = Phase::tensor_comm, .label = label, .after = after};
  if (step.parallelism.sequence_parallel) {
    reduce_scatter(step.builder, group, activation_bytes, call);
    all_gather(step.builder, group, activation_bytes, call);
  } else {
    all_reduce(step.builder, group, activation_bytes, call);
  }
}

constexpr BlockExchange kTensorExchange{
    .append = exchange, .stream = [](const Step& step) {
      return step.scheme.activations.tensor.is_plain() ? Stream::tensor : Stream::tensor_codec;
    }};

}  // namespace

constinit const Axis axes::tensor{.name = "tp", .after_block = &kTensorExchange};
constinit const Axis axes::data{.name = "dp", .same_weights = true};
constinit const Axis axes::pipeline{.name = "pp"};

}  // namespace sim
