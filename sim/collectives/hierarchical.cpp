// SPDX-License-Identifier: Apache-2.0
// Hierarchical: rings in two levels, one after the other. An all_reduce scatters sums inside each
// node, reduces them between the GPUs in the same place of all nodes, and gathers inside.
#include <array>
#include <utility>

#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

// Rings inside all nodes, or between them, that each pass so many steps.
void add_rings(Rounds& rounds, const Cluster& cluster, const std::vector<std::vector<int>>& groups,
               double unit, double turns, Detail detail) {
  const double steps = static_cast<double>(groups.front().size()) - 1;
  if (steps == 0) return;
  rounds.push_back(ring_step(cluster, groups, unit, detail));
  rounds.back().times = turns * steps;
}

LaidOut lay_out_hierarchical(const Topology& topology, const std::vector<int>& ranks,
                             Detail detail) {
  const Cluster& cluster = topology.cluster();
  const auto nodes = inside_nodes(cluster, ranks);
  const auto places = between_nodes(cluster, ranks);
  const double share = 1 / static_cast<double>(ranks.size());
  const double part = 1 / static_cast<double>(places.size());  // of the GPUs in one place
  Rounds gather, scatter, reduce;
  add_rings(gather, cluster, places, share, 1, detail);
  add_rings(gather, cluster, nodes, part, 1, detail);
  add_rings(scatter, cluster, nodes, part, 1, detail);
  add_rings(scatter, cluster, places, share, 1, detail);
  add_rings(reduce, cluster, nodes, part, 1, detail);
  add_rings(reduce, cluster, places, share, 2, detail);
  add_rings(reduce, cluster, nodes, part, 1, detail);
  return lay_out_rounds(topology, detail,
                        {{CollectiveKind::all_gather, std::move(gather)},
                         {CollectiveKind::reduce_scatter, std::move(scatter)},
                         {CollectiveKind::all_reduce, std::move(reduce)}},
                        {.paces = paces_of(cluster)});
}

constexpr std::array kHierarchicalCollectives{
    CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::hierarchical{
    .name = "hierarchical",
    .runs = kHierarchicalCollectives,
    .lay_out = lay_out_hierarchical,
    .in_steps = true,
    .sent =
        [](CollectiveKind collective, int ranks, int nodes) {
          const double places = double{1} * ranks / nodes;
          const double once = (places - 1) / places + (nodes - 1.0) / ranks;
          return (collective == CollectiveKind::all_reduce ? 2 : 1) * once;
        },
    .takes = [](const Cluster&, const GroupShape& shape) { return shape.even; },
    .needs = "the same number of GPUs and NICs of each node",
    .suits = never};

}  // namespace sim
