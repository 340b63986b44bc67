// SPDX-License-Identifier: Apache-2.0
// Sharp: an all_reduce whose sums the switches of the network make (NCCL's CollNet). Each node adds
// inside, by its NVLink switch or by messages to the GPU in each place; these send their parts up to
// the network's switches, which pass on one sum each, and get the whole sum back.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

void append(Round& round, Round more) {
  round.messages += more.messages;
  for (LegDraft& leg : more.legs) round.legs.push_back(std::move(leg));
}

// Into the NVLink switch and out of it, once by each GPU: as hops of a ring.
Round through_nvlink_switch(const Cluster& cluster, const std::vector<std::vector<int>>& nodes,
                            Detail detail) {
  std::vector<std::vector<Hop>> messages;
  for (const std::vector<int>& members : nodes) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      messages.push_back({{members[i], members[(i + 1) % members.size()]}});
    }
  }
  return round_of(cluster, std::move(messages), 1, detail);
}

Round through_network(const Topology& topology, const std::vector<std::vector<int>>& places,
                      Detail detail) {
  std::vector<std::vector<Hop>> messages;
  for (const std::vector<int>& ranks : places) {
    for (const Hop& hop : topology.tree_of_sums(ranks)) messages.push_back({hop});
  }
  return round_of(topology.cluster(), std::move(messages), 1 / static_cast<double>(places.size()),
                  detail);
}

// By Simple alone; the NVLink switch's latency is of the whole.
Paces paces_of_sums(const Cluster& cluster) {
  Paces paces = paces_of(cluster);
  paces.launch = {std::nullopt, std::nullopt, cluster.collectives.launch};
  paces.network.back() = cluster.network.sharp;
  if (cluster.nvlink.nvls) paces.nvlink.back() = LinkPace{{}, cluster.nvlink.nvls->efficiency};
  return paces;
}

LaidOut lay_out_sharp(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const auto nodes = inside_nodes(cluster, ranks);
  const auto places = between_nodes(cluster, ranks);
  RoundCosts costs{.paces = paces_of_sums(cluster)};
  Rounds rounds{through_network(topology, places, detail)};
  if (places.size() > 1 && cluster.nvlink.nvls) {
    costs.before_s = cluster.nvlink.nvls->latency.base();
    append(rounds.front(), through_nvlink_switch(cluster, nodes, detail));
  } else if (places.size() > 1) {
    const Round inside = pairs_of(topology, nodes, 1 / static_cast<double>(places.size()), detail);
    rounds.insert(rounds.begin(), inside);
    rounds.push_back(inside);
  }
  return lay_out_rounds(topology, detail, {{CollectiveKind::all_reduce, std::move(rounds)}}, costs);
}

constexpr std::array kSharpCollectives{CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::sharp{
    .name = "sharp",
    .runs = kSharpCollectives,
    .lay_out = lay_out_sharp,
    .sent =
        [](const CollectiveKind, int ranks, int nodes) {
          // Without sums in the NVLink switch.
          const double places = double{1} * ranks / nodes;
          return 2 * (places - 1) / places + 1 / places;
        },
    .takes =
        [](const Cluster& cluster, const GroupShape& shape) {
          // Where connections are hashed on uplinks, no tree of switches joins the NICs.
          return cluster.network.sharp.has_value() && shape.even && shape.nodes > 1 &&
                 cluster.network.load_balance != LoadBalance::ecmp;
        },
    .needs =
        "network.sharp_efficiency and network.sharp_latency, several nodes with the same number of "
        "GPUs and NICs, and a network.load_balance other than ecmp"};

}  // namespace sim
