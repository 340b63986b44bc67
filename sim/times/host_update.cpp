// SPDX-License-Identifier: Apache-2.0
#include "sim/times/host_update.hpp"

#include <fmt/format.h>

#include "sim/workload/memory.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {

double host_pass_s(const Calibration& calibration, double bytes) {
  return bytes / calibration.host_codecs->copy_bandwidth->base();
}

bool hosts_take_step(const Parallelism& p, const Calibration& calibration) {
  return p.optimizer_state == OptimizerState::host && p.optimizer != Optimizer::muon &&
         calibration.host_codecs != nullptr;
}

double host_optimizer_bytes(const Cluster& cluster, const Model& model, const Parallelism& p,
                            const Calibration& calibration) {
  if (p.optimizer_state == OptimizerState::gpu) return 0;
  const bool own_weights =
      p.sharding.stage == 3 && (hosts_take_step(p, calibration) || weights_on_hosts(p));
  double bytes = 0;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    bytes += optimizer_bytes(cluster, model, p, stage);
    if (own_weights) {
      bytes +=
          updated_weight_bytes(p) * shard_parameters(cluster, p, stage_parameters(model, p, stage));
    }
  }
  return bytes / p.pipeline;
}

std::string host_copies_source(const Cluster& cluster) {
  return fmt::format("copies at {:.4g} GB/s per GPU and direction",
                     host_copy_rate(cluster).value_or(Bandwidth()) / 1_GBps);
}

std::string offloaded_source(const Cluster& cluster, const Parallelism& p) {
  if (p.offloaded_layers == 0) return "";
  return fmt::format("of {} layers of each virtual stage on the hosts; {}",
                     offloaded_text(p.offloaded_layers), host_copies_source(cluster));
}

std::string optimizer_state_source(const Cluster& cluster, const Parallelism& p,
                                   const Calibration& calibration) {
  if (p.optimizer_state == OptimizerState::gpu) return "";
  return fmt::format("{}on the hosts{}; {}", weights_on_hosts(p) ? "and weights " : "",
                     hosts_take_step(p, calibration) ? ", which update" : "",
                     host_copies_source(cluster));
}

}  // namespace sim
