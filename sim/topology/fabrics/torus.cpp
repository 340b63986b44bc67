// SPDX-License-Identifier: Apache-2.0
// Torus: each node has a router, joined to its two neighbours in a ring along each dimension. A
// message goes along one dimension after the other, the shorter way round each ring, and forward
// where both ways are as long (dimension-ordered routing: Dally and Seitz, IEEE Trans. Computers
// C-36, 1987).
#include <array>
#include <functional>
#include <numeric>
#include <string>

#include "sim/topology/fabrics/routers.hpp"
#include "sim/topology/fabrics/trees.hpp"

namespace sim::fabrics {
namespace {

constexpr std::array<std::string_view, 3> kTorusKeys{"dimensions", "link_bandwidth",
                                                     "switch_latency"};

// Nodes are numbered along the first dimension first. A router has two edges for each dimension:
// forward, then backward.
void build_torus(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                 Graph& graph) {
  const std::vector<int>& sizes = network.dimensions;
  const int count = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
  const std::vector<VertexId> routers = graph.add_vertices(count);
  attach_in_order(nics, routers, network.nics_per_node, add_nic_ports(nic_rate, nics, graph),
                  graph);
  const auto add = [&](const char* kind) {
    return graph.add_links(kind, "network.link_bandwidth", count * static_cast<int>(sizes.size()),
                           link_rate(network, nic_rate));
  };
  const LinkId forward = add("torus_forward");
  const LinkId backward = add("torus_backward");
  LinkId number = 0;
  int stride = 1;  // between neighbours
  for (const int size : sizes) {
    for (int router = 0; router < count; ++router) {
      const int first = router - router / stride % size * stride;  // of its ring
      const auto at = [&](int place) {
        return routers[static_cast<std::size_t>(first + (place + size) % size * stride)];
      };
      const int place = router / stride % size;
      graph.join(at(place), at(place + 1), forward + number);
      graph.join(at(place), at(place - 1), backward + number);
      ++number;
    }
    stride *= size;
  }
}

void append_torus_way(const Network& network, const Graph& graph, const NicPair& nics, Way& way) {
  const Vertex& near = graph.vertex(nics.from);
  const Vertex& far = graph.vertex(nics.to);
  way.links.push_back(near.up);
  VertexId router = near.above;
  int here = graph.vertex(router).number;
  int there = graph.vertex(far.above).number;
  std::size_t edge = 0;
  for (const int size : network.dimensions) {
    const int ahead = (there % size - here % size + size) % size;
    const bool forward = 2 * ahead <= size;
    for (int hops = forward ? ahead : size - ahead; hops > 0; --hops) {
      router = append_edge(graph, router, edge + (forward ? 0 : 1), way);
    }
    here /= size;
    there /= size;
    edge += 2;
  }
  way.links.push_back(far.down);
}

// The rings of the first dimension, the planes of the first two, and so on.
std::vector<int> rings_and_planes(const Network& network) {
  std::vector<int> sizes(network.dimensions.size());
  std::partial_sum(network.dimensions.begin(), network.dimensions.end(), sizes.begin(),
                   std::multiplies<>());
  return sizes;
}

// Routers are in the nodes; each node has the cable forward in each of its rings.
FabricParts parts_of_torus(const Network& network, const FabricSize&) {
  FabricParts parts;
  std::int64_t count = 1;
  for (const int size : network.dimensions) count *= size;
  std::int64_t inside = 1;  // nodes of the block that the rings so far span
  for (std::size_t i = 0; i < network.dimensions.size(); ++i) {
    inside *= network.dimensions[i];
    if (network.dimensions[i] == 1) continue;
    parts.cables.push_back({.name = "ring of dimension " + std::to_string(i + 1),
                            .cables = count * cables_per_link(network),
                            .nodes = inside});
  }
  parts.nodes = count;
  return parts;
}

}  // namespace

constinit const NetworkFabric torus{.name = "torus",
                                    .keys = kTorusKeys,
                                    .build = build_torus,
                                    .append_way = append_torus_way,
                                    .units = rings_and_planes,
                                    .parts = parts_of_torus};

}  // namespace sim::fabrics
