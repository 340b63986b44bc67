// SPDX-License-Identifier: Apache-2.0
// Ring: each rank passes 1/n of the buffer to the next one, n-1 times for an all_gather or a
// reduce_scatter, twice as often for an all_reduce.
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/nccl/group.hpp"
#include "sim/collectives/protocols.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// The rings of a group. Their legs are folded, one flow per few nodes, or the hops of each distinct
// ring in order; `unit` is per byte that each rank sends.
struct RingCosts {
  double ranks = 0;
  double hops = 0;        // over all distinct rings
  double s_per_byte = 0;  // at full rate
  double own_copy_s_per_byte = 0;
  ProtocolCosts costs;                       // a step has the mean latency of the rings' hops
  std::shared_ptr<const nccl::Tuner> tuner;  // null: all channels carry whatever there is
};

// Of each protocol that is known for all links.
ProtocolTimes mean_step_latencies(const Topology& topology, const Paces& paces,
                                  const Rings& rings) {
  ProtocolTimes sums{};
  double steps = 0;
  std::vector<Hop> hops;
  for (std::size_t ring = 0; ring < rings.size(); ++ring) {
    const int weight = rings.weight(ring);
    for (std::size_t node = 0; node < rings.nodes(); ++node) {
      hops.clear();
      rings.append(ring, node, hops);
      for (const Hop& hop : hops) {
        const ProtocolTimes latencies = step_latencies(topology, paces, hop);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * latencies[i];
      }
      steps += weight * static_cast<double>(hops.size());
    }
  }
  for (double& sum : sums) sum /= steps;
  return sums;
}

int rounds_of(CollectiveKind collective) {
  return collective == CollectiveKind::all_reduce ? 2 : 1;
}

std::optional<Duration> estimate_rings(const RingCosts& rings, const Order& order) {
  const auto& cost = at(rings.costs, order.protocol);
  if (!cost) return std::nullopt;
  const double steps = rounds_of(order.collective) * (rings.ranks - 1);
  const double share = order.bytes / rings.ranks;
  const double slower = slower_s_per_byte(rings.tuner.get(), nccl::Algorithm::ring, order,
                                          rings.s_per_byte, cost->s_per_byte);
  const bool copies =
      order.buffers == Buffers::out_of_place && order.collective != CollectiveKind::all_reduce;
  return Duration{.before_s = cost->launch_s,
                  .on_the_way_s = steps * (cost->step_s + share * slower) +
                                  (copies ? share * rings.own_copy_s_per_byte : 0),
                  .moving_s = steps * share * rings.s_per_byte};
}

// `steps` rounds of one ring. A rank's step follows its own last one and the arrival of what it
// passes on. NCCL sends in slices, so a slow hop's latency is paid where it is crossed and not by
// every rank at every step: each step has the rings' mean latency.
Ids ring_steps(ScheduleBuilder& builder, const Duration& duration, std::span<const Leg> hops,
               double chunk, int steps, const Call& call, OperationId ready) {
  const std::size_t n = hops.size();
  Ids previous(n, ready);
  const double step_s = duration.on_the_way_s / steps;
  for (int step = 0; step < steps; ++step) {
    Ids current(n);
    const double latency_s = step_s + (step == 0 ? duration.before_s : 0);
    for (std::size_t i = 0; i < n; ++i) {
      const OperationId after[] = {previous[i], previous[(i + n - 1) % n]};
      current[i] = builder.flow(hops[i].route, hops[i].occupancy, call.phase, call.label, latency_s,
                                chunk * hops[i].unit, {after, step == 0 ? 1U : 2U});
    }
    previous = std::move(current);
  }
  return previous;
}

void run_rings(ScheduleBuilder& builder, const Communicator& group, const RingCosts& rings,
               std::span<const Leg> legs, const Order& order, const Call& call) {
  const Duration duration = estimate_rings(rings, order).value();
  const int steps = rounds_of(order.collective) * (group.size - 1);
  const double chunk = order.bytes / group.size;
  builder.count_unfolded(group.alike * steps * rings.hops);
  if (group.detail == Detail::folded) {
    run_legs(builder, group, legs, chunk * steps, latency_of(duration), call);
    return;
  }
  run_collective(builder, group, call, [&](OperationId begin) {
    Ids ends;
    const auto n = static_cast<std::size_t>(group.size);
    for (std::size_t ring = 0; ring < legs.size(); ring += n) {
      const Ids last =
          ring_steps(builder, duration, legs.subspan(ring, n), chunk, steps, call, begin);
      ends.insert(ends.end(), last.begin(), last.end());
    }
    return ends;
  });
}

std::vector<LegDraft> list_hops(const Cluster& cluster, const std::vector<Lane>& rings) {
  std::vector<LegDraft> legs;
  for (const Lane& ring : rings) {
    const double unit = ring.weight / static_cast<double>(cluster.collectives.channels);
    const double channels = ring.weight;
    for (const Hop& hop : ring.hops) {
      legs.push_back({.hops = {hop}, .unit = unit, .channels = channels});
    }
  }
  return legs;
}

LaidOut lay_out_rings(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const Rings rings(cluster, ranks);
  std::vector<LegDraft> legs = detail == Detail::folded ? fold_rings(cluster, ranks, rings)
                                                        : list_hops(cluster, rings.lanes());
  const Busiest busiest = busiest_of(topology, legs);
  const Paces paces = paces_of(cluster);
  const ProtocolTimes latencies = mean_step_latencies(topology, paces, rings);
  const auto step_s = [&](Protocol protocol) {
    return latencies[static_cast<std::size_t>(protocol)];
  };
  const RingCosts costs{.ranks = static_cast<double>(ranks.size()),
                        .hops = static_cast<double>(rings.size() * ranks.size()),
                        .s_per_byte = busiest.seconds(),
                        .own_copy_s_per_byte = own_copy_s_per_byte(cluster),
                        .costs = protocol_costs(cluster, paces, busiest, step_s),
                        .tuner = nccl::tuner_of(cluster, ranks, count_nodes(cluster, ranks))};
  std::vector<double> pace = values_of(costs.costs);
  pace.push_back(costs.s_per_byte);
  const auto run = [costs](ScheduleBuilder& builder, const Communicator& group,
                           std::span<const Leg> laid, const Order& order, const Call& call) {
    run_rings(builder, group, costs, laid, order, call);
  };
  return {std::move(legs), std::move(pace), run,
          [costs](const Order& order) { return estimate_rings(costs, order); }};
}

constexpr std::array kRingCollectives{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                      CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::ring{
    .name = "ring",
    .runs = kRingCollectives,
    .lay_out = lay_out_rings,
    .sent = [](CollectiveKind collective, int ranks,
               int /*nodes*/) { return rounds_of(collective) * (ranks - 1.0) / ranks; },
    .nccl = nccl::Algorithm::ring};

}  // namespace sim
