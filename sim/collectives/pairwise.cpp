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

// Bytes of the legs are those that each rank sends to each other rank.
struct Pairs {
  double ranks = 0;
  double s_per_byte = 0;  // at full rate
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

std::optional<Duration> estimate_pairs(const Pairs& pairs, const Order& order) {
  const auto& cost = at(pairs.costs, order.protocol);
  if (!cost) return std::nullopt;
  const double each = order.bytes / pairs.ranks;
  const bool copies = order.buffers == Buffers::out_of_place;
  return Duration{
      .before_s = cost->launch_s + cost->step_s,
      .on_the_way_s = each * (cost->s_per_byte + (copies ? pairs.own_copy_s_per_byte : 0)),
      .moving_s = each * pairs.s_per_byte};
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
                    .own_copy_s_per_byte = own_copy_s_per_byte(cluster),
                    .costs = protocol_costs(cluster, paces, busiest, step_s)};
  std::vector<double> pace = values_of(pairs.costs);
  pace.push_back(pairs.s_per_byte);
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
