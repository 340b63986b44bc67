// SPDX-License-Identifier: Apache-2.0
// Why a job cannot run on a cluster or with a model: problems() of sim/workload/parallelism.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "sim/base/error.hpp"
#include "sim/topology/topology.hpp"
#include "sim/workload/attention_support.hpp"
#include "sim/workload/parallelism.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
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

void check_offloading(const Cluster& cluster, const Model& model, const Parallelism& p,
                      const Problem& problem) {
  if (p.offloaded_layers == 0) return;
  if (!host_copy_rate(cluster)) {
    problem(
        fmt::format("`offload-activations`: {} lacks gpu.host_bandwidth, over which activations "
                    "are copied; add it to that cluster's file",
                    cluster.name));
  }
  if (pairs_passes(p)) {
    problem(
        "`offload-activations`: the two passes of `overlap` batches have no buffers of their own "
        "here; leave out one of both");
  }
  if (p.offloaded_layers == kAllLayers || !all_hold_layers(model, p)) return;
  if (const int most = Stages(model, p).most_layers_of_a_chunk(); p.offloaded_layers > most) {
    problem(
        fmt::format("`offload-activations`: {} are more than the {} layers of {}; choose fewer, "
                    "or all",
                    p.offloaded_layers, most, p.pipeline > 1 ? "a virtual stage" : model.name));
  }
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
  if (weights_on_hosts(p) && p.optimizer_state == OptimizerState::gpu) {
    problem(
        "`offload-weights`: the optimizer updates weights on the hosts with its state there; pass "
        "`optimizer-state` host");
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
  const int of_stage = rank_count(cluster) / p.pipeline;
  if (dispatches(p) && of_stage % (p.expert * expert_tensor(p)) == 0) {  // else it is said already
    const int same = holders(cluster, p, Weights::experts);
    if (same % shard_ranks(cluster, p, Weights::experts) != 0) {
      problem(
          fmt::format("`hybrid-shard`: {} does not divide the {} ranks that hold the same "
                      "experts; choose a divisor, or another `ep`",
                      p.sharding.ranks, same));
    }
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
  check_offloading(cluster, model, p, problem);
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

}  // namespace sim
