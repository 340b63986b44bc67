// SPDX-License-Identifier: Apache-2.0
// What holds of the fabric of every shipped cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/topology/topology.hpp"
#include "tests/shipped_files.hpp"

namespace {

using namespace sim;

class ShippedFabric : public testing::TestWithParam<std::filesystem::path> {};

INSTANTIATE_TEST_SUITE_P(All, ShippedFabric,
                         testing::ValuesIn(shipped_files("topologies", ".toml")),
                         [](const auto& instance) { return instance.param.stem().string(); });

void expect_route(const Topology& topology, int source, int destination) {
  SCOPED_TRACE(testing::Message() << source << " to " << destination);
  int at = source;
  for (const Hop& hop : topology.path(source, destination)) {
    EXPECT_EQ(hop.source, at);
    at = hop.destination;
    const Way way = topology.way(hop);
    EXPECT_FALSE(way.links.empty());
    for (const LinkId link : way.links) {
      ASSERT_LT(link, topology.links().size());
      EXPECT_GT(topology.links()[link].rate_Bps, 0);
    }
  }
  EXPECT_EQ(at, destination);
}

TEST_P(ShippedFabric, JoinsEveryPairOfRanks) {
  // The nodes are alike: from the first and the last to all ranks, or to every 13th of many.
  const Cluster cluster = read_cluster(GetParam());
  const Topology topology(cluster);
  const int ranks = rank_count(cluster);
  constexpr int kMany = 4096;
  for (int gpu = 0; gpu < cluster.gpus_per_node; ++gpu) {
    for (const int source : {gpu, ranks - 1 - gpu}) {
      for (int destination = 0; destination<ranks; destination += ranks> kMany ? 13 : 1) {
        if (destination != source) expect_route(topology, source, destination);
      }
    }
  }
}

TEST_P(ShippedFabric, GivesEachNicAsManyChannelsAsTheOthers) {
  // Channels take the NICs in turn: a remainder would leave some NICs idle while others work.
  const Cluster cluster = read_cluster(GetParam());
  const int nics = cluster.network.nics_per_node;
  const int channels = cluster.collectives.channels;
  EXPECT_TRUE(channels % nics == 0 || channels < nics) << channels << " over " << nics;
}

TEST(Dgx2, HasOneToEightNicsThatItsSixteenGpusShare) {
  const auto file = source_directory() / "topologies/dgx2_v100_x24.toml";
  for (int nics = 1; nics <= 8; ++nics) {
    const std::vector<Setting> settings{{"network.nics_per_node", std::to_string(nics)}};
    const Cluster cluster = read_cluster(file, settings);
    const Topology topology(cluster);
    std::vector<int> sharers(static_cast<std::size_t>(nics));
    for (const int nic : cluster.network.gpu_nic) ++sharers.at(static_cast<std::size_t>(nic));
    // 16 / nics, rounded down or up.
    EXPECT_EQ(*std::ranges::min_element(sharers), 16 / nics);
    EXPECT_EQ(*std::ranges::max_element(sharers), (16 + nics - 1) / nics);
    for (int rank = 1; rank < rank_count(cluster); ++rank) expect_route(topology, 0, rank);
  }
}

}  // namespace
