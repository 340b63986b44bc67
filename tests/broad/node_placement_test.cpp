// SPDX-License-Identifier: Apache-2.0
// Where a job's nodes lie on the fabric, and what that costs: by arithmetic.
#include "sim/topology/node_placement.hpp"

#include <set>

#include "sim/base/error.hpp"
#include "tests/input_errors.hpp"
#include "tests/topology/routers.hpp"

namespace sim {
namespace {

NodePlacement placed(std::string_view text) { return node_placement_of(text, "--placed"); }

// A part of 16 nodes in leaves of 4 and pods of 2 leaves, both tapered.
Cluster part_placed(int nodes, std::string_view text, const NetworkFabric& fabric,
                    double oversubscription = 4, int gpus = 1) {
  Cluster cluster = sample_cluster({.nodes = 16,
                                    .gpus = gpus,
                                    .nics = gpus,
                                    .fabric = &fabric,
                                    .oversubscription = oversubscription});
  cluster.placement = placed(text);
  return part_of(std::move(cluster), nodes, gpus);
}

TEST(NodePlacement, IsPackedFromTheFirstNodeOn) {
  EXPECT_EQ(places_of(part_placed(5, "packed", fabrics::fat_tree_2level)),
            (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(placement_name(part_placed(5, "packed", fabrics::fat_tree_2level)), "");
}

TEST(NodePlacement, ScattersOverTheOutermostUnitsFirst) {
  // Leaves of 4; pods of two leaves; planes of one ring of 4; routers of 2, groups of 2 routers.
  EXPECT_EQ(places_of(part_placed(6, "scattered", fabrics::fat_tree_2level)),
            (std::vector<int>{0, 4, 8, 12, 1, 5}));
  EXPECT_EQ(places_of(part_placed(6, "scattered", fabrics::fat_tree_3level)),
            (std::vector<int>{0, 8, 4, 12, 1, 9}));
  EXPECT_EQ(places_of(part_placed(6, "scattered", fabrics::torus)),
            (std::vector<int>{0, 4, 8, 12, 1, 5}));
  EXPECT_EQ(places_of(part_placed(6, "scattered", fabrics::dragonfly)),
            (std::vector<int>{0, 4, 8, 12, 2, 6}));
  EXPECT_EQ(places_of(part_placed(3, "scattered", fabrics::single_switch)),
            (std::vector<int>{0, 1, 2}));
}

TEST(NodePlacement, TakesEveryNodeOnceOnEveryFabric) {
  for (const NetworkFabric* fabric : all_network_fabrics()) {
    for (const char* text : {"packed", "scattered", "random", "random:9"}) {
      const std::vector<int> places = places_of(part_placed(16, text, *fabric));
      const std::set<int> all(places.begin(), places.end());
      EXPECT_EQ(all.size(), 16U) << fabric->name << " " << text;
      EXPECT_EQ(*all.rbegin(), 15) << fabric->name << " " << text;
    }
  }
}

TEST(NodePlacement, DrawsAsItsSeedSays) {
  EXPECT_EQ(random_order(100, 1), random_order(100, 1));
  EXPECT_NE(random_order(100, 1), random_order(100, 2));
  // The first of 4, over 4 000 draws: 1 000 each, with a standard deviation of 27.
  std::vector<int> firsts(4);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    ++firsts[static_cast<std::size_t>(random_order(4, seed).front())];
  }
  for (const int count : firsts) EXPECT_NEAR(count, 1000, 5 * 27);
}

TEST(NodePlacement, ReadsListsAndFiles) {
  EXPECT_EQ(placed("0-2,8, 5").listed, (std::vector<int>{0, 1, 2, 8, 5}));
  EXPECT_EQ(listed_nodes("3 1 # two\n\n7-8\n", "nodes.txt").listed, (std::vector<int>{3, 1, 7, 8}));
  EXPECT_EQ(places_of(part_placed(2, "9,3,1", fabrics::fat_tree_2level)), (std::vector<int>{9, 3}));
}

TEST(NodePlacement, RefusesWhatIsNoPlacement) {
  const auto error = [](auto what) { return input_error_of([&] { static_cast<void>(what()); }); };
  for (const char* text : {"", "scatered", "random:", "random:-1", "3-1", "1--2", "0,0", "-1",
                           "99999999999", "131072", "1-"}) {
    const std::string says = error([&] { return placed(text); });
    EXPECT_TRUE(says.starts_with("--placed: ")) << text << ": " << says;
  }
  EXPECT_TRUE(
      error([] { return listed_nodes("0\n1,x\n", "nodes.txt"); }).starts_with("nodes.txt:2: 'x'"));
  EXPECT_EQ(error([] { return listed_nodes("# none\n", "nodes.txt"); }),
            "nodes.txt: names no node; write their numbers, e.g. 0-3,8");
  EXPECT_EQ(error([] { return placed("3-0"); }), "--placed: '3-0' is a reversed range; write 0-3");
  EXPECT_EQ(error([] { return placed("2,0-3"); }),
            "--placed: names node 2 twice; name each node once");
  EXPECT_EQ(error([] { return places_of(part_placed(2, "1,16", fabrics::fat_tree_2level)); }),
            "names node 16, but the nodes of sample are 0 to 15");
  EXPECT_EQ(error([] { return places_of(part_placed(3, "1,2", fabrics::fat_tree_2level)); }),
            "lists 2 nodes, but the job has 3");
}

// The time of bytes alone.
double moving_s(const char* collective, Cluster cluster, double bytes) {
  cluster.network.latency = cluster.network.switch_latency = cluster.collectives.launch = 0_us;
  cluster.nvlink.latency = 0_us;
  return seconds_of(collective, cluster, all_ranks(cluster), bytes, Detail::folded);
}

TEST(NodePlacement, MakesARingPayForOversubscriptionWhereItIsScattered) {
  // 8 nodes: packed, one node of each leaf of 4 sends out of it, over uplinks as wide as one NIC.
  // Scattered over 4 leaves, both nodes of a leaf do, each at half its rate.
  constexpr double kBytes = 1e9;
  const double nic_s = kBytes * 7 / 8 / 50e9;
  const auto seconds = [&](const char* text) {
    return moving_s("all_gather", part_placed(8, text, fabrics::fat_tree_2level), kBytes);
  };
  EXPECT_NEAR(seconds("packed") / nic_s, 1, 1e-6);
  EXPECT_NEAR(seconds("scattered") / nic_s, 2, 1e-6);
  // Four nodes of one leaf, and the first four leaves' first ones: no two share an uplink.
  EXPECT_NEAR(seconds("0,4,8,12,1,5,9,13") / nic_s, 2, 1e-6);
  EXPECT_NEAR(seconds("0-3,8-11") / nic_s, 1, 1e-6);
}

TEST(NodePlacement, CountsTheSharesOfAllPairsOnUnevenLeaves) {
  // Three nodes on one leaf and one on another, uplinks half as wide as a NIC: they carry 3 of the
  // 4 shares of each direction.
  constexpr double kBytes = 1e9;
  const Cluster cluster = part_placed(4, "0,1,2,9", fabrics::fat_tree_2level, 8);
  EXPECT_NEAR(moving_s("all_to_all", cluster, kBytes), 3 * kBytes / 4 / 25e9, 1e-6);
}

TEST(NodePlacement, FoldsAsItTakesStepByStep) {
  for (const NetworkFabric* fabric : all_network_fabrics()) {
    for (const char* text : {"scattered", "random:3", "0,1,2,5,9,14"}) {
      const Cluster cluster = part_placed(6, text, *fabric, 2, 2);
      for (const CollectiveRow& row : all_collectives()) {
        const auto seconds = [&](Detail detail) {
          return seconds_of(row.name.data(), cluster, all_ranks(cluster), 16 << 20, detail);
        };
        EXPECT_NEAR(seconds(Detail::folded) / seconds(Detail::step_by_step), 1, 1e-3)
            << row.name << " " << fabric->name << " " << text;
      }
    }
  }
}

}  // namespace
}  // namespace sim
