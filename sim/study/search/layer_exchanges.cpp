// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/layer_exchanges.hpp"

#include <algorithm>
#include <map>

#include "sim/topology/topology.hpp"
#include "sim/workload/activations.hpp"
#include "sim/workload/sizes.hpp"

namespace sim::study {
namespace {

// Of a collective of any kind, by any protocol.
double least_launch_s(const Cluster& cluster) {
  const Nvlink& nvlink = cluster.nvlink;
  const Collectives& collectives = cluster.collectives;
  double least = collectives.launch.base();
  for (const auto& launch : {collectives.ll_launch, collectives.ll128_launch}) {
    if (launch) least = std::min(least, launch->base());
  }
  for (const auto& pairs : {nvlink.pairs, nvlink.ll_pairs}) {
    if (pairs) least = std::min(least, pairs->latency.base());
  }
  return least;
}

// What tensor-parallel ranks take to sum what each has of a micro-batch's activations, or to encode
// and exchange it: both ways every rank sends (n - 1) / n of it. Where they are of several nodes,
// nothing is known.
double tensor_exchange_s(const Job& job, const Parallelism& p, const Wire& wire) {
  if (p.tensor == 1 || tensor_nodes(job.cluster(), p) > 1) return 0;
  const bool in_switch = !p.sequence_parallel && job.cluster().nvlink.nvls.has_value();
  const double passes = in_switch ? 1 : 2 * (p.tensor - 1.0) / p.tensor;
  const double bytes = wire.bytes_per_element() * values_between_layers(job.model, p) * passes;
  return (p.sequence_parallel ? 2 : 1) * least_launch_s(job.cluster()) +
         bytes / gpu_rate(job.cluster()).base();
}

// What ranks take to send their tokens to experts elsewhere, or back: NCCL sends a row for each of a
// token's experts, the others at least one to each rank and node.
LayerExchanges::Exchange expert_exchange(const Job& job, const Parallelism& p, const Wire& wire) {
  if (p.expert == 1 || !has_experts_to_choose(job.model)) return {};
  const Cluster& cluster = job.cluster();
  const std::vector<int> ranks = factoring_of(cluster, p).groups(axes::expert).front();
  std::map<int, double> on_nodes;
  for (const int rank : ranks) ++on_nodes[node_of(cluster, rank)];
  const double nodes = static_cast<double>(on_nodes.size());
  const double here = on_nodes.begin()->second / p.expert;  // share of the group on a node
  const Sizes z = sizes_of(job.model, p, {.block = Block::experts});
  const Routed routed = routed_to(job.model, p, static_cast<int>(on_nodes.size()));
  const bool each_row = p.dispatcher == Dispatcher::all_to_all;
  const double to_ranks = each_row ? z.experts.top_k : routed.to_ranks;
  const double to_nodes = each_row ? z.experts.top_k : routed.to_nodes;
  const double once =
      wire.bytes_per_element() * z.local_tokens * z.experts.row_width * (1 - routed.dropped);
  const double to_others = once * to_ranks * (here - 1.0 / p.expert);
  const double leaving = once * to_nodes * (1 - (each_row ? here : 1 / nodes));
  const double nics = nic_rate(cluster).base() * cluster.network.nics_per_node;
  // Where a node has several stages, they may send at other times.
  const auto place = [&](const Axis& axis) { return std::ranges::find(p.placement, &axis); };
  const bool alone = place(axes::data) < place(axes::pipeline);
  const double sharing = alone ? cluster.gpus_per_node : 1;
  return {std::max(to_others / gpu_rate(cluster).base(), leaving * sharing / nics), nodes > 1};
}

// What matters of the parallelism, and of the wires.
Parallelism of_exchanges(const Parallelism& p) {
  Parallelism matters = of_passes(p);
  matters.pipeline = p.pipeline;
  matters.recompute = {};
  return matters;
}
ActivationExchange exchanged(const Parallelism& p, const ActivationExchange& wires) {
  ActivationExchange all;
  if (p.tensor > 1) all.tensor = wires.tensor;
  if (!dispatches(p)) return all;
  all.dispatch = wires.dispatch;
  all.combine = wires.combine;
  all.fused = wires.fused;
  return all;
}

// From bytes at the rates of a GPU's NVLink port and of a node's NICs.
LayerExchanges closed_form(const Job& job, const Parallelism& p, const ActivationExchange& wires) {
  LayerExchanges all;
  // Beside a pass of another micro-batch, exchanges may take nothing.
  if (pairs_passes(p)) return all;
  const auto at = [&](Point point) -> LayerExchanges::Exchange& {
    return all.points[static_cast<std::size_t>(point)];
  };
  at(Point::after_block).seconds = tensor_exchange_s(job, p, wires.tensor);
  at(Point::dispatch) = at(Point::dispatch_gradients) = expert_exchange(job, p, wires.dispatch);
  at(Point::combine) = at(Point::combine_gradients) = expert_exchange(job, p, wires.combine);
  // Half of an exchange without a codec.
  all.gather_again.seconds = tensor_exchange_s(job, p, ActivationExchange{}.tensor) / 2;
  return all;
}

void raise(LayerExchanges::Exchange& known, const LayerExchanges::Exchange& other) {
  if (other.seconds > known.seconds) known = other;
}

}  // namespace

LayerExchanges LayerExchanges::inside_nodes() const {
  LayerExchanges inside = *this;
  const auto drop = [](Exchange& one) {
    if (one.leaves_nodes) one = {};
  };
  for (Exchange& one : inside.points) drop(one);
  drop(inside.gather_again);
  return inside;
}

const LayerExchanges& LeastExchanges::in_closed_form(const Job& job, const Parallelism& p,
                                                     const ActivationExchange& wires) {
  const auto [known, added] =
      on(job.cluster()).closed_forms.at(of_exchanges(p), exchanged(p, wires));
  return added ? known = closed_form(job, p, wires) : known;
}

const LayerExchanges& LeastExchanges::of(const Job& job, const Setup& setup) {
  OnCluster& here = on(job.cluster());
  const Parallelism& p = setup.parallelism;
  const auto [known, added] =
      here.known.at(of_exchanges(p), exchanged(p, setup.scheme.activations));
  if (!added) return known;
  known = in_closed_form(job, p, setup.scheme.activations);
  if (pairs_passes(p)) return known;
  const StepContext context = job.context(setup);
  const StepSizes shape(context, setup.scheme);
  for (std::size_t point = 0; point < known.points.size(); ++point) {
    raise(known.points[point], here.times.at(shape, static_cast<Point>(point)));
  }
  raise(known.gather_again, here.times.gather_again(shape));
  return known;
}

LeastExchanges::OnCluster& LeastExchanges::on(const Cluster& cluster) {
  const auto known = std::ranges::find(clusters_, cluster, &OnCluster::cluster);
  return known == clusters_.end() ? clusters_.emplace_back(cluster) : *known;
}

Parallelism of_passes(Parallelism p) {
  const Parallelism usual;
  p.pipeline = usual.pipeline;
  p.virtual_stages = usual.virtual_stages;
  p.counted_ends = usual.counted_ends;
  p.stage_layers.clear();
  p.offloaded_layers = usual.offloaded_layers;
  p.accumulation = usual.accumulation;
  p.bucket = usual.bucket;
  p.gathers_matrices = usual.gathers_matrices;
  p.overlap = {
      .tensor = p.overlap.tensor, .experts = p.overlap.experts, .batches = p.overlap.batches};
  p.sharding = {.stage = p.sharding.stage == 3 ? 3 : 1};
  return p;
}

}  // namespace sim::study
