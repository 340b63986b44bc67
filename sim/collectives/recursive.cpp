// SPDX-License-Identifier: Apache-2.0
// Recursive: halving and doubling over a power of two of ranks. In each round a rank exchanges with
// the one whose number differs in one bit: an all_gather doubles what each has, a reduce_scatter
// halves it, and an all_reduce does one after the other (Rabenseifner's, as in MPICH).
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

Round exchange(const Topology& topology, const std::vector<int>& ranks, std::size_t distance,
               double unit, Detail detail) {
  std::vector<std::vector<Hop>> messages;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    messages.push_back(topology.path(ranks[i], ranks[i ^ distance]));
  }
  return round_of(topology.cluster(), std::move(messages), unit, detail);
}

// The nearest first, with ever more of the buffer.
Rounds doubling(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  Rounds rounds;
  const double size = static_cast<double>(ranks.size());
  for (std::size_t distance = 1; distance < ranks.size(); distance *= 2) {
    rounds.push_back(
        exchange(topology, ranks, distance, static_cast<double>(distance) / size, detail));
  }
  return rounds;
}

// The nearest first, with half of the buffer, and back the same way.
Rounds halving_and_doubling(const Topology& topology, const std::vector<int>& ranks,
                            Detail detail) {
  Rounds rounds;
  for (std::size_t distance = 1; distance < ranks.size(); distance *= 2) {
    rounds.push_back(
        exchange(topology, ranks, distance, 0.5 / static_cast<double>(distance), detail));
  }
  for (std::size_t i = rounds.size(); i-- > 0;) rounds.push_back(Round(rounds[i]));
  return rounds;
}

LaidOut lay_out_recursive(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  Rounds gather = doubling(topology, ranks, detail);
  Rounds scatter(gather.rbegin(), gather.rend());
  Rounds both = halving_and_doubling(topology, ranks, detail);
  return lay_out_rounds(topology, detail,
                        {{CollectiveKind::all_gather, std::move(gather)},
                         {CollectiveKind::reduce_scatter, std::move(scatter)},
                         {CollectiveKind::all_reduce, std::move(both)}},
                        {.paces = paces_of(cluster)});
}

constexpr std::array kRecursiveCollectives{
    CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::recursive{
    .name = "recursive",
    .runs = kRecursiveCollectives,
    .lay_out = lay_out_recursive,
    .in_steps = true,
    .sent =
        [](CollectiveKind collective, int ranks, int) {
          return (collective == CollectiveKind::all_reduce ? 2 : 1) * (ranks - 1.0) / ranks;
        },
    .takes =
        [](const Cluster&, const GroupShape& shape) {
          return std::has_single_bit(static_cast<unsigned>(shape.ranks));
        },
    .needs = "a power of two of GPUs",
    .suits = never};

}  // namespace sim
