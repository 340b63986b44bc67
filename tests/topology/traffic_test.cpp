// SPDX-License-Identifier: Apache-2.0
// What other jobs send on the same fabric takes its share of the links: by arithmetic.
#include "sim/topology/traffic.hpp"

#include "tests/input_errors.hpp"
#include "tests/topology/routers.hpp"

namespace sim {
namespace {

// Two nodes of four, on two leaves of two whose uplinks are as wide as one NIC, beside other jobs.
Cluster beside(const std::string& jobs, int gpus = 1) {
  Cluster cluster = sample_cluster({.nodes = 4,
                                    .gpus = gpus,
                                    .nics = gpus,
                                    .fabric = &fabrics::fat_tree_2level,
                                    .oversubscription = 2,
                                    .nodes_per_leaf = 2});
  cluster.placement = node_placement_of("0,2", "");
  cluster = part_of(std::move(cluster), 2, gpus);
  if (!jobs.empty()) cluster.traffic = parse_traffic(jobs, "jobs.toml");
  return cluster;
}

const std::string kNeighbour =
    "[jobs.neighbour]\nplacement = \"1,3\"\npattern = \"ring\"\nbandwidth = ";

// Bytes per second at which a ring over both nodes sends its half of them to the other one.
double ring_rate(const Cluster& cluster, const char* collective = "all_gather") {
  constexpr double kBytes = 2e9;
  const double seconds =
      seconds_of(collective, cluster, all_ranks(cluster), kBytes, Detail::folded) - kStartS -
      kNeighbourS - 2 * kHopS;
  return kBytes / 2 / seconds;
}

TEST(Traffic, SharesALinkInHalves) {
  EXPECT_NEAR(ring_rate(beside("")) / kLinkRate, 1, 1e-3);
  for (const char* offered : {"\"50 GBps\"", "\"40 GBps\"", "\"26 GBps\""}) {
    EXPECT_NEAR(ring_rate(beside(kNeighbour + offered)) / (kLinkRate / 2), 1, 1e-3) << offered;
  }
}

TEST(Traffic, TakesNoMoreThanItOffers) {
  EXPECT_NEAR(ring_rate(beside(kNeighbour + "\"10 GBps\"")) / 40e9, 1, 1e-3);
  EXPECT_NEAR(ring_rate(beside(kNeighbour + "\"1 GBps\"")) / 49e9, 1, 1e-3);
}

TEST(Traffic, IsThereForItsPartOfEachPeriod) {
  // A quarter of the time half of the link, of 25 ms: three quarters of 50 GB/s and a quarter of 25.
  const std::string on = kNeighbour + "\"50 GBps\"\nperiod = \"100 us\"\non = \"25 us\"\n";
  EXPECT_NEAR(ring_rate(beside(on)) / (0.75 * 50e9 + 0.25 * 25e9), 1, 0.01);
}

TEST(Traffic, HoldsUpNoOneElsewhere) {
  // Between the other nodes of one leaf, or on other NICs of a fabric that is no bottleneck.
  Cluster cluster = beside(kNeighbour + "\"50 GBps\"");
  cluster.network.oversubscription = 1;
  EXPECT_NEAR(ring_rate(cluster) / kLinkRate, 1, 1e-3);
}

TEST(Traffic, SlowsAStepByStepCollectiveAlike) {
  const Cluster cluster = beside(kNeighbour + "\"30 GBps\"", 4);
  for (const CollectiveRow& row : all_collectives()) {
    const auto seconds = [&](Detail detail) {
      return seconds_of(row.name.data(), cluster, all_ranks(cluster), 1 << 30, detail);
    };
    EXPECT_NEAR(seconds(Detail::folded) / seconds(Detail::step_by_step), 1, 5e-3) << row.name;
  }
}

TEST(Traffic, IsOfNodesThatAreFree) {
  Cluster cluster =
      sample_cluster({.nodes = 16, .gpus = 2, .nics = 2, .fabric = &fabrics::fat_tree_2level});
  cluster.traffic = parse_traffic(
      "[jobs.a]\nplacement = \"packed\"\nnodes = 3\npattern = \"ring\"\nbandwidth = \"1 GBps\"\n"
      "[jobs.b]\nplacement = \"scattered\"\nnodes = 3\npattern = \"all_to_all\"\n"
      "bandwidth = \"1 GBps\"\n",
      "jobs.toml");
  cluster = part_of(std::move(cluster), 4, 2);
  EXPECT_EQ(traffic_places(cluster), (std::vector<std::vector<int>>{{4, 5, 6}, {8, 12, 9}}));
  const auto flows = traffic_flows(Topology(cluster));
  ASSERT_EQ(flows.size(), 6U);
  EXPECT_EQ(flows[0].ways.size(), 2U) << "one for each NIC";
  EXPECT_EQ(flows[3].ways.size(), 4U) << "to two nodes";
  EXPECT_DOUBLE_EQ(flows[3].share_Bps, 1e9 / 4);
  cluster.traffic.front().nodes = 13;
  EXPECT_EQ(input_error_of([&] { static_cast<void>(traffic_places(cluster)); }),
            "jobs.toml:3:1: 'a' wants 13 nodes, but only 12 of the 16 of sample are free; reduce "
            "`nodes` here, or the nodes of your own job");
  cluster.traffic = parse_traffic(
      "[jobs.a]\nplacement = \"1,16\"\npattern = \"ring\"\nbandwidth = \"1 GBps\"\n", "jobs.toml");
  EXPECT_EQ(input_error_of([&] { static_cast<void>(traffic_places(cluster)); }),
            "jobs.toml:2:1: 'a' names node 16, but the nodes of sample are 0 to 15; list some of "
            "those");
}

TEST(TrafficFile, IsReadStrictly) {
  const auto says = [](const std::string& text) {
    return input_error_of([&] { static_cast<void>(parse_traffic(text, "jobs.toml")); });
  };
  EXPECT_EQ(says(""), "jobs.toml:1:1: is empty; copy the example in docs/files/traffic.md");
  const std::string without_nodes = says(
      "[jobs.a]\nplacement = \"packed\"\npattern = \"pairs\"\npairs = [\"0-3\"]\n"
      "bandwidth = \"1 GBps\"\n");
  EXPECT_NE(without_nodes.find("nodes"), std::string::npos);
  EXPECT_EQ(without_nodes.find('\n'), std::string::npos) << without_nodes;
  EXPECT_NE(says("[jobs]\n"), "");
  const std::string job = "[jobs.a]\nplacement = \"1,3\"\nbandwidth = \"1 GBps\"\n";
  EXPECT_TRUE(says(job + "pattern = \"star\"\n").starts_with("jobs.toml:4:1: pattern"));
  EXPECT_TRUE(says(job + "pattern = \"ring\"\nnodes = 2\n").starts_with("jobs.toml:5:1: nodes"));
  EXPECT_TRUE(says(job + "pattern = \"ring\"\npairs = [\"0-1\"]\n").starts_with("jobs.toml:5:1:"));
  for (const char* pairs : {"[\"0-2\"]", "[\"0-0\"]", "[\"x\"]", "[\"1-\"]", "[]", "[\"-1-0\"]"}) {
    EXPECT_TRUE(says(job + "pattern = \"pairs\"\npairs = " + pairs + "\n")
                    .starts_with("jobs.toml:5:1: pairs"))
        << pairs;
  }
  EXPECT_NE(says(job + "pattern = \"ring\"\nperiod = \"1 ms\"\n"), "");
  EXPECT_TRUE(says(job + "pattern = \"ring\"\nperiod = \"1 ms\"\non = \"1 ms\"\n")
                  .starts_with("jobs.toml:6:1: on"));
  EXPECT_TRUE(says("[jobs.a]\nplacement = \"near\"\nnodes = 2\npattern = \"ring\"\n"
                   "bandwidth = \"1 GBps\"\n")
                  .starts_with("jobs.toml:2:1: placement: 'near'"));
  EXPECT_NE(says("[jobs.a]\nplacement = \"packed\"\nnodes = 1\npattern = \"ring\"\n"
                 "bandwidth = \"1 GBps\"\n"),
            "");
  EXPECT_EQ(
      parse_traffic(job + "pattern = \"pairs\"\npairs = [\"1-0\"]\n", "jobs.toml").front().pairs,
      (std::vector<std::pair<int, int>>{{1, 0}}));
}

}  // namespace
}  // namespace sim
