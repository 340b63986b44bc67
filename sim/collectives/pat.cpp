// SPDX-License-Identifier: Apache-2.0
// PAT: NCCL's parallel aggregated trees over nodes of one GPU (NCCL 2.23). An all_gather takes log2
// of the ranks in rounds, the farthest first: each rank sends what it has to the one half of the
// ring ahead, then a quarter, and so on, ever more of it. A reduce_scatter goes the same way back.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

// NCCL's tuner (src/graph/tuning.cc): of a network step's latency, what a rank adds, and of the
// bandwidth.
constexpr double kLatencyShare = 1 / 3.5;
constexpr double kEachRank_s = 2.8e-6;
constexpr double kPatShare = 0.75;

// By Simple alone.
Paces simple_alone(const Cluster& cluster) {
  Paces paces = paces_of(cluster);
  paces.launch = {std::nullopt, std::nullopt, cluster.collectives.launch};
  return paces;
}

// From each rank to the one `distance` ahead: the parts that it has and the other still lacks.
Round pat_round(const Topology& topology, const std::vector<int>& ranks, std::size_t distance,
                bool back, Detail detail) {
  const std::size_t n = ranks.size();
  std::vector<std::vector<Hop>> messages;
  for (std::size_t i = 0; i < n; ++i) {
    const int behind = ranks[i], ahead = ranks[(i + distance) % n];
    messages.push_back(back ? topology.path(ahead, behind) : topology.path(behind, ahead));
  }
  const std::size_t parts = (n - distance + 2 * distance - 1) / (2 * distance);
  return round_of(topology.cluster(), std::move(messages),
                  static_cast<double>(parts) / static_cast<double>(n), detail);
}

LaidOut lay_out_pat(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  std::size_t farthest = 1;
  while (2 * farthest < ranks.size()) farthest *= 2;
  Rounds gather, scatter;
  for (std::size_t distance = farthest; distance > 0; distance /= 2) {
    gather.push_back(pat_round(topology, ranks, distance, false, detail));
    scatter.push_back(pat_round(topology, ranks, distance, true, detail));
  }
  std::ranges::reverse(scatter);
  const double size = static_cast<double>(ranks.size());
  const RoundCosts costs{.paces = simple_alone(cluster),
                         .latency_share = kLatencyShare,
                         .bandwidth_share = kPatShare,
                         .before_s = size * kEachRank_s,
                         .own_copy_s_per_byte = own_copy_s_per_byte(cluster) / size};
  return lay_out_rounds(topology, detail,
                        {{CollectiveKind::all_gather, std::move(gather)},
                         {CollectiveKind::reduce_scatter, std::move(scatter)}},
                        costs);
}

constexpr std::array kPatCollectives{CollectiveKind::all_gather, CollectiveKind::reduce_scatter};

}  // namespace

constinit const CollectiveAlgorithm algorithms::pat{
    .name = "pat",
    .runs = kPatCollectives,
    .lay_out = lay_out_pat,
    .in_steps = true,
    .sent = [](CollectiveKind, int ranks, int) { return (ranks - 1.0) / ranks; },
    .takes = [](const Cluster&,
                const GroupShape& shape) { return shape.nodes > 1 && shape.ranks == shape.nodes; },
    .needs = "one GPU of each of several nodes",
    .nccl = nccl::Algorithm::pat};

}  // namespace sim
