// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/serial.hpp"

#include <algorithm>
#include <vector>

#include "sim/collectives/communicator.hpp"
#include "sim/topology/topology.hpp"

namespace sim::validation {
namespace {

// Bytes per second out of a node when `communicators` of it send at once.
double node_rate(const Cluster& cluster, double communicators) {
  const double nics = cluster.network.nics_per_node * nic_rate(cluster).base();
  const auto cap = cluster.fitted.communicator_bandwidth;
  return cap ? std::min(nics, communicators * cap->base()) : nics;
}

struct GpuSeconds {
  double passes = 0, others = 0;
  [[nodiscard]] double all() const { return passes + others; }
};

GpuSeconds busiest_gpu(const Schedule& schedule) {
  std::vector<GpuSeconds> ranks(static_cast<std::size_t>(schedule.ranks));
  for (const Operation& one : schedule.operations) {
    if (one.kind != OperationKind::work || one.rank < 0) continue;
    GpuSeconds& rank = ranks.at(static_cast<std::size_t>(one.rank));
    const bool is_pass = one.phase == Phase::forward || one.phase == Phase::backward ||
                         one.phase == Phase::recompute;
    (is_pass ? rank.passes : rank.others) += one.seconds;
  }
  return *std::ranges::max_element(ranks, {}, &GpuSeconds::all);
}

}  // namespace

// A ring moves on both levels at once; two levels follow each other.
double phase_seconds(const StepContext& context, const Scheme& scheme, const Schedule& schedule,
                     Phase phase) {
  const Cluster& cluster = context.cluster;
  const WireBytes wire = mean_sent(schedule, phase);
  const bool is_ring =
      phase != Phase::gradient_comm || scheme.gradients.algorithm == &reductions::ring;
  const double gpus = cluster.gpus_per_node;
  const auto over = [](double bytes, double rate) { return bytes > 0 ? bytes / rate : 0; };
  const double communicators = is_ring ? std::min<double>(gpus, context.parallelism.tensor) : gpus;
  const double inside = over(wire.intra_node, gpu_rate(cluster).base());
  const double between = over(wire.inter_node * gpus, node_rate(cluster, communicators));
  return is_ring ? std::max(inside, between) : inside + between;
}

double communication_seconds(const StepContext& context, const Scheme& scheme,
                             const Schedule& schedule) {
  double seconds = 0;
  for (const Phase phase : {Phase::gradient_comm, Phase::weight_comm, Phase::tensor_comm,
                            Phase::pipeline_comm, Phase::expert_comm, Phase::context_comm}) {
    seconds += phase_seconds(context, scheme, schedule, phase);
  }
  return seconds;
}

double serial_seconds(const StepContext& context, const Scheme& scheme) {
  const Schedule schedule = plan_step(context, scheme).schedule;
  const GpuSeconds gpu = busiest_gpu(schedule);
  const Parallelism& p = context.parallelism;
  const double bubble = double{1} * (p.pipeline - 1) / (p.accumulation * p.virtual_stages);
  return gpu.all() + bubble * gpu.passes + communication_seconds(context, scheme, schedule);
}

}  // namespace sim::validation
