// SPDX-License-Identifier: Apache-2.0
// Rail: an all_to_all in two levels. The GPUs of a node first hand over what goes to place k of any
// node to their GPU in that place, and then GPUs of one place exchange bundles, so that each sends
// one message to a node and not to a GPU. NCCL's PXN and DeepEP forward so.
#include <array>
#include <utility>

#include "sim/collectives/rounds.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

LaidOut lay_out_rail(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const auto nodes = inside_nodes(cluster, ranks);
  const auto places = between_nodes(cluster, ranks);
  const double size = static_cast<double>(ranks.size());
  const double share = 1 / size;
  const double bundles = static_cast<double>(nodes.size() + places.size() - 2);
  const RoundCosts costs{.paces = paces_of_pairs(cluster),
                         .least_s = cluster.collectives.message.base() * bundles,
                         .own_copy_s_per_byte = share * own_copy_s_per_byte(cluster)};
  Rounds rounds;
  const auto peers = [](const auto& groups) { return static_cast<double>(groups.size()); };
  if (places.size() > 1) {
    rounds.push_back(pairs_of(topology, nodes, share * peers(nodes), detail));
  }
  if (nodes.size() > 1) {
    rounds.push_back(pairs_of(topology, places, share * peers(places), detail));
  }
  return lay_out_rounds(topology, detail, {{CollectiveKind::all_to_all, std::move(rounds)}}, costs);
}

constexpr std::array kRailCollectives{CollectiveKind::all_to_all};

}  // namespace

constinit const CollectiveAlgorithm algorithms::rail{
    .name = "rail",
    .runs = kRailCollectives,
    .lay_out = lay_out_rail,
    .in_steps = true,
    .sent =
        [](CollectiveKind, int ranks, int nodes) {
          const double places = double{1} * ranks / nodes;
          return (places - 1) / places + (nodes - 1.0) / nodes;
        },
    .takes = [](const Cluster&, const GroupShape& shape) { return shape.even; },
    .needs = "the same number of GPUs and NICs of each node",
    .suits =
        [](const Cluster& cluster, int ranks, int nodes) {
          return cluster.network.fabric->relays && nodes > 1 && ranks > nodes;
        }};

}  // namespace sim
