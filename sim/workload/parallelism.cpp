// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/parallelism.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/topology/topology.hpp"
#include "sim/workload/parameters.hpp"
#include "sim/workload/stack_history.hpp"
#include "sim/workload/stages.hpp"

namespace sim {

double bytes_of(MatrixPrecision precision) {
  switch (precision) {
    case MatrixPrecision::fp8:
    case MatrixPrecision::fp8_rowwise:  // 4 bytes of a scale for thousands of elements
    case MatrixPrecision::fp8_rowwise_gw_hp:
      return 1;
    case MatrixPrecision::mxfp8:
      return 1 + 1.0 / 32;
    case MatrixPrecision::nvfp4:
      return 0.5 + 1.0 / 16;
    case MatrixPrecision::bf16:
      break;
  }
  return 2;
}

namespace {

// Ranks along all axes but for the usual ones.
int more_ranks(const Parallelism& p) {
  int ranks = p.context;
  for (const SizedAxis& more : p.more_axes) {
    if (more.axis != nullptr) ranks *= more.size;
  }
  return ranks;
}

// Along axes::data.
int data_ranks(const Cluster& cluster, const Parallelism& p) {
  return rank_count(cluster) / (p.tensor * p.pipeline * more_ranks(p));
}

// Along axes::data and each other axis of that kind.
int ranks_along(const Cluster& cluster, const Parallelism& p, bool (*counts)(const Axis& axis)) {
  int ranks = data_ranks(cluster, p) * (counts(axes::context) ? p.context : 1);
  for (const SizedAxis& more : p.more_axes) {
    if (more.axis != nullptr && counts(*more.axis)) ranks *= more.size;
  }
  return ranks;
}

// Those along which sequences are divided where their ring is placed, or behind axes::tensor.
Placement whole_placement(const Parallelism& p) {
  Placement placement = p.placement;
  if (p.context == 1) return placement;
  const auto insert = [&](const Axis& axis, auto place) {
    std::shift_right(place, placement.end(), 1);
    *place = &axis;
  };
  if (std::ranges::find(placement, &axes::context) == placement.end()) {
    insert(axes::context, std::ranges::find(placement, &axes::tensor) + 1);
  }
  if (head_ranks(p) > 1) {
    insert(axes::context_heads, std::ranges::find(placement, &axes::context));
  }
  return placement;
}

}  // namespace

Layout layout_of(const Cluster& cluster, const Parallelism& p) {
  std::vector<SizedAxis> sized{{&axes::tensor, p.tensor},
                               {&axes::data, data_ranks(cluster, p)},
                               {&axes::pipeline, p.pipeline}};
  if (p.context > 1) {
    if (head_ranks(p) > 1) sized.push_back({&axes::context_heads, head_ranks(p)});
    sized.push_back({&axes::context, ring_ranks(p)});
  }
  for (const SizedAxis& more : p.more_axes) {
    if (more.axis != nullptr) sized.push_back(more);
  }
  return {sized, whole_placement(p)};
}

namespace {

std::vector<SizedAxis> expert_axes(const Parallelism& p) {
  std::vector<SizedAxis> experts{{&axes::expert_tensor, expert_tensor(p)},
                                 {&axes::expert, p.expert}};
  experts.insert(experts.end(), p.expert_axes.begin(), p.expert_axes.end());
  return experts;
}

}  // namespace

Factoring factoring_of(const Cluster& cluster, const Parallelism& p) {
  return {layout_of(cluster, p), expert_axes(p)};
}

int replicas(const Cluster& cluster, const Parallelism& p) {
  return ranks_along(cluster, p, [](const Axis& axis) { return axis.splits == Splits::samples; });
}

int holders(const Cluster& cluster, const Parallelism& p, Weights group) {
  if (group == Weights::dense) return ranks_along(cluster, p, holds_the_same);
  int ranks = rank_count(cluster) / p.pipeline;
  for (const SizedAxis& one : expert_axes(p)) {
    if (one.axis != nullptr && !holds_the_same(*one.axis)) ranks /= one.size;
  }
  return ranks;
}

namespace {

int nodes_of(const Cluster& cluster, const std::vector<int>& ranks) {
  std::vector<bool> has_some(static_cast<std::size_t>(cluster.nodes));
  for (const int rank : ranks) has_some[static_cast<std::size_t>(node_of(cluster, rank))] = true;
  return static_cast<int>(std::ranges::count(has_some, true));
}

}  // namespace

int tensor_nodes(const Cluster& cluster, const Parallelism& p) {
  // The usual placement, at every step of a search: neighbours, which fill nodes or fit in one.
  if (p.placement.front() == &axes::tensor) {
    return (p.tensor - 1) / cluster.gpus_per_node + 1;
  }
  int most = 1;
  const Axis* const tensor[] = {&axes::tensor};
  for (const std::vector<int>& group : layout_of(cluster, p).groups(tensor)) {
    most = std::max(most, nodes_of(cluster, group));
  }
  return most;
}

bool has_even_holders(const Cluster& cluster, const Parallelism& p, Weights group) {
  const auto lie_evenly = [&](const std::vector<int>& ranks) {  // which ascend
    const auto node_after = [&](auto rank) {
      return std::find_if(rank, ranks.end(), [&](int other) {
        return node_of(cluster, other) != node_of(cluster, *rank);
      });
    };
    const auto of_each = node_after(ranks.begin()) - ranks.begin();
    for (auto rank = ranks.begin(); rank != ranks.end();) {
      const auto next = node_after(rank);
      if (next - rank != of_each) return false;
      rank = next;
    }
    return true;
  };
  return std::ranges::all_of(factoring_of(cluster, p).groups_of_holders(group), lie_evenly);
}

int shard_ranks(const Cluster& cluster, const Parallelism& p, Weights group) {
  const int ranks = p.sharding.ranks;
  if (p.sharding.stage == 0) return 1;
  if (ranks > 0 && group == Weights::dense) return ranks;
  const int all = holders(cluster, p, group);
  return ranks > 0 ? std::min(ranks, all) : all;
}

int holder_nodes(const Cluster& cluster, const Parallelism& p, Weights group) {
  if (group == Weights::experts) {
    return nodes_of(cluster, factoring_of(cluster, p).groups_of_holders(group).front());
  }
  const Layout layout = layout_of(cluster, p);
  return nodes_of(cluster, layout.group_of(0, holding_axes(layout)));
}

bool recomputes_last(const Parallelism& p) {
  const bool reaches_it = p.recompute == Recompute::full || p.recompute == Recompute::alternate ||
                          p.recompute == Recompute::experts;
  return reaches_it &&
         (p.stack == nullptr || !at_date(*p.stack, p.stack_date).recomputes_what_is_read);
}

int recomputed_exchanges(const Parallelism& p) {
  if (p.recompute != Recompute::full && p.recompute != Recompute::projections) return 0;
  return recomputes_last(p) ? 2 : 1;
}

namespace {

bool splits_sequences(const Parallelism& p) { return p.sequence_parallel && p.tensor > 1; }

}  // namespace

bool splits_by_dtensor(const Parallelism& p) {
  return splits_sequences(p) && p.stack != nullptr && p.stack->dtensor;
}

bool keeps_gathered_inputs(const Parallelism& p) {
  const bool recomputes = p.recompute != Recompute::none && p.recompute != Recompute::selective;
  return splits_by_dtensor(p) && !recomputes;
}

int inputs_gathered_again(const Parallelism& p) {
  if (!splits_sequences(p) || keeps_gathered_inputs(p)) return 0;
  constexpr int kBlocks = 2;
  // An exchange after a block that DTensor recomputes ends with the next one's gather.
  return splits_by_dtensor(p) ? kBlocks - recomputed_exchanges(p) : kBlocks;
}

std::int64_t global_batch(const Cluster& cluster, const Parallelism& parallelism) {
  return std::int64_t{replicas(cluster, parallelism)} * parallelism.micro_batch *
         parallelism.accumulation;
}

RankLayer rank_layer(const Model& model, const Parallelism& p, LayerKind kind) {
  const LayerParameters layer = layer_parameters(model, kind);
  const double tensor = p.tensor;
  RankLayer held{
      static_cast<double>(layer.sharded) / tensor + static_cast<double>(layer.replicated),
      static_cast<double>(layer.sharded_matrices) / tensor +
          static_cast<double>(layer.replicated_matrices),
      static_cast<double>(layer.routed) / tensor + static_cast<double>(layer.routed_replicated),
      static_cast<double>(layer.routed_matrices) / tensor};
  if (!dispatches(p) || held.routed == 0) return held;
  const double parts = expert_tensor(p), ranks = p.expert;
  const RankLayer usual = held;
  held.routed =
      (static_cast<double>(layer.routed) / parts + static_cast<double>(layer.routed_replicated)) /
      ranks;
  held.routed_matrices = static_cast<double>(layer.routed_matrices) / parts / ranks;
  held.parameters += held.routed - usual.routed;
  held.matrices += held.routed_matrices - usual.routed_matrices;
  return held;
}

StageParameters stage_parameters(const Model& model, const Parallelism& p, int stage) {
  return stage_parameters(model, p, Stages(model, p), stage);
}

StageParameters stage_parameters(const Model& model, const Parallelism& p, const Stages& stages,
                                 int stage) {
  const EndParameters ends = end_parameters(model);
  const double tensor = p.tensor;
  const bool last = stage == p.pipeline - 1;
  StageParameters held;
  for (const KindCount& one : kinds_of_stage(model, stages, p, stage)) {
    const RankLayer layer = rank_layer(model, p, one.kind);
    held.layers += layer.parameters * one.layers;
    held.matrices += layer.matrices * one.layers;
    held.routed += layer.routed * one.layers;
    held.routed_matrices += layer.routed_matrices * one.layers;
    held.largest = std::max(held.largest, layer.parameters);
    held.largest_experts = std::max(held.largest_experts, layer.routed);
  }
  if (stage == 0) {
    held.embedding = static_cast<double>(ends.words) / tensor + static_cast<double>(ends.first);
  }
  if (last) {
    held.head = static_cast<double>(ends.last);
    // A tied head is the embedding itself, of which another stage needs a copy.
    if (!model.tied_embeddings || p.pipeline > 1) {
      held.head += static_cast<double>(ends.words) / tensor;
    }
  }
  return held;
}

std::vector<GroupParameters> by_group(const Parallelism& p, const StageParameters& held) {
  if (!dispatches(p) || held.routed == 0) {
    return {{Weights::dense, held.total(), held.matrices}};
  }
  return {{Weights::dense, held.total() - held.routed, held.matrices - held.routed_matrices},
          {Weights::experts, held.routed, held.routed_matrices}};
}

double shard_parameters(const Cluster& cluster, const Parallelism& p, const StageParameters& held) {
  double sum = 0;
  for (const GroupParameters& one : by_group(p, held)) {
    sum += one.parameters / shard_ranks(cluster, p, one.group);
  }
  return sum;
}

}  // namespace sim
