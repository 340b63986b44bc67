// SPDX-License-Identifier: Apache-2.0
// What the tests of fabrics share whose routers are joined directly: routes, and the times of
// collectives. The sample cluster has NICs and links of 50 GB/s, 5 us between neighbours, 1 us for
// a further hop, and 10 us for a launch.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {

inline constexpr double kLinkRate = 50e9;
inline constexpr double kNeighbourS = 5e-6;
inline constexpr double kHopS = 1e-6;
inline constexpr double kStartS = 10e-6;

// A network of so many nodes with two NICs each, outside a cluster.
struct Built {
  Network network;
  Graph graph;
  std::vector<VertexId> nics;

  Built(Network of, int nodes) : network(std::move(of)) {
    network.nics_per_node = 2;
    nics = graph.add_vertices(2 * nodes);
    network.fabric->build(network, Bandwidth::from_base(kLinkRate), nics, graph);
  }
  [[nodiscard]] Way way(std::size_t from, std::size_t to) const {
    Way way;
    const bool detours = network.routing == Routing::valiant;
    network.fabric->append_way(network, graph, {nics[from], nics[to], detours}, way);
    return way;
  }
  // Ways of the pairs that `counts` accepts, by link.
  template <class Counts>
  [[nodiscard]] std::map<LinkId, int> loads(Counts counts) const {
    std::map<LinkId, int> loads;
    for (std::size_t from = 0; from < nics.size(); ++from) {
      for (std::size_t to = 0; to < nics.size(); ++to) {
        if (from / 2 == to / 2 || !counts(from, to)) continue;
        for (const LinkId link : way(from, to).links) ++loads[link];
      }
    }
    return loads;
  }
};

// Links of the kind by their load; each must have the one bandwidth.
inline std::map<int, int> links_by_load(const Built& built, const std::map<LinkId, int>& loads,
                                        const std::string& kind) {
  std::map<int, int> links;
  for (const auto& [link, load] : loads) {
    const Link& one = built.graph.links().unnamed(link);
    EXPECT_EQ(one.rate_Bps, kLinkRate);
    if (one.kind.starts_with(kind)) ++links[load];
  }
  return links;
}

// Follows the way link by link, from the sender's NIC to the receiver's.
inline void expect_connected(const Built& built, std::size_t from, std::size_t to) {
  SCOPED_TRACE(testing::Message() << "NIC " << from << " to " << to);
  const Way way = built.way(from, to);
  const Vertex& near = built.graph.vertex(built.nics[from]);
  const Vertex& far = built.graph.vertex(built.nics[to]);
  ASSERT_GE(way.links.size(), 2U);
  EXPECT_EQ(way.links.front(), near.up);
  EXPECT_EQ(way.links.back(), far.down);
  VertexId at = near.above;
  for (std::size_t i = 1; i + 1 < way.links.size(); ++i) {
    const auto edges = built.graph.edges(at);
    const auto edge = std::ranges::find(edges, way.links[i], &Graph::Edge::link);
    ASSERT_NE(edge, edges.end());
    at = edge->to;
  }
  EXPECT_EQ(at, far.above);
}

inline void expect_all_connected(const Built& built) {
  for (std::size_t from = 0; from < built.nics.size(); ++from) {
    for (std::size_t to = 0; to < built.nics.size(); ++to) {
      if (from / 2 != to / 2) expect_connected(built, from, to);
    }
  }
}

inline double seconds_of(const char* collective, const Cluster& cluster,
                         const std::vector<int>& ranks, double bytes, Detail detail) {
  return simulate(schedule_of(collective_named(collective), cluster, ranks, bytes, detail), cluster)
      .makespan_s;
}

// Over all ranks in every detail, to 0.1 %.
inline void expect_seconds(const char* collective, const Cluster& cluster, double bytes,
                           double seconds) {
  for (const Detail detail : kDetails) {
    EXPECT_NEAR(seconds_of(collective, cluster, all_ranks(cluster), bytes, detail) / seconds, 1,
                1e-3)
        << collective;
  }
}

}  // namespace sim
