// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabrics/routers.hpp"

namespace sim::fabrics {

Bandwidth link_rate(const Network& network, Bandwidth nic_rate) {
  return nic_rate * (network.link_bandwidth / network.nic_bandwidth);
}

std::int64_t cables_per_link(const Network& network) {
  return rounded_up(network.link_bandwidth / network.nic_bandwidth);
}

VertexId append_edge(const Graph& graph, VertexId router, std::size_t edge, Way& way) {
  const auto& [to, link] = graph.edges(router)[edge];
  way.links.push_back(link);
  ++way.switches;
  return to;
}

}  // namespace sim::fabrics
