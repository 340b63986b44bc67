// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/pipeline_tasks.hpp"

#include <algorithm>

namespace sim {
namespace {

// Sizes of the groups in which micro-batches go through a stage's chunks: at least as many as there
// are stages, for a smaller group would make chunks wait for each other, and no two sizes differ by
// more than one. The larger ones are first.
std::vector<int> group_sizes(const Parallelism& p) {
  const int groups = std::max(1, p.accumulation / p.pipeline);
  std::vector<int> sizes(static_cast<std::size_t>(groups), p.accumulation / groups);
  for (int i = 0; i < p.accumulation % groups; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

// Passes in the order in which they go forward, or backward: there the last chunk comes first.
std::vector<Task> passes(const Parallelism& p, bool forward) {
  std::vector<Task> tasks;
  int first = 0;
  for (const int size : group_sizes(p)) {
    for (int i = 0; i < p.virtual_stages; ++i) {
      const int chunk = forward ? i : p.virtual_stages - 1 - i;
      for (int m = first; m < first + size; ++m) tasks.push_back({forward, m, chunk});
    }
    first += size;
  }
  return tasks;
}

// Forward passes before the first backward one. What a pair sends to the next stage, and to the last
// one, leaves at its end: a micro-batch is back after as many pairs as there are stages each way.
int warm_up(const Parallelism& p, int stage) {
  const int after = p.pipeline - stage - 1;
  const bool pairs = pairs_passes(p);
  const int of_chunks = p.virtual_stages > 1 ? (p.virtual_stages - 1) * group_sizes(p).front() : 0;
  const int passes = (p.virtual_stages > 1 || pairs ? 2 : 1) * after + of_chunks + (pairs ? 1 : 0);
  return std::min(passes, p.accumulation * p.virtual_stages);
}

// Micro-batches of the groups that are larger than the last one, and of that.
struct Groups {
  int larger = 0, last = 1;
  bool operator==(const Groups&) const = default;
};
Groups groups_of(const Parallelism& p) {
  if (p.virtual_stages == 1) return {};
  Groups groups{.last = group_sizes(p).back()};
  for (const int size : group_sizes(p)) groups.larger += size > groups.last ? size : 0;
  return groups;
}

}  // namespace

std::vector<Task> pipeline_tasks(const Parallelism& p, int stage) {
  const std::vector<Task> forwards = passes(p, true);
  const std::vector<Task> backwards = passes(p, false);
  const auto ahead = static_cast<std::size_t>(warm_up(p, stage));
  std::vector<Task> tasks(forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(ahead));
  for (std::size_t i = ahead; i < forwards.size(); ++i) {
    tasks.push_back(forwards[i]);
    tasks.push_back(backwards[i - ahead]);
  }
  tasks.insert(tasks.end(), backwards.end() - static_cast<std::ptrdiff_t>(ahead), backwards.end());
  return tasks;
}

PeriodicOrder periodic_order(const Parallelism& p, int stage) {
  const Groups groups = groups_of(p);
  const int pairs = groups.last * p.virtual_stages;
  const int before = groups.larger * p.virtual_stages;
  const int ahead = warm_up(p, stage);
  return {.first = ahead + 2 * before,
          .tasks = 2 * pairs,
          .periods = std::max(0, p.accumulation * p.virtual_stages - ahead - before) / pairs};
}

ShorterOrder with_periods(const Parallelism& p, int periods) {
  const int each = groups_of(p).last;
  const int left_out = std::max(0, periodic_order(p, 0).periods - periods);
  Parallelism shorter = p;
  shorter.accumulation -= left_out * each;
  if (groups_of(shorter) != groups_of(p)) return {p.accumulation, 0};
  return {shorter.accumulation, left_out};
}

int passes_in_flight(const Parallelism& p, int stage) {
  return std::min(warm_up(p, stage) + 1, p.accumulation * p.virtual_stages);
}

}  // namespace sim
