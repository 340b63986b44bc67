// SPDX-License-Identifier: Apache-2.0
// Dragonflies, by arithmetic.
#include "tests/topology/routers.hpp"

namespace sim {
namespace {

// The example of Kim et al., figure 5: groups of 4 routers with 2 nodes and 2 global links each, of
// which there can be 9, each pair joined once.
constexpr int kOnRouter = 2;
constexpr int kRouters = 4;
constexpr int kInGroup = kOnRouter * kRouters;
constexpr int kGroups = 9;
constexpr int kDragonflyNodes = kInGroup * kGroups;

Network dragonfly_with(Routing routing) {
  return {.fabric = &fabrics::dragonfly,
          .nic_bandwidth = 50_GBps,
          .link_bandwidth = 50_GBps,
          .nodes_per_router = kOnRouter,
          .routers_per_group = kRouters,
          .groups = kGroups,
          .global_links = 2,
          .routing = routing};
}

// Nodes of one GPU.
Cluster dragonfly_cluster(Routing routing, Bandwidth links) {
  Cluster cluster = sample_cluster(
      {.nodes = kDragonflyNodes, .gpus = 1, .nics = 1, .fabric = &fabrics::dragonfly});
  const Network shape = dragonfly_with(routing);
  cluster.network.link_bandwidth = links;
  cluster.network.nodes_per_router = shape.nodes_per_router;
  cluster.network.routers_per_group = shape.routers_per_group;
  cluster.network.groups = shape.groups;
  cluster.network.global_links = shape.global_links;
  cluster.network.routing = routing;
  return cluster;
}

int group_of_nic(std::size_t nic) { return static_cast<int>(nic) / 2 / kInGroup; }
int router_of_nic(std::size_t nic) { return static_cast<int>(nic) / 2 / kOnRouter; }

TEST(Dragonfly, JoinsEveryPairOverOneGlobalLinkOrTwo) {
  for (const Routing routing : {Routing::minimal, Routing::valiant}) {
    const Built built(dragonfly_with(routing), kDragonflyNodes);
    expect_all_connected(built);
    const int most_global = routing == Routing::minimal ? 1 : 2;
    for (std::size_t from = 0; from < built.nics.size(); ++from) {
      for (std::size_t to = 0; to < built.nics.size(); ++to) {
        if (from / 2 == to / 2) continue;
        const bool inside = group_of_nic(from) == group_of_nic(to);
        const Way way = built.way(from, to);
        const auto global = std::ranges::count_if(way.links, [&](LinkId link) {
          return built.graph.links().unnamed(link).kind == "dragonfly_global";
        });
        const int between = static_cast<int>(way.links.size()) - 2;  // links of routers
        EXPECT_EQ(global, inside ? 0 : most_global);
        EXPECT_EQ(way.switches, between + 1);
        if (inside) {
          EXPECT_EQ(between, router_of_nic(from) == router_of_nic(to) ? 0 : 1);
        } else {
          EXPECT_LE(between, 2 * most_global + 1) << "a local link before and after each";
        }
      }
    }
  }
}

TEST(Dragonfly, SpreadsAllPairsEvenlyOverGlobalLinks) {
  // 16 x 16 NICs of each ordered pair of groups, over their one link; by third groups twice.
  // The 16 NICs take 7 other groups in turn, beginning with another one for each destination, so
  // each takes 2 or 3 of them: nearly as often on each link.
  const auto all = [](std::size_t, std::size_t) { return true; };
  const Built minimal(dragonfly_with(Routing::minimal), kDragonflyNodes);
  EXPECT_EQ(links_by_load(minimal, minimal.loads(all), "dragonfly_global"),
            (std::map<int, int>{{16 * 16, kGroups * (kGroups - 1)}}));
  const Built valiant(dragonfly_with(Routing::valiant), kDragonflyNodes);
  for (const auto& [load, links] : links_by_load(valiant, valiant.loads(all), "dragonfly_global")) {
    EXPECT_NEAR(load, 2 * 16 * 16, 2 * 16 * 16 / 8);
  }
}

TEST(Dragonfly, SpreadsOneGroupsTrafficOverAllGroupsByThirdOnes) {
  // Each of 16 NICs to the one at its place in the next group: all over one link, or over each of
  // the other 7 groups twice or three times.
  const auto to_next = [](std::size_t from, std::size_t to) {
    return group_of_nic(from) == 0 && to == from + 2 * kInGroup;
  };
  const Built minimal(dragonfly_with(Routing::minimal), kDragonflyNodes);
  EXPECT_EQ(links_by_load(minimal, minimal.loads(to_next), "dragonfly_global"),
            (std::map<int, int>{{16, 1}}));
  const Built valiant(dragonfly_with(Routing::valiant), kDragonflyNodes);
  EXPECT_EQ(links_by_load(valiant, valiant.loads(to_next), "dragonfly_global"),
            (std::map<int, int>{{2, 10}, {3, 4}}));
}

TEST(Dragonfly, OfOneGroupSpreadsARoutersTrafficByThirdOnes) {
  // Each of 4 NICs of a router to the one at its place on the next router: all over one link, or by
  // the other 2 routers of the group, twice by each.
  const auto to_next = [](std::size_t from, std::size_t to) {
    return router_of_nic(from) == 0 && to == from + 2 * kOnRouter;
  };
  const auto loads = [&](Routing routing) {
    Network network = dragonfly_with(routing);
    network.groups = 1;
    const Built built(network, kInGroup);
    expect_all_connected(built);
    return links_by_load(built, built.loads(to_next), "dragonfly_local");
  };
  EXPECT_EQ(loads(Routing::minimal), (std::map<int, int>{{4, 1}}));
  EXPECT_EQ(loads(Routing::valiant), (std::map<int, int>{{2, 4}}));
}

TEST(Dragonfly, UsesAllLinksBetweenTwoGroups) {
  // Two groups of 4 routers have 8 links from one to the other: all of 16 x 16 NICs, 32 on each.
  Network network = dragonfly_with(Routing::minimal);
  network.groups = 2;
  const Built built(network, 2 * kInGroup);
  const auto all = [](std::size_t, std::size_t) { return true; };
  EXPECT_EQ(links_by_load(built, built.loads(all), "dragonfly_global"),
            (std::map<int, int>{{32, 16}}));
}

TEST(Dragonfly, HasALatencyForEachRouterAfterTheFirst) {
  const Topology topology(dragonfly_cluster(Routing::minimal, 50_GBps));
  const auto seconds = [&](int to) {
    return topology.latency(topology.path(0, to).front()).base();
  };
  EXPECT_NEAR(seconds(1), kNeighbourS, 1e-12) << "on one router";
  EXPECT_NEAR(seconds(2), kNeighbourS + kHopS, 1e-12) << "in one group";
  // Group 0 reaches group 1 by its link 0, of router 0; that is link 7 of group 1, of router 3.
  EXPECT_NEAR(seconds(kInGroup + 6), kNeighbourS + kHopS, 1e-12);
  EXPECT_NEAR(seconds(kInGroup), kNeighbourS + 2 * kHopS, 1e-12);
}

TEST(Dragonfly, CarriesAllPairsAsFastAsItsNics) {
  // Balanced: no link carries more shares than the 71 of a NIC.
  constexpr double kBytes = 64 << 20;
  expect_seconds("all_to_all", dragonfly_cluster(Routing::minimal, 50_GBps), kBytes,
                 kStartS + kNeighbourS + 3 * kHopS + 71 * kBytes / 72 / kLinkRate);
}

TEST(Dragonfly, CarriesAllPairsAsFastAsItsBusiestLink) {
  // Links of half a NIC's bandwidth. From one router to another of its group go 2 x 2 shares inside
  // the group; 2 x 8 to each of the 2 groups behind the other router; and as many to the other
  // router from each of the 2 groups behind the first: 68, where a global link carries 8 x 8.
  constexpr double kBytes = 64 << 20;
  const Cluster cluster = dragonfly_cluster(Routing::minimal, 25_GBps);
  const double bound = kStartS + kNeighbourS + 3 * kHopS + 68 * kBytes / 72 / (kLinkRate / 2);
  for (const Detail detail : kDetails) {
    const double seconds = seconds_of("all_to_all", cluster, all_ranks(cluster), kBytes, detail);
    EXPECT_GE(seconds, bound * (1 - 1e-6));
    EXPECT_LE(seconds, bound * 1.05);
  }
}

TEST(Dragonfly, AdaptsEachCollectiveToTheBetterOfBothRoutings) {
  constexpr double kBytes = 64 << 20;
  const auto seconds = [&](Routing routing, const std::vector<int>& ranks, Detail detail) {
    return seconds_of("all_to_all", dragonfly_cluster(routing, 25_GBps), ranks, kBytes, detail);
  };
  // All nodes; and two groups, which have one link from one to the other.
  const std::vector<int> all = all_ranks(dragonfly_cluster(Routing::minimal, 25_GBps));
  const std::vector<int> two(all.begin(), all.begin() + 2 * kInGroup);
  for (const Detail detail : kDetails) {
    EXPECT_EQ(seconds(Routing::adaptive, all, detail), seconds(Routing::minimal, all, detail));
    EXPECT_LT(seconds(Routing::adaptive, all, detail), seconds(Routing::valiant, all, detail));
    EXPECT_EQ(seconds(Routing::adaptive, two, detail), seconds(Routing::valiant, two, detail));
    EXPECT_LT(seconds(Routing::adaptive, two, detail), seconds(Routing::minimal, two, detail) / 2);
  }
}

TEST(Dragonfly, FoldedTakesAsLongAsStepByStep) {
  for (const Routing routing : {Routing::minimal, Routing::valiant, Routing::adaptive}) {
    const Cluster cluster = dragonfly_cluster(routing, 25_GBps);
    for (const char* name : {"all_gather", "all_to_all"}) {
      const auto seconds = [&](Detail detail) {
        return seconds_of(name, cluster, all_ranks(cluster), 64 << 20, detail);
      };
      EXPECT_NEAR(seconds(Detail::folded) / seconds(Detail::step_by_step), 1, 0.02) << name;
    }
  }
}

}  // namespace
}  // namespace sim
