// SPDX-License-Identifier: Apache-2.0
// What goes to experts on other ranks and comes back, forward, backward and recomputed:
//
//   experts       [dispatch]            [combine]           over ep; each rank sends its own tokens
//   (etp)         [all_gather]   [reduce_scatter]           rows, where ranks split each expert
//
// NCCL's all_to_all sends a row for each of a token's experts: tokens x k x (ep - 1) / ep leave a rank.
#include "sim/program/block_exchange.hpp"
#include "sim/workload/sizes.hpp"

namespace sim {
namespace {

Sizes sizes_of_experts(const StepSizes& shape) {
  return sizes_of(shape.context.model, shape.parallelism, {.block = Block::experts});
}

constexpr bool goes_out(Point point) {
  return point == Point::dispatch || point == Point::dispatch_gradients;
}
constexpr bool comes_back(Point point) {
  return point == Point::combine || point == Point::combine_gradients;
}

Communication one_transfer(const Axis& axis, CollectiveKind collective, double elements,
                           std::string label) {
  Communication exchange{.axis = &axis, .elements = elements, .start = {{Stream::compute}}};
  exchange.add(Transfer{.collective = collective,
                        .among = Among::axis,
                        .bytes = 2 * elements,
                        .stream = Stream::experts,
                        .phase = Phase::expert_comm,
                        .label = std::move(label)});
  return exchange;
}

Communication between_experts(const StepSizes& shape, Point point, double) {
  if (!goes_out(point) && !comes_back(point)) return {};
  const Sizes z = sizes_of_experts(shape);
  return one_transfer(axes::expert, CollectiveKind::all_to_all,
                      z.experts.sent_rows * z.experts.row_width, "all_to_all rows of experts");
}

// All ranks that split an expert have a part of each row's sum.
Communication between_parts(const StepSizes& shape, Point point, double) {
  if (!goes_out(point) && !comes_back(point)) return {};
  const Sizes z = sizes_of_experts(shape);
  const double elements = z.experts.tokens * z.experts.top_k * z.experts.row_width;
  return goes_out(point) ? one_transfer(axes::expert_tensor, CollectiveKind::all_gather, elements,
                                        "all_gather rows of experts")
                         : one_transfer(axes::expert_tensor, CollectiveKind::reduce_scatter,
                                        elements, "reduce_scatter rows of experts");
}

constexpr BlockExchange kExpertExchange{between_experts};
constexpr BlockExchange kExpertTensorExchange{between_parts};

}  // namespace

constinit const Axis axes::expert{
    .name = "ep", .of = Weights::experts, .exchange = &kExpertExchange};
constinit const Axis axes::expert_tensor{
    .name = "etp", .of = Weights::experts, .exchange = &kExpertTensorExchange};

}  // namespace sim
