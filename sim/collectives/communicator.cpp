// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/communicator.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/collectives/channels.hpp"
#include "sim/collectives/legs.hpp"

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

}  // namespace

Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                             std::vector<std::int32_t> ranks) {
  const double memory_rate = gpu.memory_bandwidth.base() * gpu.memory_efficiency;
  return {.multiprocessor_share = std::min(1.0, channels / gpu.multiprocessors),
          .memory_s_per_byte = kMemoryBytesPerWireByte * wire_bytes / memory_rate,
          .ranks = std::move(ranks)};
}

Communicator make_communicator(const Topology& topology, ScheduleBuilder& builder,
                               std::vector<int> ranks, Detail detail, const Uses& uses) {
  require(std::is_sorted(ranks.begin(), ranks.end()), "ranks ascend");
  const Cluster& cluster = topology.cluster();
  Communicator group{.ranks = std::move(ranks), .id = builder.add_communicator()};
  group.launch_s = cluster.collectives.launch.base();
  group.detail = detail;
  if (group.ranks.size() < 2) return group;

  if (detail == Detail::folded && !lie_evenly(cluster, group.ranks)) builder.note_approximate();
  group.occupancy = builder.add_occupancy(transfer_occupancy(
      cluster.gpu, cluster.collectives.channels, 0, {group.ranks.begin(), group.ranks.end()}));
  const MakeLegs make = [&](std::vector<LegDraft> drafts) {
    std::vector<Leg> legs;
    for (LegDraft& draft : drafts) {
      const auto occupancy = builder.add_occupancy(traffic_of(cluster, draft));
      const auto route = builder.add_route(
          {.hops = std::move(draft.hops), .communicator = group.id, .channels = draft.channels});
      legs.push_back({.route = route, .occupancy = occupancy, .unit = draft.unit});
    }
    return legs;
  };
  for (const CollectiveKind collective : uses) {
    const CollectiveAlgorithm& algorithm = algorithm_of(cluster, collective);
    auto laid = std::ranges::find(group.laid_out, &algorithm, &Communicator::LaidOut::algorithm);
    if (laid == group.laid_out.end()) {
      laid = group.laid_out.insert(
          laid, {&algorithm, algorithm.lay_out(topology, group.ranks, detail, make)});
    }
    laid->chosen_for.push_back(collective);
  }
  return group;
}

Uses gathers_and_sums() {
  return {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce};
}

Uses every_collective() {
  Uses uses = gathers_and_sums();
  uses.push_back(CollectiveKind::all_to_all);
  return uses;
}

const Run& Communicator::run(CollectiveKind collective) const {
  const auto found = std::ranges::find_if(laid_out, [&](const LaidOut& one) {
    return std::ranges::find(one.chosen_for, collective) != one.chosen_for.end();
  });
  require(found != laid_out.end(), "a collective that the communicator was made for");
  return found->run;
}

}  // namespace sim
