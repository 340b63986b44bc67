// SPDX-License-Identifier: Apache-2.0
// Splits the time of the rank that ends last into parts that sum to the step's time.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "sim/report/report.hpp"

namespace sim {
namespace {

// Parts in the order in which they claim an instant: what keeps the GPU busy hides the rest.
enum class Part { compute, optimizer, other, codec, host, exposed_comm, count };

std::optional<Part> part_of(const Operation& operation) {
  switch (operation.phase) {
    case Phase::forward:
    case Phase::backward:
    case Phase::recompute:
      return Part::compute;
    case Phase::optimizer:
      return Part::optimizer;
    case Phase::memory_pass:
      return Part::other;
    case Phase::encode:
    case Phase::decode:
      return Part::codec;
    case Phase::none:
      return std::nullopt;
    default:
      return Part::exposed_comm;
  }
}

// When bytes or latency of a member's collective were under way, until it ended: step by step, its
// last flows follow others, and a payload of several parts ends with all of them. What lies between, as where sites send at different times, is a wait; so is
// a flow of no phase, which only lets time pass.
std::vector<Interval> transfers(const Schedule& schedule, const Timeline& timeline,
                                const Operation& member) {
  std::vector<Interval> flows;
  const std::uint32_t end = schedule.dependencies_of(member).back();
  std::set<std::uint32_t> seen{end};
  std::vector<std::uint32_t> left{end};
  while (!left.empty()) {
    const std::uint32_t id = left.back();
    left.pop_back();
    const Operation& operation = schedule.operations[id];
    if (operation.kind == OperationKind::flow && operation.phase != Phase::none) {
      flows.push_back({timeline.start_s[id], timeline.end_s[id]});
    }
    for (const std::uint32_t earlier : schedule.dependencies_of(operation)) {
      const OperationKind kind = schedule.operations[earlier].kind;
      const bool is_part = operation.kind == OperationKind::barrier && kind == operation.kind;
      if ((kind == OperationKind::flow || is_part) && seen.insert(earlier).second)
        left.push_back(earlier);
    }
  }
  return flows;
}

bool issues(const Operation& operation) {
  return operation.kind == OperationKind::host && operation.phase == Phase::none;
}

bool copies(const Operation& operation) { return operation.phase == Phase::host_copy; }

// From when all else that an operation waits for was there until the last of those that are `awaited`
// was; empty where that was earlier.
Interval wait_for(const Schedule& schedule, const Timeline& timeline, const Operation& operation,
                  bool (*awaited)(const Operation& operation)) {
  Interval wait;
  for (const std::uint32_t earlier : schedule.dependencies_of(operation)) {
    double& ready = awaited(schedule.operations[earlier]) ? wait.end_s : wait.start_s;
    ready = std::max(ready, timeline.end_s[earlier]);
  }
  return wait;
}

// The same of a kernel or a collective for its host, which a barrier joins with the rest where there is
// one.
Interval host_wait(const Schedule& schedule, const Timeline& timeline, const Operation& operation) {
  Interval wait = wait_for(schedule, timeline, operation, issues);
  for (const std::uint32_t earlier : schedule.dependencies_of(operation)) {
    const Operation& start = schedule.operations[earlier];
    if (start.kind != OperationKind::barrier) continue;
    const Interval one = wait_for(schedule, timeline, start, issues);
    if (one.end_s - one.start_s > wait.end_s - wait.start_s) wait = one;
  }
  return wait;
}

struct Edge {
  double time_s;
  int change;  // +1 begins, -1 ends
  Part part;
  Phase phase;
};

std::vector<Edge> edges_of_rank(const Schedule& schedule, const Timeline& timeline, int rank,
                                const Interval& within) {
  std::vector<Edge> edges;
  double ends_s = 0, host_ends_s = 0;  // of the kernels and collectives, and of the host
  const auto add = [&](double start_s, double end_s, Part part, Phase phase) {
    start_s = std::max(start_s, within.start_s);
    end_s = std::min(end_s, within.end_s);
    if (start_s >= end_s) return;
    ends_s = std::max(ends_s, end_s);
    edges.push_back({start_s, +1, part, phase});
    edges.push_back({end_s, -1, part, phase});
  };
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.rank == rank && issues(operation)) {
      host_ends_s = std::max(host_ends_s, timeline.end_s[id]);
    }
    const auto part = part_of(operation);
    if (operation.rank != rank || !part || std::isnan(timeline.end_s[id])) continue;
    if (copies(operation)) continue;
    const Interval whole{timeline.start_s[id], timeline.end_s[id]};
    if (operation.kind == OperationKind::member) {
      for (const Interval& one : transfers(schedule, timeline, operation)) {
        add(std::max(one.start_s, whole.start_s), std::min(one.end_s, whole.end_s), *part,
            operation.phase);
      }
    } else {
      add(whole.start_s, whole.end_s, *part, operation.phase);
    }
    const Interval wait = host_wait(schedule, timeline, operation);
    add(wait.start_s, wait.end_s, Part::host, operation.phase);
    if (operation.kind != OperationKind::work) continue;
    // Copies run beside all else; what counts is who waits for them.
    const Interval copy = wait_for(schedule, timeline, operation, copies);
    add(copy.start_s, copy.end_s, Part::exposed_comm, Phase::host_copy);
  }
  // The host of a step that it bounds ends last.
  add(ends_s, host_ends_s, Part::host, Phase::none);
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time_s < b.time_s; });
  return edges;
}

// How many operations of each part and phase run at an instant.
struct Running {
  std::array<int, static_cast<std::size_t>(Part::count)> parts{};
  std::map<Phase, int> communication;

  void apply(const Edge& edge) {
    parts[static_cast<std::size_t>(edge.part)] += edge.change;
    if (edge.part == Part::exposed_comm) communication[edge.phase] += edge.change;
  }
  [[nodiscard]] bool has(Part part) const { return parts[static_cast<std::size_t>(part)] > 0; }
};

void add_interval(const Running& running, double seconds, TimeParts& parts) {
  if (running.has(Part::compute)) {
    parts.compute_s += seconds;
  } else if (running.has(Part::optimizer)) {
    parts.optimizer_s += seconds;
  } else if (running.has(Part::other)) {
    parts.other_s += seconds;
  } else if (running.has(Part::codec)) {
    parts.codec_s += seconds;
  } else if (running.has(Part::host)) {
    parts.host_s += seconds;
  } else if (running.has(Part::exposed_comm)) {
    parts.exposed_comm_s += seconds;
    for (const auto& [phase, count] : running.communication) {
      if (count == 0) continue;
      parts.exposed_by_phase_s[phase] += seconds;
      break;
    }
  } else {
    parts.bubble_s += seconds;
  }
}

}  // namespace

int last_rank(const Schedule& schedule, const Timeline& timeline) {
  int rank = 0;
  double end = -1;
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    if (schedule.operations[id].rank >= 0 && timeline.end_s[id] > end) {
      end = timeline.end_s[id];
      rank = schedule.operations[id].rank;
    }
  }
  return rank;
}

TimeParts time_parts(const Schedule& schedule, const Timeline& timeline, int rank,
                     const Interval& within) {
  TimeParts parts;
  Running running;
  double now = timeline.in_step(within.start_s);
  for (const Edge& edge : edges_of_rank(schedule, timeline, rank, within)) {
    const double next = timeline.in_step(edge.time_s);
    add_interval(running, next - now, parts);
    running.apply(edge);
    now = next;
  }
  parts.bubble_s += timeline.in_step(within.end_s) - now;
  return parts;
}

TimeParts time_parts(const Schedule& schedule, const Timeline& timeline) {
  const double played_s = timeline.makespan_s - timeline.repeated.seconds();
  return time_parts(schedule, timeline, last_rank(schedule, timeline), {0, played_s});
}

}  // namespace sim
