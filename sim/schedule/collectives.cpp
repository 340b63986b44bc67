// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/collectives.hpp"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"

namespace sim {
namespace {

using Ids = std::vector<OperationId>;

// What the collective's start waits for: every rank's stream and dependency.
Ids arrivals(const ScheduleBuilder& builder, const Communicator& group, const Call& call) {
  Ids ids;
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    const OperationId last = builder.last(group.ranks[i], call.stream);
    if (last != kNoOperation) ids.push_back(last);
    if (!call.after.empty() && call.after[i] != last) ids.push_back(call.after[i]);
  }
  return ids;
}

void add_members(ScheduleBuilder& builder, const Communicator& group, const Call& call,
                 OperationId end) {
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    const auto after = call.after.empty() ? call.after : call.after.subspan(i, 1);
    builder.member(group.ranks[i], call.stream, call.phase, call.label, after, end);
  }
}

// A collective begins when the last rank has arrived and ends with the last of what `run` appends,
// given its begin. All the while it holds its SMs: NCCL's kernels are persistent.
template <class Run>
void run_collective(ScheduleBuilder& builder, const Communicator& group, const Call& call,
                    Run run) {
  const OperationId begin = builder.acquire(group.occupancy, arrivals(builder, group, call));
  add_members(builder, group, call, builder.release(group.occupancy, run(begin)));
}

// One flow a leg, all at once.
void run_legs(ScheduleBuilder& builder, const Communicator& group, const std::vector<Leg>& legs,
              double bytes, const ScheduleBuilder::Latency& latency, const Call& call) {
  run_collective(builder, group, call, [&](OperationId begin) {
    Ids flows;
    for (const Leg& leg : legs) {
      flows.push_back(builder.flow(leg.route, leg.occupancy, call.phase, call.label, latency,
                                   bytes * leg.unit, {&begin, 1}));
    }
    return flows;
  });
}

// `steps` rounds of one ring. A rank's step follows its own last one and the arrival of what it
// passes on. NCCL sends in slices, so a slow hop's latency is paid where it is crossed and not by
// every rank at every step: each step has the rings' mean latency.
Ids ring_steps(ScheduleBuilder& builder, const Communicator& group, const std::vector<Leg>& hops,
               double chunk, int steps, const Call& call, OperationId ready) {
  const std::size_t n = hops.size();
  Ids previous(n, ready);
  for (int step = 0; step < steps; ++step) {
    Ids current(n);
    const double latency_s = group.ring_step_s + (step == 0 ? group.launch_s : 0);
    for (std::size_t i = 0; i < n; ++i) {
      const OperationId after[] = {previous[i], previous[(i + n - 1) % n]};
      current[i] = builder.flow(hops[i].route, hops[i].occupancy, call.phase, call.label, latency_s,
                                chunk * hops[i].unit, {after, step == 0 ? 1U : 2U});
    }
    previous = std::move(current);
  }
  return previous;
}

// `times` rounds of n-1 steps, each passing on 1/n of the buffer.
void run_ring(ScheduleBuilder& builder, const Communicator& group, double bytes, int times,
              const Call& call) {
  const auto n = static_cast<int>(group.ranks.size());
  if (n < 2 || bytes <= 0) return;
  const int steps = times * (n - 1);
  const double chunk = bytes / n;
  builder.count_unfolded(steps * group.hops);
  if (group.detail == Detail::folded) {
    run_legs(builder, group, group.ring, chunk * steps,
             {.before_s = group.launch_s, .on_the_way_s = steps * group.ring_step_s}, call);
    return;
  }
  run_collective(builder, group, call, [&](OperationId begin) {
    Ids ends;
    for (const auto& hops : group.ring_hops) {
      const Ids last = ring_steps(builder, group, hops, chunk, steps, call, begin);
      ends.insert(ends.end(), last.begin(), last.end());
    }
    return ends;
  });
}

}  // namespace

void all_gather(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call) {
  run_ring(builder, group, bytes, 1, call);
}

void reduce_scatter(ScheduleBuilder& builder, const Communicator& group, double bytes,
                    const Call& call) {
  run_ring(builder, group, bytes, 1, call);
}

void all_reduce(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call) {
  run_ring(builder, group, bytes, 2, call);
}

void all_to_all(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call) {
  const auto n = static_cast<double>(group.ranks.size());
  if (n < 2 || bytes <= 0) return;
  builder.count_unfolded(n * (n - 1));
  run_legs(builder, group, group.all_to_all, bytes / n,
           {.before_s = group.launch_s + group.all_to_all_s}, call);
}

void all_reduce_scalar(const Cluster& cluster, ScheduleBuilder& builder, const Communicator& group,
                       const Call& call) {
  if (group.ranks.size() < 2) return;
  std::set<int> nodes;
  for (const int rank : group.ranks) nodes.insert(node_of(cluster, rank));
  const auto node_count = static_cast<double>(nodes.size());
  const double in_node = static_cast<double>(group.ranks.size()) / node_count - 1;
  const double one_way_s = in_node * cluster.nvlink.latency.base() +
                           std::ceil(std::log2(node_count)) * cluster.network.latency.base();
  builder.count_unfolded(1);
  const Leg latency_only{.route = builder.add_route({})};
  run_legs(builder, group, {latency_only}, 0, {.before_s = group.launch_s + 2 * one_way_s}, call);
}

OperationId send(const Topology& topology, ScheduleBuilder& builder, const Message& message,
                 const Call& call) {
  builder.count_unfolded(1);
  Route route{.hops = topology.path(message.source, message.destination)};
  double latency_s = topology.cluster().collectives.launch.base();
  for (const Hop& hop : route.hops) latency_s += topology.latency(hop).base();
  return builder.flow(builder.add_route(std::move(route)), 0, call.phase, call.label, latency_s,
                      message.bytes, call.after);
}

}  // namespace sim
