// SPDX-License-Identifier: Apache-2.0
// What to change when a job does not fit.
#include <fmt/format.h>

#include <algorithm>

#include "sim/workload/memory.hpp"

namespace sim {
namespace {

struct Remedy {
  std::string fields;
  Parallelism changed;
};

// Changes of one field each, those that cost least speed first.
std::vector<Remedy> remedies(const Cluster& cluster, const Model& model, const Parallelism& p) {
  std::vector<Remedy> all;
  const auto add = [&](std::string fields, auto change) {
    Parallelism changed = p;
    change(changed);
    if (problems(cluster, model, changed).empty()) all.push_back({std::move(fields), changed});
  };
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
    add(fmt::format("`zero` {}", stage), [&](Parallelism& c) { c.sharding.stage = stage; });
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
  return all;
}

}  // namespace

std::vector<std::string> what_would_fit(const MemoryJob& job, double capacity_bytes) {
  const auto next = [&](const Parallelism& p) { return remedies(job.cluster, job.model, p); };
  const auto needs = [&](const Parallelism& p) {
    return memory_use(job.cluster, job.model, p, job.codec).total();
  };
  std::vector<std::string> fitting;
  for (const Remedy& remedy : next(job.parallelism)) {
    const double bytes = needs(remedy.changed);
    if (bytes > capacity_bytes) continue;
    fitting.push_back(fmt::format("{} ({:.1f} GB)", remedy.fields, bytes / 1e9));
  }
  if (!fitting.empty()) return fitting;
  Parallelism p = job.parallelism;
  std::string fields;
  for (;;) {
    const std::vector<Remedy> changes = next(p);
    const auto best = std::min_element(
        changes.begin(), changes.end(),
        [&](const auto& a, const auto& b) { return needs(a.changed) < needs(b.changed); });
    if (best == changes.end() || needs(best->changed) >= needs(p)) return {};
    fields += (fields.empty() ? "" : " ") + best->fields;
    p = best->changed;
    if (needs(p) <= capacity_bytes) return {fmt::format("{} ({:.1f} GB)", fields, needs(p) / 1e9)};
  }
}

}  // namespace sim
