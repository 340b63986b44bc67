// SPDX-License-Identifier: Apache-2.0
// Ring: each rank passes 1/n of the buffer to the next one, n-1 times for an all_gather or a
// reduce_scatter, twice as often for an all_reduce.
#include <array>
#include <span>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// The rings of a group. Their legs are folded, one flow per few nodes, or the hops of each distinct
// ring in order; `unit` is per byte that each rank sends.
struct Rings {
  double step_s = 0;  // latency of one step: mean over the rings' hops
  double hops = 0;    // over all distinct rings
};

double mean_step_latency(const Topology& topology, const std::vector<Lane>& rings) {
  double sum = 0;
  double steps = 0;
  for (const Lane& ring : rings) {
    for (const Hop& hop : ring.hops) sum += ring.weight * topology.latency(hop).base();
    steps += ring.weight * static_cast<double>(ring.hops.size());
  }
  return sum / steps;
}

int rounds_of(CollectiveKind collective) {
  return collective == CollectiveKind::all_reduce ? 2 : 1;
}

// `steps` rounds of one ring. A rank's step follows its own last one and the arrival of what it
// passes on. NCCL sends in slices, so a slow hop's latency is paid where it is crossed and not by
// every rank at every step: each step has the rings' mean latency.
Ids ring_steps(ScheduleBuilder& builder, const Communicator& group, double step_s,
               std::span<const Leg> hops, double chunk, int steps, const Call& call,
               OperationId ready) {
  const std::size_t n = hops.size();
  Ids previous(n, ready);
  for (int step = 0; step < steps; ++step) {
    Ids current(n);
    const double latency_s = step_s + (step == 0 ? group.launch_s : 0);
    for (std::size_t i = 0; i < n; ++i) {
      const OperationId after[] = {previous[i], previous[(i + n - 1) % n]};
      current[i] = builder.flow(hops[i].route, hops[i].occupancy, call.phase, call.label, latency_s,
                                chunk * hops[i].unit, {after, step == 0 ? 1U : 2U});
    }
    previous = std::move(current);
  }
  return previous;
}

void run_rings(ScheduleBuilder& builder, const Communicator& group, const Rings& rings,
               std::span<const Leg> legs, CollectiveKind collective, double bytes,
               const Call& call) {
  const int steps = rounds_of(collective) * (group.size - 1);
  const double chunk = bytes / group.size;
  builder.count_unfolded(group.alike * steps * rings.hops);
  if (group.detail == Detail::folded) {
    run_legs(builder, group, legs, chunk * steps,
             {.before_s = group.launch_s, .on_the_way_s = steps * rings.step_s}, call);
    return;
  }
  run_collective(builder, group, call, [&](OperationId begin) {
    Ids ends;
    const auto n = static_cast<std::size_t>(group.size);
    for (std::size_t ring = 0; ring < legs.size(); ring += n) {
      const Ids last = ring_steps(builder, group, rings.step_s, legs.subspan(ring, n), chunk, steps,
                                  call, begin);
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
  const std::vector<Lane> lanes = ring_lanes(cluster, ranks);
  const Rings rings{.step_s = mean_step_latency(topology, lanes),
                    .hops = static_cast<double>(lanes.size() * ranks.size())};
  const auto run = [rings](ScheduleBuilder& builder, const Communicator& group,
                           std::span<const Leg> legs, CollectiveKind collective, double bytes,
                           const Call& call) {
    run_rings(builder, group, rings, legs, collective, bytes, call);
  };
  return {detail == Detail::folded ? fold_lanes(cluster, ranks, lanes) : list_hops(cluster, lanes),
          {rings.step_s},
          run};
}

constexpr std::array kRingCollectives{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                      CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::ring{
    .name = "ring",
    .runs = kRingCollectives,
    .lay_out = lay_out_rings,
    .sent = [](CollectiveKind collective, int ranks) {
      return rounds_of(collective) * (ranks - 1.0) / ranks;
    }};

}  // namespace sim
