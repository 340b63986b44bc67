// SPDX-License-Identifier: Apache-2.0
// Pairwise: each rank sends every other rank its share at once, as NCCL's grouped sends do.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/protocols.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// Channels over which NCCL sends all messages of a rank (p2pnChannels), and the largest part of one
// that a channel takes before a message gets more of them: 32 chunks of NCCL_P2P_NVL_CHUNKSIZE,
// 512 KiB (src/enqueue.cc). Between nodes that part is so small that all channels are busy.
constexpr double kChannels = 32;
constexpr double kLargestPart = 16 << 20;

// Channels that are busy at once with a message to each of the other ranks of the node.
double busy_channels(double ranks, double message) {
  double each = kChannels;
  while (each > 1 && each * ranks > kChannels) each /= 2;
  while (2 * each <= kChannels && message > each * kLargestPart) each *= 2;
  return std::min(kChannels, each * (ranks - 1));
}

// Bytes of the legs are those that each rank sends to each other rank.
struct Pairs {
  double ranks = 0;
  double s_per_byte = 0;  // at full rate
  double channel_s = 0;   // per byte on one channel; 0: as fast as the links
  double own_copy_s_per_byte = 0;
  ProtocolCosts costs;  // one step, over the farthest pair
};

double farthest_latency(const Topology& topology, const Paces& paces,
                        const std::vector<LegDraft>& legs, Protocol protocol) {
  double farthest = 0;
  for (const LegDraft& leg : legs) {
    for (const Hop& hop : leg.hops) {
      farthest = std::max(farthest, step_latency(topology, paces, hop, protocol));
    }
  }
  return farthest;
}

// What a message's byte takes beyond the full rate.
double unused_s(const Pairs& pairs, const ProtocolCost& cost, const Order& order, double message) {
  if (order.protocol != Protocol::simple || pairs.channel_s == 0) return cost.s_per_byte;
  const double by_channels =
      pairs.channel_s * (pairs.ranks - 1) / busy_channels(pairs.ranks, message);
  return std::max(cost.s_per_byte, by_channels - pairs.s_per_byte);
}

std::optional<Duration> estimate_pairs(const Pairs& pairs, const Order& order) {
  const auto& cost = at(pairs.costs, order.protocol);
  if (!cost) return std::nullopt;
  const double each = order.bytes / pairs.ranks;
  const bool copies = order.buffers == Buffers::out_of_place;
  return Duration{.before_s = cost->launch_s + cost->step_s,
                  .on_the_way_s = each * (unused_s(pairs, *cost, order, each) +
                                          (copies ? pairs.own_copy_s_per_byte : 0)),
                  .moving_s = each * pairs.s_per_byte};
}

// Inside a node; 0 where channels are no limit.
double channel_s_per_byte(const Cluster& cluster, const Busiest& busiest) {
  const auto& efficiency = cluster.nvlink.pairs_channel_efficiency;
  if (!efficiency || busiest.network_s > 0) return 0;
  return 1 / (cluster.nvlink.bandwidth.base() * *efficiency);
}

LaidOut lay_out_pairs(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  std::vector<LegDraft> legs =
      detail == Detail::folded ? fold_all_to_all(topology, ranks) : list_pairs(topology, ranks);
  const Cluster& cluster = topology.cluster();
  const Busiest busiest = busiest_of(topology, legs);
  const Paces paces = paces_of_pairs(cluster);
  const auto step_s = [&](Protocol protocol) {
    return farthest_latency(topology, paces, legs, protocol);
  };
  const Pairs pairs{.ranks = static_cast<double>(ranks.size()),
                    .s_per_byte = busiest.seconds(),
                    .channel_s = channel_s_per_byte(cluster, busiest),
                    .own_copy_s_per_byte = own_copy_s_per_byte(cluster),
                    .costs = protocol_costs(cluster, paces, busiest, step_s)};
  std::vector<double> pace = values_of(pairs.costs);
  pace.insert(pace.end(), {pairs.s_per_byte, pairs.channel_s});
  const auto run = [pairs](ScheduleBuilder& builder, const Communicator& group,
                           std::span<const Leg> laid, const Order& order, const Call& call) {
    builder.count_unfolded(group.alike * pairs.ranks * (pairs.ranks - 1));
    run_legs(builder, group, laid, order.bytes / pairs.ranks,
             latency_of(estimate_pairs(pairs, order).value()), call);
  };
  return {std::move(legs), std::move(pace), run,
          [pairs](const Order& order) { return estimate_pairs(pairs, order); }};
}

constexpr std::array kPairwiseCollectives{CollectiveKind::all_to_all};

}  // namespace

constinit const CollectiveAlgorithm algorithms::pairwise{
    .name = "pairwise",
    .runs = kPairwiseCollectives,
    .lay_out = lay_out_pairs,
    .sent = [](CollectiveKind, int ranks, int) { return (ranks - 1.0) / ranks; }};

}  // namespace sim
