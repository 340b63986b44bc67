// SPDX-License-Identifier: Apache-2.0
// Pairwise: each rank sends every other rank its share at once, as NCCL's grouped sends do.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/protocols.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// Channels over which NCCL sends all messages of a rank (p2pnChannels).
constexpr double kChannels = 32;

// How a protocol spreads a message over channels: it takes more of them while the part on each is
// larger than this.
struct ChannelSpread {
  bool starts_with_all = false;  // with as many as all messages at once leave each; else with one
  double largest_part = 0;
};
// 32 chunks of NCCL_P2P_NVL_CHUNKSIZE, 512 KiB (src/enqueue.cc).
constexpr ChannelSpread kSimpleSpread{.starts_with_all = true, .largest_part = 16 << 20};
// Read off the log gb200_4_nccl2.29.2, in which messages of 32 KiB to 512 KiB take as long.
constexpr ChannelSpread kLlSpread{.largest_part = 32 << 10};
// Where the rate of an LL channel is known, messages up to this size take LL, as the times of all
// logs of nvlink5_rack fall behind it.
constexpr double kLargestLlMessage = 512 << 10;

double channels_of(const ChannelSpread& spread, double ranks, double message) {
  double fair = kChannels;
  while (fair > 1 && fair * ranks > kChannels) fair /= 2;
  double each = spread.starts_with_all ? fair : 1;
  const double most = spread.starts_with_all ? kChannels : fair;
  while (2 * each <= most && message > each * spread.largest_part) each *= 2;
  return each;
}

// Parts of messages that follow each other on the busiest channel, over the channels of a message.
double turns_of(const ChannelSpread& spread, double ranks, double message) {
  const double each = channels_of(spread, ranks, message);
  return std::ceil(each * (ranks - 1) / kChannels) / each;
}

// Bytes of the legs are those that each rank sends to each other rank.
struct Pairs {
  double ranks = 0;
  double s_per_byte = 0;                   // at full rate
  double channel_s = 0, ll_channel_s = 0;  // per byte on one channel; 0: as fast as the links
  double messages_s = 0;                   // of all messages of a rank, before any can end
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
double unused_s(const Pairs& pairs, const ProtocolCost& cost, Protocol protocol, double message) {
  if (protocol == Protocol::ll && pairs.ll_channel_s > 0) {
    const double by_channels = pairs.ll_channel_s * turns_of(kLlSpread, pairs.ranks, message);
    return std::max(0.0, by_channels - pairs.s_per_byte);
  }
  if (protocol != Protocol::simple || pairs.channel_s == 0) return cost.s_per_byte;
  const double by_channels = pairs.channel_s * turns_of(kSimpleSpread, pairs.ranks, message);
  return std::max(cost.s_per_byte, by_channels - pairs.s_per_byte);
}

std::optional<Duration> estimate_pairs(const Pairs& pairs, const Order& order) {
  const auto& cost = at(pairs.costs, order.protocol);
  if (!cost) return std::nullopt;
  const double each = order.bytes / pairs.ranks;
  const bool takes_ll = each <= kLargestLlMessage;
  const bool by_ll = order.protocol == Protocol::ll;
  const bool copies = order.buffers == Buffers::out_of_place;
  Duration duration{.before_s = cost->launch_s + cost->step_s,
                    .on_the_way_s = each * (unused_s(pairs, *cost, order.protocol, each) +
                                            (copies ? pairs.own_copy_s_per_byte : 0)),
                    .moving_s = each * pairs.s_per_byte,
                    .unchosen = pairs.ll_channel_s > 0 && takes_ll != by_ll};
  duration.before_s += std::max(0.0, pairs.messages_s - duration.seconds());
  return duration;
}

// Inside a node; 0 where channels are no limit.
double channel_s_per_byte(const Cluster& cluster, const Busiest& busiest,
                          const std::optional<double>& efficiency) {
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
  const Pairs pairs{
      .ranks = static_cast<double>(ranks.size()),
      .s_per_byte = busiest.seconds(),
      .channel_s = channel_s_per_byte(cluster, busiest, cluster.nvlink.pairs_channel_efficiency),
      .ll_channel_s =
          channel_s_per_byte(cluster, busiest, cluster.nvlink.ll_pairs_channel_efficiency),
      .messages_s = cluster.collectives.message.base() * static_cast<double>(ranks.size() - 1),
      .own_copy_s_per_byte = own_copy_s_per_byte(cluster),
      .costs = protocol_costs(cluster, paces, busiest, step_s)};
  std::vector<double> pace = values_of(pairs.costs);
  pace.insert(pace.end(), {pairs.s_per_byte, pairs.channel_s, pairs.ll_channel_s});
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
