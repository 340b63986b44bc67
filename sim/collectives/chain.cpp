// SPDX-License-Identifier: Apache-2.0
// Chain: a broadcast along NCCL's rings from the first rank to the last, in chunks that follow each
// other.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

// Of a channel: NCCL's buffer of 4 MiB (NCCL_BUFFSIZE) has 8 places (NCCL_STEPS), and a broadcast
// passes on one of them at a time (BROADCAST_CHUNKSTEPS).
constexpr double kChunkOfChain = 512 * 1024;

// Without the hop that returns to the root.
std::vector<Lane> chains_from(int root, const Cluster& cluster, const std::vector<int>& ranks) {
  std::vector<Lane> lanes = Rings(cluster, ranks).lanes();
  for (Lane& lane : lanes) {
    std::erase_if(lane.hops, [&](const Hop& hop) { return hop.destination == root; });
  }
  return lanes;
}

LaidOut lay_out_chain(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const std::vector<Lane> lanes = chains_from(ranks.front(), cluster, ranks);
  const double depth = static_cast<double>(ranks.size()) - 1;
  Round round{.legs = {},
              .messages = static_cast<double>(lanes.size()) * depth,
              .depth = depth,
              .chunk = cluster.collectives.channels * kChunkOfChain};
  if (detail == Detail::folded) {
    round.legs = fold_lanes(cluster, ranks, lanes);
  } else {
    for (const Lane& lane : lanes) {
      for (const Hop& hop : lane.hops) {
        round.legs.push_back({.hops = {hop},
                              .unit = double{1} * lane.weight / cluster.collectives.channels,
                              .channels = double{1} * lane.weight});
      }
    }
  }
  return lay_out_rounds(topology, detail, {{CollectiveKind::broadcast, {std::move(round)}}},
                        {.paces = paces_of(cluster)});
}

constexpr std::array kChainCollectives{CollectiveKind::broadcast};

}  // namespace

constinit const CollectiveAlgorithm algorithms::chain{
    .name = "chain",
    .runs = kChainCollectives,
    .lay_out = lay_out_chain,
    .sent = [](CollectiveKind, int ranks, int) { return (ranks - 1.0) / ranks; }};

}  // namespace sim
