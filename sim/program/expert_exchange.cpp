// SPDX-License-Identifier: Apache-2.0
// What goes to experts on other ranks and comes back, forward, backward and recomputed:
//
//   experts       [dispatch]            [combine]           over ep; each rank sends its own tokens
//   (etp)         [all_gather]   [reduce_scatter]           rows, where ranks split each expert
//   expert_codec  [encode]  [decode]   [encode]  [decode]   where the scheme names codecs
//
// NCCL's all_to_all sends a row for each of a token's experts: tokens x k x (ep - 1) / ep leave a rank.
// DeepEP and HybridEP send one to each rank that has any. All wait for the rank that gets most.
#include "sim/program/expert_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/collectives/channels.hpp"
#include "sim/program/block_exchange.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "sim/workload/sizes.hpp"

namespace sim {
namespace {

constexpr bool goes_out(Point point) {
  return point == Point::dispatch || point == Point::dispatch_gradients;
}
constexpr bool comes_back(Point point) {
  return point == Point::combine || point == Point::combine_gradients;
}

const CollectiveAlgorithm* algorithm_of(Dispatcher dispatcher) {
  switch (dispatcher) {
    case Dispatcher::all_to_all:
      break;
    case Dispatcher::deepep:
      return &algorithms::deepep;
    case Dispatcher::deepep_low_latency:
      return &algorithms::deepep_low_latency;
    case Dispatcher::hybridep:
      return &algorithms::hybridep;
  }
  return nullptr;
}

// What one rank sends: so many of its tokens, each so many times.
struct Rows {
  double tokens = 0, width = 0;
  double copies = 1;
  double busiest = 1;
  [[nodiscard]] double elements() const { return tokens * width * copies; }
};

Rows rows_of(const StepSizes& shape, bool once_to_each_rank) {
  const Sizes z = sizes_of(shape.context.model, shape.parallelism, {.block = Block::experts});
  const Routed& routed = z.experts.routed;
  const double copies =
      (once_to_each_rank ? routed.to_ranks : z.experts.top_k) * (1 - routed.dropped);
  // No rank gets a token twice.
  const double most = once_to_each_rank ? shape.parallelism.expert / copies : routed.busiest;
  return {.tokens = z.local_tokens,
          .width = z.experts.row_width,
          .copies = copies,
          .busiest = std::min(routed.busiest, std::max(1.0, most))};
}

void launch(CodecUse use, Phase phase, Communication& to) {
  to.add(Kernel(std::move(use), phase, Stream::expert_codec));
}

// A token is encoded once, however often it goes out, and each of its rows as it comes back.
Communication moved(const StepSizes& shape, const Rows& rows, bool out, Transfer transfer) {
  const ActivationExchange& activations = shape.scheme.activations;
  const Wire& wire = out ? activations.dispatch : activations.combine;
  const bool coded = !wire.is_plain() && !activations.fused;
  const double once = rows.tokens * rows.width;
  Communication exchange{.elements = rows.elements(), .start = {{Stream::compute}}};
  if (coded) {
    launch(activation_encode(wire, out ? once : rows.busiest * rows.elements()), Phase::encode,
           exchange);
  }
  transfer.bytes = rows.busiest * wire.bytes(rows.elements());
  if (!wire.is_plain()) transfer.wire = wire;
  exchange.add(std::move(transfer));
  if (coded && !(out && products_take(shape.parallelism, wire))) {
    launch(activation_decode(wire, rows.busiest * rows.elements()), Phase::decode, exchange);
  }
  return exchange;
}

Transfer among_experts(CollectiveKind collective, std::string label) {
  return {.collective = collective,
          .among = Among::axis,
          .stream = Stream::experts,
          .phase = Phase::expert_comm,
          .label = std::move(label)};
}

std::vector<std::vector<int>> groups_of_experts(const StepContext& context) {
  return factoring_of(context.cluster, context.parallelism).groups(axes::expert);
}

Communication between_experts(const StepSizes& shape, Point point, double) {
  if (!goes_out(point) && !comes_back(point)) return {};
  const Parallelism& p = shape.parallelism;
  const CollectiveAlgorithm* library = algorithm_of(p.dispatcher);
  const bool out = goes_out(point);
  const Rows rows = rows_of(shape, library != nullptr && library->once_to_each_rank);
  Transfer transfer = among_experts(CollectiveKind::all_to_all, "all_to_all rows of experts");
  if (library != nullptr) {
    const Wire& wire = out ? shape.scheme.activations.dispatch : shape.scheme.activations.combine;
    transfer.algorithm = library;
    transfer.multiprocessors = p.dispatch_multiprocessors;
    const int nodes = count_nodes(shape.context.cluster, groups_of_experts(shape.context).front());
    const Routed routed = routed_to(shape.context.model, p, nodes);
    transfer.spread = {.to_ranks = rows.copies,
                       .to_nodes = routed.to_nodes * (1 - routed.dropped),
                       .row_bytes = wire.bytes(rows.width),
                       .row_values = rows.width,
                       .sums = !out};
  }
  Communication exchange = moved(shape, rows, out, std::move(transfer));
  exchange.axis = &axes::expert;
  // The low-latency kernels send into buffers that fit any counts; backward they are known.
  exchange.counted = point == Point::dispatch && p.dispatcher != Dispatcher::deepep_low_latency;
  return exchange;
}

// All ranks that split an expert have a part of each row's sum.
Communication between_parts(const StepSizes& shape, Point point, double) {
  if (!goes_out(point) && !comes_back(point)) return {};
  const bool out = goes_out(point);
  Rows rows = rows_of(shape, false);
  rows.tokens *= expert_tensor(shape.parallelism);
  Communication exchange{
      .axis = &axes::expert_tensor, .elements = rows.elements(), .start = {{Stream::compute}}};
  Transfer transfer =
      out ? among_experts(CollectiveKind::all_gather, "all_gather rows of experts")
          : among_experts(CollectiveKind::reduce_scatter, "reduce_scatter rows of experts");
  constexpr double kBf16 = 2;
  transfer.bytes = kBf16 * rows.busiest * rows.elements();
  exchange.add(std::move(transfer));
  return exchange;
}

constexpr BlockExchange kExpertExchange{between_experts};
constexpr BlockExchange kExpertTensorExchange{between_parts};

}  // namespace

constinit const Axis axes::expert{
    .name = "ep", .of = Weights::experts, .exchange = &kExpertExchange};
constinit const Axis axes::expert_tensor{
    .name = "etp", .of = Weights::experts, .exchange = &kExpertTensorExchange};

std::string dispatcher_problem(const StepContext& context) {
  const Cluster& cluster = context.cluster;
  const Parallelism& p = context.parallelism;
  const CollectiveAlgorithm* library = algorithm_of(p.dispatcher);
  if (library == nullptr || p.expert == 1 || !has_experts_to_choose(context.model)) return {};
  const auto can_run_over = [&](const std::vector<int>& ranks) {
    return library->can_run_on(cluster,
                               {p.expert, count_nodes(cluster, ranks), lie_evenly(cluster, ranks)});
  };
  if (std::ranges::all_of(groups_of_experts(context), can_run_over)) return {};
  return fmt::format(
      "`dispatcher`: {} forwards inside nodes and needs as many ranks of a group on each, and {} x "
      "`etp` {} lie unevenly on nodes of {} GPUs; choose all_to_all or another `ep`",
      name_of(p.dispatcher, kDispatchers), p.expert, expert_tensor(p), cluster.gpus_per_node);
}

}  // namespace sim
