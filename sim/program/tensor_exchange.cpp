// SPDX-License-Identifier: Apache-2.0
// The axes, and what tensor-parallel ranks exchange after each block of a layer: an all_reduce of the
// activations, or with sequence parallelism a reduce_scatter and the next block's all_gather, with
// the same bytes in total. If the scheme names a codec for them, each rank sends every other rank
// its part, sums what it receives, encodes the sum, and all ranks gather it:
//
//   tensor        [all_to_all]               [all_gather]
//   tensor_codec  [encode]        [sum, encode]            [decode]
#include "sim/program/block_exchange.hpp"
#include "sim/schemes/kernels.hpp"

namespace sim {
namespace {

Transfer among_tensor_ranks(CollectiveKind collective, double bytes) {
  return {.collective = collective,
          .among = Among::axis,
          .bytes = bytes,
          .stream = Stream::tensor,
          .phase = Phase::tensor_comm};
}

void add_coded(const StepSizes& shape, Communication& exchange) {
  const int ranks = shape.parallelism.tensor;
  const Wire& wire = shape.scheme.activations.tensor;
  const double part = exchange.elements / ranks;
  const double bytes = wire.bytes(part, ranks) * ranks;
  const auto launch = [&](const CodecUse& use, Phase phase) {
    exchange.add(Kernel(use, phase, Stream::tensor_codec));
  };
  const auto send = [&](CollectiveKind collective, double encoded) {
    Transfer transfer = among_tensor_ranks(collective, bytes);
    transfer.wire = wire;
    transfer.encoded = encoded;
    exchange.add(transfer);
  };
  launch(activation_encode(wire, exchange.elements), Phase::encode);
  send(CollectiveKind::all_to_all, exchange.elements);
  launch(activation_sum(wire, ranks, part), Phase::decode);
  send(CollectiveKind::all_gather, part);
  launch(activation_decode(wire, exchange.elements), Phase::decode);
}

Communication exchange_of(const StepSizes& shape, double bytes) {
  using enum CollectiveKind;
  Communication exchange{
      .axis = &axes::tensor, .elements = bytes / 2, .start = {{Stream::compute}}};
  if (!shape.scheme.activations.tensor.is_plain()) {
    add_coded(shape, exchange);
  } else if (shape.parallelism.sequence_parallel) {
    exchange.add(among_tensor_ranks(reduce_scatter, bytes));
    exchange.add(among_tensor_ranks(all_gather, bytes), kAtStart);
  } else {
    exchange.add(among_tensor_ranks(all_reduce, bytes));
  }
  return exchange;
}

constexpr BlockExchange kTensorExchange{exchange_of};

}  // namespace

constinit const Axis axes::tensor{.name = "tp", .after_block = &kTensorExchange};
constinit const Axis axes::data{.name = "dp", .same_weights = true};
constinit const Axis axes::pipeline{.name = "pp"};

}  // namespace sim
