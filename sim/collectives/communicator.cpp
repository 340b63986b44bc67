// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/communicator.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/collectives/channels.hpp"
#include "sim/collectives/connections.hpp"
#include "sim/collectives/listed.hpp"
#include "sim/collectives/nccl/group.hpp"
#include "sim/collectives/protocols.hpp"

namespace sim {
namespace {

// Bytes that pass through a GPU's memory for each byte on a link: written on arrival, read by the
// collective's kernel, written on.
constexpr double kMemoryBytesPerWireByte = 3;

// Where routing is adaptive, all traffic goes the minimal ways or all by way of third groups,
// whichever loads the busiest link less when nothing else runs.
LaidOut lay_out(const CollectiveAlgorithm& algorithm, const Topology& topology,
                const std::vector<int>& ranks, Detail detail) {
  if (topology.cluster().network.routing != Routing::adaptive) {
    return algorithm.lay_out(topology, ranks, detail);
  }
  const Topology minimal = topology.with(Routing::minimal);
  const Topology valiant = topology.with(Routing::valiant);
  LaidOut direct = algorithm.lay_out(minimal, ranks, detail);
  LaidOut around = algorithm.lay_out(valiant, ranks, detail);
  const double direct_s = busiest_of(minimal, direct.legs).network_s;
  if (direct_s <= busiest_of(valiant, around.legs).network_s) return direct;
  for (LegDraft& leg : around.legs) {
    for (Hop& hop : leg.hops) hop.detours = hop.over_network();
  }
  return around;
}

std::vector<const CollectiveAlgorithm*> algorithms_of(const Use& use, const Cluster& cluster,
                                                      const GroupShape& shape, bool by_nccl) {
  if (use.algorithm == nullptr) {
    by_nccl = by_nccl && !cluster.collectives.fastest && nccl::chooses(use.collective);
    return algorithms_for(cluster, use.collective, shape, by_nccl);
  }
  require(use.algorithm->can_run(use.collective) && use.algorithm->can_run_on(cluster, shape),
          "an algorithm that can run the collective over the group");
  return {use.algorithm};
}

}  // namespace

bool Use::operator<(const Use& other) const {
  const auto name = [](const Use& use) {
    return use.algorithm == nullptr ? std::string_view() : use.algorithm->name;
  };
  return std::pair(collective, name(*this)) < std::pair(other.collective, name(other));
}

Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                             std::vector<std::int32_t> ranks) {
  const double memory_rate = gpu.memory_bandwidth.base() * gpu.memory_efficiency;
  return {.multiprocessor_share = std::min(1.0, channels / gpu.multiprocessors),
          .memory_s_per_byte = kMemoryBytesPerWireByte * wire_bytes / memory_rate,
          .by_channels = channels > 0,
          .ranks = std::move(ranks)};
}

Occupancy traffic_of(const Gpu& gpu, const LaidOut& collective, const std::vector<Hop>& hops) {
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
  Occupancy taken = transfer_occupancy(gpu, 0, busiest, std::move(senders));
  taken.by_channels = collective.holds_multiprocessors;
  return taken;
}

bool has_alike_links(const Cluster& cluster) {
  return cluster.network.load_balance != LoadBalance::ecmp && cluster.traffic.empty();
}

GroupDraft draft_group(const Topology& topology, std::vector<int> ranks, Detail detail,
                       const Uses& uses) {
  require(std::is_sorted(ranks.begin(), ranks.end()), "ranks ascend");
  const Cluster& cluster = topology.cluster();
  GroupDraft group{.ranks = std::move(ranks)};
  group.nodes = count_nodes(cluster, group.ranks);
  if (group.ranks.size() < 2) return group;
  group.even = lie_evenly(cluster, group.ranks);
  const GroupShape shape{static_cast<int>(group.ranks.size()), group.nodes, group.even};
  group.tuner = nccl::tuner_of(cluster, group.ranks, group.nodes);
  std::vector<GroupDraft::Laid> all;
  for (const Use& use : uses) {
    for (const auto* algorithm : algorithms_of(use, cluster, shape, group.tuner != nullptr)) {
      auto laid = std::ranges::find(all, algorithm, &GroupDraft::Laid::algorithm);
      if (laid == all.end()) {
        laid = all.insert(laid, {.algorithm = algorithm,
                                 .out = lay_out(*algorithm, topology, group.ranks, detail)});
        Connections connections(cluster);
        for (LegDraft& leg : laid->out.legs) leg = connections.over(leg);
      }
      laid->runs.push_back(use);
    }
  }
  group.shared = std::make_shared<const std::vector<GroupDraft::Laid>>(std::move(all));
  return group;
}

Hop Shift::of(Hop hop) const {
  hop.source += ranks;
  hop.destination += ranks;
  if (hop.nic_out >= 0) hop.nic_out = static_cast<std::int16_t>(hop.nic_out + nics);
  if (hop.nic_in >= 0) hop.nic_in = static_cast<std::int16_t>(hop.nic_in + nics);
  return hop;
}

std::vector<Hop> GroupDraft::hops(const LegDraft& leg) const {
  std::vector<Hop> hops = leg.hops;
  for (Hop& hop : hops) hop = shift.of(hop);
  return hops;
}

Communicator add_group(const Topology& topology, ScheduleBuilder& builder, const GroupDraft& draft,
                       Detail detail) {
  const Cluster& cluster = topology.cluster();
  if (detail == Detail::folded && !draft.even) builder.note_approximate();
  const auto size = static_cast<int>(draft.ranks.size());
  Communicator group{.ranks = draft.ranks,
                     .size = size,
                     .nodes = draft.nodes,
                     .id = builder.add_communicator(),
                     .channels = cluster.collectives.channels,
                     .detail = detail,
                     .alike_links = has_alike_links(cluster),
                     .protocol = cluster.collectives.protocol,
                     .protocols = cluster.collectives.protocols,
                     .fastest = cluster.collectives.fastest,
                     .tuner = draft.tuner};
  if (group.size < 2) return group;
  group.occupancy = builder.add_occupancy(transfer_occupancy(
      cluster.gpu, cluster.collectives.channels, 0, {group.ranks.begin(), group.ranks.end()}));
  for (const GroupDraft::Laid& one : draft.laid()) {
    Communicator::Laid& laid =
        group.laid.emplace_back(Communicator::Laid{.algorithm = one.algorithm,
                                                   .runs = one.runs,
                                                   .run = one.out.run,
                                                   .estimate = one.out.estimate});
    for (const LegDraft& leg : one.out.legs) {
      std::vector<Hop> hops = draft.hops(leg);
      const auto occupancy = builder.add_occupancy(traffic_of(cluster.gpu, one.out, hops));
      const auto route = builder.add_route(
          {.hops = std::move(hops), .communicator = group.id, .channels = leg.channels});
      laid.legs.push_back(
          {.route = route, .occupancy = occupancy, .unit = leg.unit, .round = leg.round});
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
  uses.insert(uses.end(), {CollectiveKind::all_to_all, CollectiveKind::broadcast,
                           CollectiveKind::send_receive});
  return uses;
}

namespace {

// What NCCL's tuner expects of it.
std::optional<double> expected_us(const Communicator& group, const Communicator::Laid& laid,
                                  const Order& order) {
  if (!laid.algorithm->nccl) return std::nullopt;
  return nccl::expected_us(*group.tuner, order.collective, *laid.algorithm->nccl, order.protocol,
                           order.bytes);
}

std::optional<Choice> choose(const Communicator& group, const Order& order, bool by_nccl) {
  std::optional<Choice> chosen;
  std::tuple<bool, bool, double> least;
  for (const Communicator::Laid& laid : group.laid) {
    const Use use(order.collective, order.algorithm);
    if (std::ranges::find(laid.runs, use) == laid.runs.end()) continue;
    for (const Protocol protocol : kProtocols) {
      Order by = order;
      by.protocol = protocol;
      const auto duration = laid.estimate(by);
      if (!duration) continue;
      const auto time = by_nccl ? expected_us(group, laid, by) : duration->seconds();
      if (!time) continue;
      const bool unasked =
          (group.protocol && *group.protocol != protocol) ||
          (group.protocols && !is_enabled(*group.protocols, order.collective, protocol));
      const std::tuple all{unasked, !by_nccl && duration->unchosen, *time};
      if (chosen && all >= least) continue;
      least = all;
      chosen = {&laid, protocol};
    }
  }
  return chosen;
}

}  // namespace

Choice choose(const Communicator& group, const Order& order) {
  std::optional<Choice> chosen;
  const bool tuned = group.tuner != nullptr && !group.fastest;
  if (tuned && order.algorithm == nullptr && nccl::chooses(order.collective)) {
    chosen = choose(group, order, true);
  }
  if (!chosen) chosen = choose(group, order, false);
  require(chosen.has_value(), "a collective that the communicator was made for");
  return *chosen;
}

}  // namespace sim
