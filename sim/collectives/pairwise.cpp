// SPDX-License-Identifier: Apache-2.0
// Pairwise: each rank sends every other rank its share at once, as NCCL's grouped sends do.
#include <algorithm>
#include <array>

#include "sim/collectives/legs.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

double farthest_latency(const Topology& topology, const std::vector<LegDraft>& legs) {
  double farthest = 0;
  for (const LegDraft& leg : legs) {
    for (const Hop& hop : leg.hops) {
      farthest = std::max(farthest, topology.latency(hop).base());
    }
  }
  return farthest;
}

// `unit` is per byte that each rank sends to each other rank.
LaidOut lay_out_pairs(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  std::vector<LegDraft> drafts =
      detail == Detail::folded ? fold_all_to_all(topology, ranks) : list_pairs(topology, ranks);
  const double farthest_s = farthest_latency(topology, drafts);
  const auto run = [farthest_s](ScheduleBuilder& builder, const Communicator& group,
                                std::span<const Leg> legs, CollectiveKind, double bytes,
                                const Call& call) {
    const double n = group.size;
    builder.count_unfolded(group.alike * n * (n - 1));
    run_legs(builder, group, legs, bytes / n, {.before_s = group.launch_s + farthest_s}, call);
  };
  return {std::move(drafts), {farthest_s}, run};
}

constexpr std::array kPairwiseCollectives{CollectiveKind::all_to_all};

}  // namespace

constinit const CollectiveAlgorithm algorithms::pairwise{
    .name = "pairwise",
    .runs = kPairwiseCollectives,
    .lay_out = lay_out_pairs,
    .sent = [](CollectiveKind, int ranks) { return (ranks - 1.0) / ranks; }};

}  // namespace sim
