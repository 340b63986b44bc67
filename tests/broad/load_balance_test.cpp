// SPDX-License-Identifier: Apache-2.0
// How switches spread messages over their links to the next level: collisions of hashes, by
// arithmetic.
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "sim/collectives/collective_rows.hpp"
#include "sim/collectives/collectives.hpp"
#include "sim/program/lone_groups.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"
#include "tests/topology/routers.hpp"

namespace sim {
namespace {

// Nodes of one NIC unless said otherwise, in leaves of `leaf` nodes.
Cluster hashed_cluster(int nodes, int leaf, const NetworkFabric& fabric, double oversubscription,
                       int gpus = 1) {
  Cluster cluster = sample_cluster({.nodes = nodes,
                                    .gpus = gpus,
                                    .nics = gpus,
                                    .fabric = &fabric,
                                    .oversubscription = oversubscription,
                                    .nodes_per_leaf = leaf,
                                    .pod_oversubscription = oversubscription});
  cluster.network.load_balance = LoadBalance::ecmp;
  cluster.network.uplink_bandwidth = cluster.network.nic_bandwidth;
  return cluster;
}

Cluster with_seed(Cluster cluster, std::uint64_t seed) {
  cluster.network.ecmp_seed = seed;
  return cluster;
}

// Links of that kind on the way between two nodes of one GPU.
std::vector<LinkId> links_of(const Topology& topology, int from, int to, const char* kind) {
  std::vector<LinkId> links;
  for (const LinkId link : topology.way(topology.path(from, to).front()).links) {
    if (topology.links().unnamed(link).kind == kind) links.push_back(link);
  }
  return links;
}

// From when the bytes of both messages begin to move.
double two_messages_s(const Topology& topology, double bytes) {
  ScheduleBuilder builder(rank_count(topology.cluster()));
  const Call call{.stream = Stream::weights, .label = "message"};
  for (const int from : {0, 1}) {
    static_cast<void>(send(topology, builder, {from, from + 2, bytes}, call));
  }
  return simulate(std::move(builder).finish(), topology.cluster()).makespan_s - kStartS -
         kNeighbourS - 2 * kHopS;
}

TEST(Ecmp, GivesTwoConnectionsOnOneLinkHalfEach) {
  // Two nodes of one leaf to two of another, over two links as fast as their NICs.
  constexpr double kBytes = 1e9;
  int collided = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Topology topology(with_seed(hashed_cluster(4, 2, fabrics::fat_tree_2level, 1), seed));
    const bool same = links_of(topology, 0, 2, "leaf_up") == links_of(topology, 1, 3, "leaf_up");
    EXPECT_NEAR(two_messages_s(topology, kBytes), (same ? 2 : 1) * kBytes / kLinkRate, 1e-6);
    collided += same ? 1 : 0;
  }
  EXPECT_NEAR(collided, 20, 5 * std::sqrt(40 * 0.25));
}

// The chance that none of so many bins has more than `most` of so many balls: the share of the
// terms of (1 + x + x^2 / 2! + ... + x^most / most!)^bins at x^balls.
double chance_of_at_most(int most, int balls, int bins) {
  std::vector<double> sum(static_cast<std::size_t>(balls + 1));
  sum[0] = 1;
  for (int bin = 0; bin < bins; ++bin) {
    std::vector<double> next(sum.size());
    for (int has = 0; has <= balls; ++has) {
      for (int more = 0; more <= most && has + more <= balls; ++more) {
        next[static_cast<std::size_t>(has + more)] +=
            sum[static_cast<std::size_t>(has)] / std::tgamma(more + 1.0);
      }
    }
    sum = std::move(next);
  }
  return sum.back() * std::tgamma(balls + 1.0) / std::pow(bins, balls);
}

TEST(Ecmp, LoadsTheBusiestLinkAsBallsInBins) {
  constexpr int kFlows = 16, kSeeds = 400;
  double mean = 0, square = 0;  // of the fullest bin, exactly
  for (int most = 1; most <= kFlows; ++most) {
    const double chance =
        chance_of_at_most(most, kFlows, kFlows) - chance_of_at_most(most - 1, kFlows, kFlows);
    mean += chance * most;
    square += chance * most * most;
  }
  double worst = 0, back = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Topology topology(
        with_seed(hashed_cluster(2 * kFlows, kFlows, fabrics::fat_tree_2level, 1), seed));
    std::map<LinkId, int> up, down;
    for (int from = 0; from < kFlows; ++from) {
      ++up[links_of(topology, from, from + kFlows, "leaf_up").front()];
      ++down[links_of(topology, from, from + kFlows, "leaf_down").front()];
    }
    const auto most = [](const std::map<LinkId, int>& loads) {
      int found = 0;
      for (const auto& [link, load] : loads) found = std::max(found, load);
      return found;
    };
    worst += most(up) / double{kSeeds};
    back += most(down) / double{kSeeds};
  }
  EXPECT_NEAR(worst, mean, 4 * std::sqrt((square - mean * mean) / kSeeds));
  EXPECT_EQ(back, worst) << "each spine has one link to each leaf";
}

TEST(Ecmp, LeavesSpinesByTheirOwnLinks) {
  // Leaves of 4 NICs at 2:1 and pods of 2 leaves at 2:1: 2 links up from a leaf, to 2 spines with one
  // link up each.
  const Topology topology(hashed_cluster(16, 4, fabrics::fat_tree_3level, 2));
  std::set<LinkId> seen;
  for (int from = 0; from < 8; ++from) {
    for (int to = 8; to < 16; ++to) {
      const auto lane = [&](const char* kind, int lanes) {
        const auto links = links_of(topology, from, to, kind);
        EXPECT_EQ(links.size(), 1U);
        if (std::string_view(kind) == "pod_up") seen.insert(links.front());
        const std::string name = topology.links()[links.front()].name;
        return std::stoi(name.substr(name.rfind('_') + 1)) % lanes;
      };
      const int spine = lane("leaf_up", 2);
      EXPECT_EQ(lane("leaf_down", 2), spine);
      EXPECT_EQ(lane("pod_up", 2), spine);
      EXPECT_EQ(lane("pod_down", 2), spine);
    }
  }
  EXPECT_EQ(seen.size(), 2U);
}

TEST(Ecmp, HasTheCapacityThatOversubscriptionLeaves) {
  for (const double oversubscription : {1.25, 2.0, 3.0, 7.0}) {
    for (const auto* fabric : {&fabrics::fat_tree_2level, &fabrics::fat_tree_3level,
                               &fabrics::rail_optimized, &fabrics::rail_spine}) {
      Cluster cluster = hashed_cluster(16, 4, *fabric, oversubscription, 4);
      const auto sums = [](const Cluster& of) {
        const Topology topology(of);
        std::map<std::string, double> rates;
        for (LinkId id = 0; id < topology.links().size(); ++id) {
          const Link& link = topology.links().unnamed(id);
          rates[link.kind] += link.rate_Bps;
        }
        return rates;
      };
      const auto hashed = sums(cluster);
      cluster.network.load_balance = LoadBalance::ideal;
      for (const auto& [kind, rate] : sums(cluster)) {
        EXPECT_NEAR(hashed.at(kind) / rate, 1, 1e-9) << fabric->name << " " << kind;
      }
    }
  }
}

// A ring over two nodes of 8 NICs on two leaves, over that of evenly spread messages.
double slowdown(int queue_pairs, std::uint64_t seed) {
  Cluster cluster = with_seed(hashed_cluster(2, 1, fabrics::fat_tree_2level, 1, 8), seed);
  cluster.network.queue_pairs = queue_pairs;
  const auto seconds = [](const Cluster& on) {
    return seconds_of("all_gather", on, all_ranks(on), 1e9, Detail::folded);
  };
  const double hashed = seconds(cluster);
  cluster.network.load_balance = LoadBalance::ideal;
  return hashed / seconds(cluster);
}

TEST(Ecmp, TendsToEvenWithManyQueuePairs) {
  const auto mean = [](int queue_pairs) {
    constexpr int kSeeds = 12;
    double sum = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) sum += slowdown(queue_pairs, seed);
    return sum / kSeeds;
  };
  const double one = mean(1), some = mean(8), many = mean(128);
  EXPECT_GT(one, 1.8);  // the fullest of 8 bins with 8 balls has 2.6 on average
  EXPECT_LT(some, one);
  EXPECT_LT(many, some);
  EXPECT_LT(many, 1.25);
  EXPECT_GT(many, 1);
}

TEST(Ecmp, FoldsAsItTakesStepByStep) {
  for (const auto* fabric : {&fabrics::fat_tree_2level, &fabrics::fat_tree_3level,
                             &fabrics::rail_optimized, &fabrics::rail_spine, &fabrics::dragonfly}) {
    const bool both = fabric == &fabrics::fat_tree_3level;  // placement knows no fabric
    for (const char* placed :
         both ? std::vector{"packed", "scattered"} : std::vector{"scattered"}) {
      Cluster cluster = with_seed(hashed_cluster(8, 2, *fabric, 2, 4), 5);
      cluster.network.global_links = 4;
      cluster.network.queue_pairs = 2;
      cluster.placement = node_placement_of(placed, "");
      for (const CollectiveRow& row : all_collectives()) {
        const auto seconds = [&](Detail detail) {
          return seconds_of(row.name.data(), cluster, all_ranks(cluster), 64 << 20, detail);
        };
        EXPECT_NEAR(seconds(Detail::folded) / seconds(Detail::step_by_step), 1, 1e-3)
            << row.name << " " << fabric->name << " " << placed;
      }
    }
  }
}

TEST(Ecmp, RunsStepsByThemselves) {
  // Rings inside nodes, then between them: over uneven links the second round starts unevenly, so it
  // is simulated step by step unless asked not to be.
  Cluster cluster = hashed_cluster(8, 2, fabrics::fat_tree_2level, 2, 2);
  cluster.collectives.algorithm = &algorithms::hierarchical;
  const CollectiveRow& row = collective_named("all_reduce");
  std::vector<int> ranks(16);
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto seconds = [&](std::optional<Detail> detail) {
    const Topology topology(cluster);
    const LoneGroups lone(topology, {ranks}, {row.collective}, detail);
    const LoneGroups::Alone alone = lone.run(row, 1e9, Buffers::in_place);
    return simulate(alone.collective.schedule, alone.wiring).makespan_s;
  };
  EXPECT_EQ(seconds(std::nullopt), seconds(Detail::step_by_step));
  // No bytes are lost to the hashes: every NIC is as busy as without them, or waits.
  const double hashed = seconds(std::nullopt);
  cluster.network.load_balance = LoadBalance::ideal;
  EXPECT_GE(hashed, seconds(std::nullopt) * (1 - 1e-9));
}

TEST(Ecmp, ChoosesAmongTheLinksOfTwoGroups) {
  // Two groups of 2 routers with 2 global links each: 4 links from one group to the other.
  Cluster cluster = hashed_cluster(8, 1, fabrics::dragonfly, 1);
  cluster.network.global_links = 2;
  std::set<LinkId> used;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Topology topology(with_seed(cluster, seed));
    for (const LinkId link : links_of(topology, 0, 4, "dragonfly_global")) used.insert(link);
  }
  EXPECT_EQ(used.size(), 4U);
}

TEST(AdaptiveSpreading, ReachesItsShareOfTheUplinks) {
  // All nodes of a leaf send out of it: scattered over 2 leaves at 1:1.
  constexpr double kBytes = 1e9;
  Cluster cluster = hashed_cluster(4, 2, fabrics::fat_tree_2level, 1);
  cluster.network.load_balance = LoadBalance::adaptive;
  cluster.network.uplink_efficiency = 0.8;
  cluster.placement = node_placement_of("scattered", "");
  EXPECT_NEAR(seconds_of("all_gather", cluster, all_ranks(cluster), kBytes, Detail::folded) /
                  (3 * kBytes / 4 / (0.8 * kLinkRate)),
              1, 0.01);
}

// A shipped cluster of two-level leaves, with settings.
Network leaves_with(const std::vector<Setting>& settings) {
  return read_cluster(source_directory() / "topologies/roce_a100_2to1.toml", settings).network;
}

TEST(LoadBalanceKeys, AreOfTheirWayOfSpreading) {
  const Network network = leaves_with({{"network.load_balance", "ecmp"},
                                       {"network.uplink_bandwidth", "400 Gbps"},
                                       {"network.queue_pairs", "4"},
                                       {"network.ecmp_seed", "7"}});
  EXPECT_EQ(network.uplink_bandwidth, 400_Gbps);
  EXPECT_EQ(network.queue_pairs, 4);
  EXPECT_EQ(network.ecmp_seed, 7U);
  EXPECT_EQ(leaves_with({}).load_balance, LoadBalance::ideal);
  EXPECT_EQ(
      leaves_with({{"network.load_balance", "adaptive"}, {"network.uplink_efficiency", "0.9"}})
          .uplink_efficiency,
      0.9);
}

TEST(LoadBalanceKeys, AreRefusedElsewhere) {
  const auto refused = [](const std::vector<Setting>& settings) {
    return input_error_of([&] { static_cast<void>(leaves_with(settings)); });
  };
  EXPECT_NE(refused({{"network.load_balance", "hash"}}).find("ecmp"), std::string::npos);
  EXPECT_NE(refused({{"network.queue_pairs", "4"}}), "");
  EXPECT_NE(refused({{"network.load_balance", "ecmp"}, {"network.queue_pairs", "0"}}), "");
  EXPECT_NE(refused({{"network.load_balance", "ecmp"}, {"network.uplink_efficiency", "0.9"}}), "");
  EXPECT_NE(refused({{"network.load_balance", "adaptive"}}).find("uplink_efficiency"),
            std::string::npos);
}

}  // namespace
}  // namespace sim
