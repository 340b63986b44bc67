// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/communicator.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/schedule/legs.hpp"

namespace sim {
namespace {

// Bytes that pass through a GPU's memory for each byte on a link: written on arrival, read by the
// collective's kernel, written on.
constexpr double kMemoryBytesPerWireByte = 3;

// The memory traffic that a leg takes from the GPUs that send: that of what the busiest of them sends.
Occupancy traffic_of(const Cluster& cluster, const LegDraft& draft) {
  std::map<int, double> shares;  // by rank
  for (const Hop& hop : draft.hops) shares[hop.source] += hop.times;
  double busiest = 0;
  std::vector<std::int32_t> senders;
  for (const auto& [rank, sent] : shares) {
    busiest = std::max(busiest, sent);
    senders.push_back(rank);
  }
  return transfer_occupancy(cluster.gpu, 0, busiest, std::move(senders));
}

double mean_step_latency(const Topology& topology, const std::vector<Ring>& rings) {
  double sum = 0;
  double steps = 0;
  for (const Ring& ring : rings) {
    for (const Hop& hop : ring.hops) sum += ring.weight * topology.latency(hop).base();
    steps += ring.weight * static_cast<double>(ring.hops.size());
  }
  return sum / steps;
}

double farthest_latency(const Topology& topology, const std::vector<LegDraft>& legs) {
  double farthest = 0;
  for (const LegDraft& leg : legs) {
    for (const Hop& hop : leg.hops) {
      farthest = std::max(farthest, topology.latency(hop).base());
    }
  }
  return farthest;
}

class LegMaker {
 public:
  LegMaker(const Cluster& cluster, ScheduleBuilder& builder, std::int32_t communicator)
      : cluster_(cluster), builder_(builder), communicator_(communicator) {}

  Leg operator()(LegDraft draft) {
    const auto occupancy = builder_.add_occupancy(traffic_of(cluster_, draft));
    const auto route = builder_.add_route(
        {.hops = std::move(draft.hops), .communicator = communicator_, .channels = draft.channels});
    return {.route = route, .occupancy = occupancy, .unit = draft.unit};
  }
  std::vector<Leg> operator()(std::vector<LegDraft> drafts) {
    std::vector<Leg> legs;
    for (LegDraft& draft : drafts) legs.push_back((*this)(std::move(draft)));
    return legs;
  }

 private:
  const Cluster& cluster_;
  ScheduleBuilder& builder_;
  std::int32_t communicator_;
};

void lay_rings(const Topology& topology, LegMaker& make, Communicator& group) {
  const Cluster& cluster = topology.cluster();
  const std::vector<Ring> rings = ring_channels(cluster, group.ranks);
  group.ring_step_s = mean_step_latency(topology, rings);
  group.hops = static_cast<double>(rings.size() * group.ranks.size());
  if (group.detail == Detail::folded) {
    group.ring = make(fold_rings(cluster, group.ranks, rings));
    return;
  }
  for (const Ring& ring : rings) {
    auto& hops = group.ring_hops.emplace_back();
    const double unit = ring.weight / static_cast<double>(cluster.collectives.channels);
    const double channels = ring.weight;
    for (const Hop& hop : ring.hops) {
      hops.push_back(make({.hops = {hop}, .unit = unit, .channels = channels}));
    }
  }
}

void lay_all_to_all(const Topology& topology, LegMaker& make, Communicator& group) {
  auto legs = group.detail == Detail::folded ? fold_all_to_all(topology, group.ranks)
                                             : list_pairs(topology, group.ranks);
  group.all_to_all_s = farthest_latency(topology, legs);
  group.all_to_all = make(std::move(legs));
}

}  // namespace

Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                             std::vector<std::int32_t> ranks) {
  const double memory_rate = gpu.memory_bandwidth.base() * gpu.memory_efficiency;
  return {.multiprocessor_share = std::min(1.0, channels / gpu.multiprocessors),
          .memory_s_per_byte = kMemoryBytesPerWireByte * wire_bytes / memory_rate,
          .ranks = std::move(ranks)};
}

Communicator make_communicator(const Topology& topology, ScheduleBuilder& builder,
                               std::vector<int> ranks, Detail detail, Uses uses) {
  require(std::is_sorted(ranks.begin(), ranks.end()), "ranks ascend");
  const Cluster& cluster = topology.cluster();
  Communicator group{.ranks = std::move(ranks), .id = builder.add_communicator()};
  group.launch_s = cluster.collectives.launch.base();
  group.detail = detail;
  if (group.ranks.size() < 2) return group;

  if (detail == Detail::folded && !lie_evenly(cluster, group.ranks)) builder.note_approximate();
  group.occupancy = builder.add_occupancy(transfer_occupancy(
      cluster.gpu, cluster.collectives.channels, 0, {group.ranks.begin(), group.ranks.end()}));
  LegMaker make(cluster, builder, group.id);
  if (uses.ring) lay_rings(topology, make, group);
  if (uses.all_to_all) lay_all_to_all(topology, make, group);
  return group;
}

}  // namespace sim
