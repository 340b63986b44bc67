// SPDX-License-Identifier: Apache-2.0
// What to change when a job does not fit, of any kind of job.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/workload/memory.hpp"
#include "sim/workload/stacks.hpp"

namespace sim {

// A job with one of its fields changed.
template <class Job>
struct Remedy {
  std::string fields;  // as an error names them: "`zero` 3"
  Job changed;
};

// Changes of one field each, those that cost least speed first. Another stage of ZeRO brings the
// software that is `open` with it; none: it changes nothing else.
[[nodiscard]] std::vector<Remedy<Parallelism>> layout_remedies(const Cluster& cluster,
                                                               const Model& model,
                                                               const Parallelism& parallelism,
                                                               const OpenSoftware* open = nullptr);

// Changes of fields that bring a job within `capacity_bytes`: "`zero` 3 (31.2 GB)". Each remedy that
// suffices alone; if none does, the ones that save the most memory, one after another, until the job
// fits; nothing if all of them are not enough. `next`: the remedies of a job; `needs`: its bytes.
template <class Job, class Next, class Needs>
std::vector<std::string> remedies_that_fit(Job job, double capacity_bytes, Next next, Needs needs) {
  const auto text = [&](const std::string& fields, const Job& changed) {
    return fmt::format("{} ({:.1f} GB)", fields, needs(changed) / 1e9);
  };
  std::vector<std::string> fitting;
  for (const Remedy<Job>& remedy : next(job)) {
    if (needs(remedy.changed) > capacity_bytes) continue;
    fitting.push_back(text(remedy.fields, remedy.changed));
  }
  if (!fitting.empty()) return fitting;
  std::string fields;
  for (;;) {
    std::vector<Remedy<Job>> changes = next(job);
    const auto best = std::min_element(
        changes.begin(), changes.end(),
        [&](const auto& a, const auto& b) { return needs(a.changed) < needs(b.changed); });
    if (best == changes.end() || needs(best->changed) >= needs(job)) return {};
    fields += (fields.empty() ? "" : " ") + best->fields;
    job = std::move(best->changed);
    if (needs(job) <= capacity_bytes) return {text(fields, job)};
  }
}

}  // namespace sim
