// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "sim/base/error.hpp"
#include "sim/topology/topology.hpp"
#include "sim/workload/attention_support.hpp"
#include "sim/workload/parameters.hpp"
#include "sim/workload/stacks.hpp"
#include "sim/workload/stages.hpp"

namespace sim {

double bytes_of(MatrixPrecision precision) {
  switch (precision) {
    case MatrixPrecision::fp8:
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

Factoring factoring_of(const Cluster& cluster, const Parallelism& p) {
  std::vector<SizedAxis> experts{{&axes::expert_tensor, expert_tensor(p)},
                                 {&axes::expert, p.expert}};
  experts.insert(experts.end(), p.expert_axes.begin(), p.expert_axes.end());
  return {layout_of(cluster, p), experts};
}

int replicas(const Cluster& cluster, const Parallelism& p) {
  return ranks_along(cluster, p, [](const Axis& axis) { return axis.splits == Splits::samples; });
}

int holders(const Cluster& cluster, const Parallelism& p, Weights group) {
  if (group == Weights::dense) return ranks_along(cluster, p, holds_the_same);
  return factoring_of(cluster, p).holders(group);
}

int tensor_nodes(const Cluster& cluster, const Parallelism& p) {
  // The usual placement, at every step of a search: neighbours, which fill nodes or fit in one.
  if (p.placement.front() == &axes::tensor) {
    return (p.tensor - 1) / cluster.gpus_per_node + 1;
  }
  std::size_t most = 1;
  const Axis* const tensor[] = {&axes::tensor};
  for (const std::vector<int>& group : layout_of(cluster, p).groups(tensor)) {
    std::set<int> nodes;
    for (const int rank : group) nodes.insert(node_of(cluster, rank));
    most = std::max(most, nodes.size());
  }
  return static_cast<int>(most);
}

bool has_even_holders(const Cluster& cluster, const Parallelism& p, Weights group) {
  const auto lie_evenly = [&](const std::vector<int>& ranks) {
    std::map<int, int> by_node;
    for (const int rank : ranks) ++by_node[node_of(cluster, rank)];
    const int first = by_node.begin()->second;
    return std::ranges::all_of(by_node, [&](const auto& one) { return one.second == first; });
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
  std::set<int> nodes;
  const auto count = [&](const std::vector<int>& ranks) {
    for (const int rank : ranks) nodes.insert(node_of(cluster, rank));
  };
  if (group == Weights::dense) {
    const Layout layout = layout_of(cluster, p);
    count(layout.group_of(0, holding_axes(layout)));
  } else {
    count(factoring_of(cluster, p).groups_of_holders(group).front());
  }
  return static_cast<int>(nodes.size());
}

bool recomputes_last(const Parallelism& p) {
  const bool reaches_it = p.recompute == Recompute::full || p.recompute == Recompute::alternate ||
                          p.recompute == Recompute::experts;
  return reaches_it && (p.stack == nullptr || !p.stack->recomputes_what_is_read);
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

namespace {

using Problem = std::function<void(const std::string& line)>;

// Whether tensor-parallel groups are equal parts of a node, or whole nodes.
bool fills_nodes(const Cluster& cluster, const Parallelism& p) {
  const int gpus = cluster.gpus_per_node;
  return p.tensor < 1 || gpus % p.tensor == 0 || p.tensor % gpus == 0;
}

void check_divisors(const Cluster& cluster, const Model& model, const Parallelism& p,
                    const Problem& problem) {
  const auto must_divide = [&](const char* field, int value, int whole, const char* what) {
    if (value < 1 || whole % value != 0) {
      problem(fmt::format("{}: {} does not divide the {} {} of {}; choose a divisor", field, value,
                          whole, what, model.name));
    }
  };
  must_divide("`tp`", p.tensor, model.heads, "attention heads");
  must_divide("`tp`", p.tensor, model.kv_heads, "key-value heads");
  must_divide("`tp`", p.tensor, model.feed_forward, "feed-forward columns");
  const bool apart = dispatches(p) && has_experts_to_choose(model);
  must_divide(apart ? "`etp`" : "`tp`", expert_tensor(p), model.experts.width,
              "columns of an expert");
  must_divide("`tp`", p.tensor, model.experts.shared_width, "columns of the shared expert");
  must_divide("`tp`", p.tensor, model.mamba.heads, "Mamba-2 heads");
  must_divide("`tp`", p.tensor, model.vocabulary, "vocabulary entries");
  if (p.sequence_parallel && model.sequence % p.context == 0) {
    must_divide("`tp`", p.tensor, model.sequence / p.context,
                p.context > 1 ? "tokens of a sequence's part" : "tokens of a sequence");
  }
  if (!fills_nodes(cluster, p)) {
    problem(fmt::format("`tp`: {} does not divide the {} GPUs in a node of {}; choose a divisor",
                        p.tensor, cluster.gpus_per_node, cluster.name));
  }
}

void check_experts(const Cluster& cluster, const Model& model, const Parallelism& p,
                   const Problem& problem) {
  if (!has_experts_to_choose(model)) {
    if (p.expert > 1) {
      problem(fmt::format("`ep`: {} has no experts to choose from; leave it at 1", model.name));
    } else if (dispatches(p)) {
      problem(fmt::format("`etp`: {} has no experts to choose from; leave it out", model.name));
    }
    return;
  }
  if (!dispatches(p)) return;
  if (p.dispatch_multiprocessors > cluster.gpu.multiprocessors) {
    problem(fmt::format("`dispatch-sms`: {} are more than the {} SMs of {}; choose fewer",
                        p.dispatch_multiprocessors, cluster.gpu.multiprocessors, cluster.gpu.name));
  }
  if (model.experts.count % p.expert != 0) {
    problem(fmt::format("`ep`: {} does not divide the {} experts of {}; choose a divisor", p.expert,
                        model.experts.count, model.name));
  }
  if (p.tensor > 1 && !p.sequence_parallel) {
    problem(
        fmt::format("`ep`: with `tp` {} each rank sends its own part of the tokens to experts; "
                    "pass `sequence-parallel` on",
                    p.tensor));
  }
  const std::int64_t experts = std::int64_t{expert_tensor(p)} * p.expert;
  const std::int64_t usual = std::int64_t{p.tensor} * p.pipeline * p.context;
  if (rank_count(cluster) % usual != 0) return;  // said elsewhere
  const std::int64_t ranks = rank_count(cluster) / p.pipeline;
  if (ranks % experts != 0) {
    problem(
        fmt::format("`ep`: {} x `etp` {} does not divide the {} ranks of a stage; choose other "
                    "`ep`, `etp`, `pp` or `nodes`",
                    p.expert, expert_tensor(p), ranks));
  }
}

// Causal sequences are cut into two parts a rank, from both ends.
void check_context(const Model& model, const Parallelism& p, const Problem& problem) {
  if (p.context % head_ranks(p) != 0) {
    problem(fmt::format("`cp-heads`: {} does not divide `cp` {}; choose a divisor", head_ranks(p),
                        p.context));
  }
  if (p.context == 1 || p.context % head_ranks(p) != 0) return;
  const int parts = p.context * (model.causal && ring_ranks(p) > 1 ? 2 : 1);
  if (model.sequence % parts != 0) {
    problem(
        fmt::format("`cp`: {} parts{} do not divide the {} tokens of a sequence; choose "
                    "another `cp` or `sequence`",
                    parts, parts > p.context ? ", two a rank," : "", model.sequence));
  }
  const auto must_share = [&](int heads, const char* what) {
    if (heads % (p.tensor * head_ranks(p)) == 0) return;
    problem(
        fmt::format("{}: {} x `tp` {} does not divide the {} {} of {}; choose a divisor, or "
                    "`cp-exchange` ring",
                    p.context_heads > 1 ? "`cp-heads`" : "`cp`", head_ranks(p), p.tensor, heads,
                    what, model.name));
  };
  must_share(model.heads, "attention heads");
  must_share(model.kv_heads, "key-value heads");
  if (ring_ranks(p) > 1 && !is_fused(p.attention)) {
    problem("`cp`: attention in parts needs a fused kernel; pass `attention` fused");
  }
  if (has_layers_with(model, Mixer::mamba)) {
    problem(fmt::format("`cp`: Mamba-2 layers of {} take whole sequences here; leave it at 1",
                        model.name));
  }
}

// Each virtual stage holds a layer at least, or the embedding or head where these count as one; each
// stage of the pipeline, a layer.
bool all_hold_layers(const Model& model, const Parallelism& p) {
  if (std::int64_t{p.pipeline} * p.virtual_stages > counted_layers(model, p)) return false;
  const Stages stages(model, p);
  return std::min(stages.layers_of_stage(0), stages.layers_of_stage(p.pipeline - 1)) > 0;
}

std::string layers_said(const Model& model, const Parallelism& p) {
  const std::int64_t parts = std::int64_t{p.pipeline} * p.virtual_stages;
  const auto said = static_cast<std::int64_t>(p.stage_layers.size());
  if (said != parts) {
    return fmt::format("`stage-layers`: {} numbers are not one for each of {} virtual stages", said,
                       parts);
  }
  const auto sum = std::accumulate(p.stage_layers.begin(), p.stage_layers.end(), std::int64_t{0});
  if (sum != all_layers(model)) {
    return fmt::format("`stage-layers`: are {} layers in all, and {} has {}; write those", sum,
                       model.name, all_layers(model));
  }
  if (p.counted_ends != CountedEnds::none) {
    return "`stage-layers`: says what `count-ends` would; pass one of them";
  }
  return {};
}

void check_stages(const Model& model, const Parallelism& p, const Problem& problem) {
  if (p.virtual_stages > 1 && p.pipeline < 2) {
    problem(
        fmt::format("`virtual-stages`: {} chunks need a pipeline; pass `pp`", p.virtual_stages));
    return;
  }
  if (!p.stage_layers.empty()) {
    if (const std::string wrong = layers_said(model, p); !wrong.empty()) return problem(wrong);
  }
  if (all_hold_layers(model, p)) return;
  Parallelism whole = p;
  whole.virtual_stages = 1;
  const bool chunks = p.virtual_stages > 1;
  problem(fmt::format("{}: {}{} leaves a stage without a layer: {} has {}; choose fewer",
                      chunks && all_hold_layers(model, whole) ? "`virtual-stages`" : "`pp`",
                      p.pipeline,
                      chunks ? fmt::format(" x {} virtual stages", p.virtual_stages) : "",
                      model.name, all_layers(model)));
}

void check_routing(const Model& model, const Parallelism& p, const Problem& problem) {
  const std::string wrong = problem_of(p.routing, model.experts.count, model.experts.top_k);
  if (!wrong.empty()) problem(wrong);
}

void check_software(const Cluster& cluster, const Parallelism& p, const Problem& problem) {
  if (const std::string lacks = attention_problem(cluster.gpu, p.attention); !lacks.empty()) {
    problem(lacks);
  }
  if (p.optimizer_state == OptimizerState::host && !host_copy_rate(cluster)) {
    problem(
        fmt::format("`optimizer-state`: {} lacks gpu.host_bandwidth, over which the state is "
                    "copied; add it to that cluster's file",
                    cluster.name));
  }
  if (p.recompute == Recompute::alternate && p.attention == Attention::unfused) {
    problem("`recompute`: alternate recomputation needs fused attention; pass `attention` fused");
  }
  const bool fp4 = p.matrices == MatrixPrecision::nvfp4;
  const bool has_rate = fp4 ? cluster.gpu.fp4.has_value() : cluster.gpu.fp8.has_value();
  if (p.matrices != MatrixPrecision::bf16 && !has_rate) {
    problem(fmt::format("`precision`: {} has no gpu.{} rate; choose bf16 or another cluster",
                        cluster.gpu.name, fp4 ? "fp4" : "fp8"));
  } else if (p.matrices == MatrixPrecision::mxfp8 && !cluster.gpu.fp4) {
    // Blackwell's tensor cores brought both.
    problem(
        fmt::format("`precision`: {} has no block-scaled matrix products, which need a gpu.fp4 "
                    "rate; choose fp8 or bf16",
                    cluster.gpu.name));
  }
}

// Tensor, context and pipeline parallelism do not divide all GPUs.
void note_ranks(const Cluster& cluster, const Parallelism& p, const Problem& problem) {
  if (p.context > 1) {
    problem(
        fmt::format("`cp`: {} x tp {} x pp {} does not divide the {} GPUs; choose other "
                    "`nodes`, `cp`, `tp` or `pp`",
                    p.context, p.tensor, p.pipeline, rank_count(cluster)));
    return;
  }
  if (p.pipeline > 1 && p.tensor > 1) {
    problem(
        fmt::format("`pp`: {} x tp {} does not divide the {} GPUs; choose other `nodes`, `tp` "
                    "or `pp`",
                    p.pipeline, p.tensor, rank_count(cluster)));
  } else if (p.pipeline > 1 || fills_nodes(cluster, p)) {  // else it is said already
    problem(fmt::format("{}: {} does not divide the {} GPUs; choose another, or other `nodes`",
                        p.pipeline > 1 ? "`pp`" : "`tp`", std::max(p.pipeline, p.tensor),
                        rank_count(cluster)));
  }
}

void check_sharding(const Cluster& cluster, const Parallelism& p, const Problem& problem) {
  if (rank_count(cluster) % (std::int64_t{p.tensor} * p.pipeline * p.context) != 0) {
    note_ranks(cluster, p, problem);
    return;
  }
  const int data = holders(cluster, p);
  if (data % shard_ranks(cluster, p) != 0) {
    problem(
        fmt::format("`hybrid-shard`: {} does not divide the {} data-parallel ranks; choose a "
                    "divisor",
                    p.sharding.ranks, data));
  }
  if (p.sharding.ranks > 0 && p.sharding.stage < 3) {
    problem("`hybrid-shard`: needs `zero` 3, whose weights it shards inside groups");
  }
}

}  // namespace

std::string problems(const Cluster& cluster, const Model& model, const Parallelism& p) {
  std::string lines;
  const auto problem = [&](const std::string& line) {
    if (!lines.empty()) lines += '\n';
    lines += line;
  };
  check_divisors(cluster, model, p, problem);
  check_stages(model, p, problem);
  check_experts(cluster, model, p, problem);
  check_context(model, p, problem);
  check_routing(model, p, problem);
  check_sharding(cluster, p, problem);
  check_software(cluster, p, problem);
  return lines;
}

void check(const Cluster& cluster, const Model& model, const Parallelism& p) {
  if (const std::string lines = problems(cluster, model, p); !lines.empty()) {
    throw InputError(lines);
  }
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
