// SPDX-License-Identifier: Apache-2.0
// What tensor-parallel ranks exchange after each block of a layer: an all_reduce of the
// activations, or with sequence parallelism a reduce_scatter and the next block's all_gather, with
// the same bytes in total. If the scheme names a codec for them, each rank sends every other rank
// its part, sums what it receives, encodes the sum, and all ranks gather it:
//
//   tensor        [all_to_all]               [all_gather]
//   tensor_codec  [encode]        [sum, encode]            [decode]
//
// Rows of each rank's own part go to experts on other ranks: then the block before ends with the
// reduce_scatter alone, and the experts' with the all_gather.
//
// With sequence parallelism the backward pass may gather blocks' inputs again: see
// inputs_gathered_again().
#include "sim/program/block_exchange.hpp"
#include "sim/program/coded_exchange.hpp"

namespace sim {
namespace {

Transfer among_tensor_ranks(CollectiveKind collective, double bytes) {
  return {.collective = collective,
          .among = Among::axis,
          .bytes = bytes,
          .stream = Stream::tensor,
          .phase = Phase::tensor_comm};
}

Communication coded_activations(const StepSizes& shape, double elements) {
  Communication exchange =
      coded_exchange({CollectiveKind::all_reduce, shape.scheme.activations.tensor, elements,
                      shape.parallelism.tensor});
  for (Part& part : exchange.parts) {
    if (auto* kernel = std::get_if<Kernel>(&part.what)) {
      kernel->stream = Stream::tensor_codec;
    } else {
      auto& transfer = std::get<Transfer>(part.what);
      transfer.among = Among::axis;
      transfer.stream = Stream::tensor;
      transfer.phase = Phase::tensor_comm;
    }
  }
  return exchange;
}

Communication exchange_of(const StepSizes& shape, Point point, double bytes) {
  using enum CollectiveKind;
  if (point == Point::after_block_parts || point == Point::before_block_parts) {
    Communication half{.axis = &axes::tensor, .elements = bytes / 2, .start = {{Stream::compute}}};
    half.add(
        among_tensor_ranks(point == Point::after_block_parts ? reduce_scatter : all_gather, bytes));
    return half;
  }
  if (point != Point::after_block) return {};
  const bool plain = shape.scheme.activations.tensor.is_plain();
  Communication exchange =
      plain ? Communication{.elements = bytes / 2} : coded_activations(shape, bytes / 2);
  exchange.axis = &axes::tensor;
  exchange.start = {{Stream::compute}};
  if (!plain) return exchange;
  if (shape.parallelism.sequence_parallel) {
    exchange.add(among_tensor_ranks(reduce_scatter, bytes));
    exchange.add(among_tensor_ranks(all_gather, bytes), kAtStart);
  } else {
    exchange.add(among_tensor_ranks(all_reduce, bytes));
  }
  return exchange;
}

Communication gather_of_inputs(const StepSizes& /*shape*/, double bytes) {
  Communication gather{.axis = &axes::tensor, .elements = bytes / 2, .start = {{Stream::compute}}};
  gather.add(among_tensor_ranks(CollectiveKind::all_gather, bytes));
  return gather;
}

constexpr BlockExchange kTensorExchange{exchange_of, gather_of_inputs};

}  // namespace

constinit const Axis axes::tensor{.name = "tp", .exchange = &kTensorExchange};

}  // namespace sim
