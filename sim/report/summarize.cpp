// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/base/error.hpp"
#include "sim/report/activity.hpp"
#include "sim/report/report.hpp"
#include "sim/report/sources.hpp"
#include "sim/times/calibration.hpp"
#include "sim/times/host_update.hpp"
#include "sim/times/published.hpp"
#include "sim/workload/offloading.hpp"
#include "sim/workload/parameters.hpp"

namespace sim {
namespace {

void add_wire(const Schedule& schedule, StepFigures& step) {
  step.wire = mean_sent(schedule);
  for (const Phase phase :
       {Phase::tensor_comm, Phase::pipeline_comm, Phase::expert_comm, Phase::context_comm,
        Phase::weight_comm, Phase::gradient_comm, Phase::optimizer_comm}) {
    const WireBytes wire = mean_sent(schedule, phase);
    if (wire.intra_node + wire.inter_node > 0) step.wire_by_phase[phase] = wire;
  }
}

// Weights and gradients that a rank of the stage sends in rings, uncompressed.
double ring_elements(const StepContext& context, Weights group, double layers, double ends) {
  const Parallelism& p = context.parallelism;
  const double shards = shard_ranks(context.cluster, p, group);
  const double replicas = holders(context.cluster, p, group) / shards;
  const int reductions = accumulates_whole(p) ? 1 : p.accumulation;
  double passes = 0;  // of all of it through the ring of the shards
  switch (p.sharding.stage) {
    case 0:
      return 2 * (layers + ends) * (replicas - 1) / replicas;
    case 1:
      passes = 2 * (layers + ends);
      break;
    case 2:
      passes = (1 + p.accumulation) * (layers + ends);
      break;
    default:
      passes = p.accumulation * ((p.sharding.reshard_after_forward ? 2 : 1) * layers + ends) +
               reductions * (layers + ends);
  }
  return passes * (shards - 1) / shards +
         reductions * (layers + ends) / shards * 2 * (replicas - 1) / replicas;
}

double ring_elements(const StepContext& context, int stage) {
  const StageParameters held = stage_parameters(context.model, context.parallelism, stage);
  const double ends = held.embedding + held.head;
  if (by_group(context.parallelism, held).size() == 1) {
    return ring_elements(context, Weights::dense, held.layers, ends);
  }
  return ring_elements(context, Weights::dense, held.layers - held.routed, ends) +
         ring_elements(context, Weights::experts, held.routed, 0);
}

// What rings would send in FP32, and in BF16, over what the data-parallel phases send.
void add_compression(const StepContext& context, Report& report) {
  const Parallelism& p = context.parallelism;
  double sent = 0;
  for (const Phase phase : {Phase::weight_comm, Phase::gradient_comm}) {
    const auto found = report.step->wire_by_phase.find(phase);
    if (found != report.step->wire_by_phase.end()) {
      sent += found->second.intra_node + found->second.inter_node;
    }
  }
  if (sent <= 0) return;
  double elements = 0;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    elements += ring_elements(context, stage) / p.pipeline;
  }
  report.compression_ratio_fp32 = 4 * elements / sent;
  report.compression_ratio_bf16 = 2 * elements / sent;
}

// From the first pass over the gradients until the last shard is summed, on any rank.
double gradient_exchange_s(const Schedule& schedule, const Timeline& timeline) {
  double begin = timeline.makespan_s;
  double end = 0;
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    const bool reduces = operation.phase == Phase::gradient_comm;
    if (reduces) end = std::max(end, timeline.end_s[id]);
    if (reduces || operation.pass == Pass::scale_gradients) {
      if (operation.rank >= 0) begin = std::min(begin, timeline.start_s[id]);
    }
  }
  if (end == 0) return 0;
  // The kernels that sum the last wires follow the last member.
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.phase != Phase::decode || timeline.start_s[id] < begin) continue;
    end = std::max(end, timeline.end_s[id]);
  }
  return std::max(0.0, timeline.in_step(end) - timeline.in_step(begin));
}

StepFigures step_figures(const StepContext& context, const Schedule& schedule,
                         const Timeline& timeline) {
  const Cluster& cluster = context.cluster;
  const Parallelism& p = context.parallelism;
  StepFigures step{.calibration = context.calibration.name,
                   .data = replicas(cluster, p),
                   .gradient_exchange_s = gradient_exchange_s(schedule, timeline)};
  step.tflops_per_gpu = model_flop(context.model, global_batch(cluster, p)).base() /
                        timeline.makespan_s / rank_count(cluster) / 1e12;
  step.mfu = step.tflops_per_gpu * 1e12 * cluster.gpu.clock / cluster.gpu.bf16.base();
  add_wire(schedule, step);
  return step;
}

}  // namespace

ModelSize size_of(const Model& model) {
  const auto tokens = static_cast<double>(model.sequence);
  return {.parameters = parameters_by_part(model),
          .flop_per_token = model_flop(model, 1).base() / tokens,
          .flop_per_token_causal = model_flop(model, 1, CountedScores::causal).base() / tokens};
}

Report summarize(const StepContext& context, const Scheme& scheme, const Schedule& schedule,
                 const Wiring& wiring, const Timeline& timeline) {
  require(timeline.outcome == Outcome::complete, "a report is of a whole step");
  const Cluster& cluster = context.cluster;
  const Parallelism& p = context.parallelism;
  Report report;
  report.topology = cluster.name;
  report.model = context.model.name;
  report.model_size = size_of(context.model);
  report.scheme = scheme.name;
  report.gpus = rank_count(cluster);
  report.node_placement = placement_name(cluster);
  report.parallelism = p;
  report.global_batch = global_batch(cluster, p);
  report.sequence = context.model.sequence;
  report.time_s = timeline.makespan_s;
  const auto samples = static_cast<double>(report.global_batch);
  report.tokens_per_s = samples * context.model.sequence / report.time_s;
  report.time = time_parts(schedule, timeline);
  report.host_issue_s = schedule.host_issue_s;
  report.step = step_figures(context, schedule, timeline);
  add_compression(context, report);
  report.busiest_links = busiest_links(schedule, wiring, timeline);
  report.energy_j = cluster.gpu.power.base() * report.gpus * report.time_s;
  report.usd_per_million_tokens =
      (gpu_price(cluster) + network_price(cluster)).base() / report.tokens_per_s * 1e6;
  report.memory = memory_use(cluster, context.model, p, codec_memory(context, scheme));
  report.step->host_memory_bytes =
      cluster.gpus_per_node *
      (host_optimizer_bytes(cluster, context.model, p, context.calibration) +
       host_activation_bytes(context.model, p));
  report.fits_memory = report.memory.total() <= static_cast<double>(cluster.gpu.memory.count);
  report.bound = bound_of(report.time, report.time_s, report.busiest_links, "step",
                          "pipeline bubbles and waits");
  report.sources = sources_of(context, scheme);
  if (p.power_throttling) {
    report.sources["power"] =
        power_text(*context.calibration.published->power, cluster.gpu, schedule, timeline);
  }
  if (schedule.in_phase) report.sources["replicas"] = in_phase_text();
  if (schedule.approximate) report.sources["collectives"] = approximation(schedule.unfolded_flows);
  return report;
}

}  // namespace sim
