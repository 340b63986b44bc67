// SPDX-License-Identifier: Apache-2.0
// Tori, by arithmetic.
#include "sim/collectives/legs.hpp"
#include "tests/topology/routers.hpp"

namespace sim {
namespace {

Network torus_of(std::vector<int> dimensions) {
  return {.fabric = &fabrics::torus,
          .nic_bandwidth = 50_GBps,
          .dimensions = std::move(dimensions),
          .link_bandwidth = 50_GBps};
}

// Of nodes of one GPU.
Cluster torus_cluster(std::vector<int> dimensions, int nodes) {
  Cluster cluster =
      sample_cluster({.nodes = nodes, .gpus = 1, .nics = 1, .fabric = &fabrics::torus});
  cluster.network.dimensions = std::move(dimensions);
  return cluster;
}

TEST(Torus, JoinsEveryPairByTheShortestWay) {
  const std::vector<int> sizes{4, 3, 2};
  const Built built(torus_of(sizes), 24);
  expect_all_connected(built);
  for (int from = 0; from < 24; ++from) {
    for (int to = 0; to < 24; ++to) {
      if (from == to) continue;
      int hops = 0;
      int stride = 1;
      for (const int size : sizes) {
        const int apart = std::abs(from / stride % size - to / stride % size);
        hops += std::min(apart, size - apart);
        stride *= size;
      }
      const Way way =
          built.way(static_cast<std::size_t>(2 * from), static_cast<std::size_t>(2 * to));
      EXPECT_EQ(way.links.size(), static_cast<std::size_t>(hops + 2));
      EXPECT_EQ(way.switches, hops);
    }
  }
}

TEST(Torus, HasLinksOfOneBandwidthThatAnAllToAllLoadsAlike) {
  // Of all pairs of 5 x 3 nodes with two NICs: rings of 5 carry (1 + 2) hops each way for each of 3
  // displacements along the other dimension, rings of 3 carry 1 for each of 5; of 2 x 2 NICs.
  const Built built(torus_of({5, 3}), 15);
  const auto loads = built.loads([](std::size_t, std::size_t) { return true; });
  EXPECT_EQ(links_by_load(built, loads, "torus_"),
            (std::map<int, int>{{3 * 3 * 4, 30}, {1 * 5 * 4, 30}}));
}

TEST(Torus, GoesForwardWhereBothWaysAreAsLong) {
  const Built built(torus_of({4}), 4);
  for (const auto& [to, kind] : {std::pair(2, "torus_forward"), std::pair(4, "torus_forward"),
                                 std::pair(6, "torus_backward")}) {
    const Way way = built.way(0, static_cast<std::size_t>(to));
    EXPECT_EQ(built.graph.links().unnamed(way.links[1]).kind, kind) << to;
  }
}

TEST(Torus, HasALatencyForEachHopAfterTheFirst) {
  const Cluster cluster = torus_cluster({8}, 8);
  const Topology topology(cluster);
  for (int to = 1; to < 8; ++to) {
    const double hops = std::min(to, 8 - to);
    EXPECT_NEAR(topology.latency(topology.path(0, to).front()).base(),
                kNeighbourS + (hops - 1) * kHopS, 1e-12);
  }
}

TEST(Torus, CarriesARingAsItsOwnNeighboursDo) {
  constexpr double kBytes = 64 << 20;
  const double bytes_s = kBytes / kLinkRate;
  // 7 steps between neighbours; and 15, of which one in four turns into the next row over 2 hops.
  expect_seconds("all_gather", torus_cluster({8}, 8), kBytes,
                 kStartS + 7 * kNeighbourS + bytes_s * 7 / 8);
  expect_seconds("all_gather", torus_cluster({4, 4}, 16), kBytes,
                 kStartS + 15 * (kNeighbourS + kHopS / 4) + bytes_s * 15 / 16);
}

TEST(Torus, CarriesAllPairsAsFastAsItsForwardLinks) {
  // Links of half a NIC's bandwidth. Forward, a ring of 8 carries pairs 1, 2, 3 and 4 apart, and
  // one of 4 those 1 and 2 apart, at each of the 4 or 16 places along the other dimensions.
  struct Case {
    std::vector<int> dimensions;
    int nodes, farthest, shares;
  };
  const Case cases[] = {
      {{8}, 8, 4, 1 + 2 + 3 + 4}, {{4, 4}, 16, 4, 4 * (1 + 2)}, {{4, 4, 4}, 64, 6, 16 * (1 + 2)}};
  constexpr double kBytes = 64 << 20;
  for (const Case& one : cases) {
    Cluster cluster = torus_cluster(one.dimensions, one.nodes);
    cluster.network.link_bandwidth = 25_GBps;
    expect_seconds("all_to_all", cluster, kBytes,
                   kStartS + kNeighbourS + (one.farthest - 1) * kHopS +
                       one.shares * kBytes / one.nodes / (kLinkRate / 2));
  }
}

TEST(Torus, FoldsAllPairsToAFlowANode) {
  for (const NvlinkFabric* nvlink : all_nvlink_fabrics()) {
    Cluster cluster = sample_cluster(
        {.nodes = 8, .gpus = 4, .nics = 2, .fabric = &fabrics::torus, .nvlink = nvlink});
    cluster.network.dimensions = {4, 2};
    const std::vector<int> ranks = all_ranks(cluster);
    EXPECT_EQ(fold_all_to_all(Topology(cluster), ranks).size(), 8u);
    const auto seconds = [&](Detail detail) {
      return seconds_of("all_to_all", cluster, ranks, 64 << 20, detail);
    };
    EXPECT_NEAR(seconds(Detail::folded) / seconds(Detail::step_by_step), 1, 1e-6) << nvlink->name;
  }
}

TEST(Torus, CarriesAllPairsAsFastAsNicsIfItsLinksAreFaster) {
  // 7 of 8 shares over the NIC at 50 GB/s, where 10 over a link at 100 GB/s take less.
  constexpr double kBytes = 64 << 20;
  Cluster cluster = torus_cluster({8}, 8);
  cluster.network.link_bandwidth = 100_GBps;
  expect_seconds("all_to_all", cluster, kBytes,
                 kStartS + kNeighbourS + 3 * kHopS + 7 * kBytes / 8 / kLinkRate);
}

}  // namespace
}  // namespace sim
