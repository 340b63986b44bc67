// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/communicator.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/collectives/channels.hpp"

namespace sim {
namespace {

// Bytes that pass through a GPU's memory for each byte on a link: written on arrival, read by the
// collective's kernel, written on.
constexpr double kMemoryBytesPerWireByte = 3;

}  // namespace

Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                             std::vector<std::int32_t> ranks) {
  const double memory_rate = gpu.memory_bandwidth.base() * gpu.memory_efficiency;
  return {.multiprocessor_share = std::min(1.0, channels / gpu.multiprocessors),
          .memory_s_per_byte = kMemoryBytesPerWireByte * wire_bytes / memory_rate,
          .ranks = std::move(ranks)};
}

Occupancy traffic_of(const Gpu& gpu, const std::vector<Hop>& hops) {
  std::vector<std::pair<int, double>> shares;  // by rank
  for (const Hop& hop : hops) shares.emplace_back(hop.source, hop.times);
  std::ranges::sort(shares, {}, [](const auto& one) { return one.first; });
  double busiest = 0;
  std::vector<std::int32_t> senders;
  double sent = 0;
  for (const auto& [rank, times] : shares) {
    if (senders.empty() || senders.back() != rank) {
      senders.push_back(rank);
      sent = 0;
    }
    busiest = std::max(busiest, sent += times);
  }
  return transfer_occupancy(gpu, 0, busiest, std::move(senders));
}

GroupDraft draft_group(const Topology& topology, std::vector<int> ranks, Detail detail,
                       const Uses& uses) {
  require(std::is_sorted(ranks.begin(), ranks.end()), "ranks ascend");
  const Cluster& cluster = topology.cluster();
  GroupDraft group{.ranks = std::move(ranks)};
  for (std::size_t i = 1; i < group.ranks.size(); ++i) {
    if (node_of(cluster, group.ranks[i]) != node_of(cluster, group.ranks[i - 1])) ++group.nodes;
  }
  if (group.ranks.size() < 2) return group;
  group.even = lie_evenly(cluster, group.ranks);
  for (const CollectiveKind collective : uses) {
    const CollectiveAlgorithm& algorithm = algorithm_of(cluster, collective);
    auto laid = std::ranges::find(group.laid, &algorithm, &GroupDraft::Laid::algorithm);
    if (laid == group.laid.end()) {
      laid = group.laid.insert(
          laid, {.algorithm = &algorithm, .out = algorithm.lay_out(topology, group.ranks, detail)});
    }
    laid->chosen_for.push_back(collective);
  }
  return group;
}

Communicator add_group(const Topology& topology, ScheduleBuilder& builder, GroupDraft draft,
                       Detail detail) {
  const Cluster& cluster = topology.cluster();
  if (detail == Detail::folded && !draft.even) builder.note_approximate();
  const auto size = static_cast<int>(draft.ranks.size());
  Communicator group{.ranks = std::move(draft.ranks),
                     .size = size,
                     .nodes = draft.nodes,
                     .id = builder.add_communicator(),
                     .launch_s = cluster.collectives.launch.base(),
                     .detail = detail};
  if (group.size < 2) return group;
  group.occupancy = builder.add_occupancy(transfer_occupancy(
      cluster.gpu, cluster.collectives.channels, 0, {group.ranks.begin(), group.ranks.end()}));
  for (GroupDraft::Laid& one : draft.laid) {
    Communicator::Laid& laid = group.laid.emplace_back();
    laid.chosen_for = std::move(one.chosen_for);
    laid.run = std::move(one.out.run);
    for (LegDraft& leg : one.out.legs) {
      const auto occupancy = builder.add_occupancy(traffic_of(cluster.gpu, leg.hops));
      const auto route = builder.add_route(
          {.hops = std::move(leg.hops), .communicator = group.id, .channels = leg.channels});
      laid.legs.push_back({.route = route, .occupancy = occupancy, .unit = leg.unit});
    }
  }
  return group;
}

Communicator make_communicator(const Topology& topology, ScheduleBuilder& builder,
                               std::vector<int> ranks, Detail detail, const Uses& uses) {
  return add_group(topology, builder, draft_group(topology, std::move(ranks), detail, uses),
                   detail);
}

Uses gathers_and_sums() {
  return {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce};
}

Uses every_collective() {
  Uses uses = gathers_and_sums();
  uses.push_back(CollectiveKind::all_to_all);
  return uses;
}

const Communicator::Laid& Communicator::laid_for(CollectiveKind collective) const {
  const auto found = std::ranges::find_if(laid, [&](const Laid& one) {
    return std::ranges::find(one.chosen_for, collective) != one.chosen_for.end();
  });
  require(found != laid.end(), "a collective that the communicator was made for");
  return *found;
}

}  // namespace sim
