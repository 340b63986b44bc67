// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/memory_remedies.hpp"

namespace sim {

std::vector<Remedy<Parallelism>> layout_remedies(const Cluster& cluster, const Model& model,
                                                 const Parallelism& p, const OpenSoftware* open) {
  std::vector<Remedy<Parallelism>> all;
  const auto add = [&](std::string fields, auto change) {
    Parallelism changed = p;
    change(changed);
    if (problems(cluster, model, changed).empty()) all.push_back({std::move(fields), changed});
  };
  if (accumulates_whole(p)) {
    add("`gradient-sync` micro-batch", [](Parallelism& c) { c.sharding.reduces_once = false; });
  }
  if (p.loss == Loss::unfused) {
    add("`loss` fused", [](Parallelism& c) { c.loss = Loss::fused; });
  }
  if (p.attention == Attention::unfused) {
    add("`attention` fused", [](Parallelism& c) { c.attention = Attention::fused; });
  }
  if (p.tensor > 1 && !p.sequence_parallel) {
    add("`sequence-parallel` on", [](Parallelism& c) { c.sequence_parallel = true; });
  }
  for (int stage = p.sharding.stage + 1; stage <= 3; ++stage) {
    add(fmt::format("`zero` {}", stage), [&](Parallelism& c) {
      if (open != nullptr) c = at_stage(c, stage, *open);
      c.sharding.stage = stage;
    });
  }
  if (p.sharding.ranks > 0) {
    add("no `hybrid-shard`", [](Parallelism& c) { c.sharding.ranks = 0; });
  }
  if (p.micro_batch > 1) {
    const int half = p.micro_batch / 2;
    add(fmt::format("`micro-batch` {}", half), [&](Parallelism& c) { c.micro_batch = half; });
  }
  if (p.recompute < Recompute::alternate && is_fused(p.attention)) {
    add("`recompute` alternate", [](Parallelism& c) { c.recompute = Recompute::alternate; });
  }
  if (p.recompute != Recompute::full) {
    add("`recompute` full", [](Parallelism& c) { c.recompute = Recompute::full; });
  }
  for (int tensor = 2 * p.tensor; tensor <= cluster.gpus_per_node; tensor *= 2) {
    add(fmt::format("`tp` {}", tensor), [&](Parallelism& c) { c.tensor = tensor; });
  }
  if (has_experts_to_choose(model)) {
    for (int expert = 2 * p.expert; expert <= model.experts.count; expert *= 2) {
      add(fmt::format("`ep` {}", expert), [&](Parallelism& c) { c.expert = expert; });
    }
  }
  for (int parts = 2 * p.context; model.sequence / parts >= kLeastPartOfSequence; parts *= 2) {
    add(fmt::format("`cp` {}", parts), [&](Parallelism& c) { c.context = parts; });
  }
  if (p.offloaded_layers < kAllLayers) {
    add("`offload-activations` all", [](Parallelism& c) { c.offloaded_layers = kAllLayers; });
  }
  if (p.optimizer_state == OptimizerState::gpu) {
    add("`optimizer-state` host", [](Parallelism& c) { c.optimizer_state = OptimizerState::host; });
  }
  return all;
}

}  // namespace sim
