// SPDX-License-Identifier: Apache-2.0
// The keys of fabrics whose routers are joined directly.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/topology/cluster.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

// 16 nodes on a single switch, with NICs of 100 Gbps.
Network network_with(std::vector<Setting> settings) {
  settings.push_back({"network.nic_bandwidth", "100 Gbps"});
  return read_cluster(source_directory() / "topologies/aws_p4d.toml", settings).network;
}

// One line, of one of the settings.
void expect_refused(const std::vector<Setting>& settings, const std::string& says) {
  const std::string error = input_error_of([&] { static_cast<void>(network_with(settings)); });
  EXPECT_TRUE(error.starts_with("`set` network.")) << error;
  EXPECT_NE(error.find(says), std::string::npos) << error;
  EXPECT_EQ(lines_of(error).size(), 1U) << error;
}

std::vector<Setting> torus_with(const Setting& setting) {
  return {{"network.fabric", "torus"}, {"network.switch_latency", "300 ns"}, setting};
}

TEST(TorusKeys, AreItsDimensionsAndTheBandwidthOfItsLinks) {
  const Network network = network_with(torus_with({"network.dimensions", "[2, 8]"}));
  EXPECT_EQ(network.dimensions, (std::vector<int>{2, 8}));
  EXPECT_EQ(network.link_bandwidth, 100_Gbps) << "that of a NIC";
  std::vector<Setting> fast = torus_with({"network.dimensions", "[2, 4, 2]"});
  fast.push_back({"network.link_bandwidth", "200 Gbps"});
  EXPECT_EQ(network_with(fast).link_bandwidth, 200_Gbps);
}

TEST(TorusKeys, DescribeAllNodesAndNoOtherFabric) {
  const auto refused = [](const char* dimensions, const char* says) {
    expect_refused(torus_with({"network.dimensions", dimensions}), says);
  };
  refused("[2, 5]", "[2, 5] is not a torus of 16 nodes; write numbers whose product is 16");
  refused("[65536, 65536, 65536, 65536]", "is not a torus of 16 nodes");
  refused("[0, 16]", "0 is out of range");
  refused("[]", "is not a list of whole numbers");
  refused("16", "is not a list of whole numbers");
  expect_refused({{"network.dimensions", "[4, 4]"}}, "does not apply with fabric single_switch");
  const std::string missing = input_error_of([] {
    static_cast<void>(network_with(torus_with({"network.link_bandwidth", "1 Gbps"})));
  });
  EXPECT_NE(missing.find("missing key dimensions"), std::string::npos) << missing;
}

TEST(SharpKeys, GoWithFabricsOfSwitches) {
  const std::vector<Setting> keys{{"network.sharp_efficiency", "0.9"},
                                  {"network.sharp_latency", "20 us"}};
  EXPECT_EQ(network_with(keys).sharp, (LinkPace{20_us, 0.9}));
  EXPECT_FALSE(network_with({}).sharp);
  std::vector<Setting> torus = torus_with({"network.dimensions", "[4, 4]"});
  torus.insert(torus.end(), keys.begin(), keys.end());
  expect_refused(torus, "switches of a torus do not add");
}

std::vector<Setting> dragonfly_with_keys(const std::vector<Setting>& more) {
  std::vector<Setting> settings{{"network.fabric", "dragonfly"},
                                {"network.switch_latency", "300 ns"},
                                {"network.nodes_per_router", "2"},
                                {"network.routers_per_group", "3"}};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

TEST(DragonflyKeys, DefaultToABalancedOneOfAllNodes) {
  // 16 nodes of 4 NICs fill 6 nodes of each group; 8 NICs on each router.
  const Network network = network_with(dragonfly_with_keys({{"network.nics_per_node", "4"}}));
  EXPECT_EQ(network.nodes_per_router, 2);
  EXPECT_EQ(network.routers_per_group, 3);
  EXPECT_EQ(network.groups, 3);
  EXPECT_EQ(network.global_links, 8);
  EXPECT_EQ(network.routing, Routing::adaptive);
  EXPECT_EQ(network.link_bandwidth, 100_Gbps);
  // 32 groups, which 3 routers join with 11 links each.
  const Network wide =
      network_with(dragonfly_with_keys({{"network.nics_per_node", "1"}, {"network.groups", "32"}}));
  EXPECT_EQ(wide.groups, 32);
  EXPECT_EQ(wide.global_links, 11);
}

TEST(DragonflyKeys, AreReadAsGiven) {
  const Network network = network_with(dragonfly_with_keys(
      {{"network.groups", "4"}, {"network.global_links", "1"}, {"network.routing", "valiant"}}));
  EXPECT_EQ(network.groups, 4);
  EXPECT_EQ(network.global_links, 1);
  EXPECT_EQ(network.routing, Routing::valiant);
}

TEST(DragonflyKeys, JoinAllNodesAndNoOtherFabric) {
  const auto refused = [](const std::vector<Setting>& more, const char* says) {
    expect_refused(dragonfly_with_keys(more), says);
  };
  refused({{"network.groups", "2"}},
          "2 of 6 nodes are too few for 16 nodes; write at least 3, or remove the key");
  refused({{"network.groups", "60000"}}, "has 180000 routers; write at most 21845");
  refused({{"network.groups", "20"}, {"network.global_links", "6"}},
          "6 on each of 3 routers join a group to 18 others, not to 19; write at least 7");
  refused({{"network.nodes_per_router", "0"}, {"network.groups", "9"}}, "0 is out of range");
  refused({{"network.groups", "3000"}, {"network.global_links", "4"}},
          "3 cannot join 3000 groups with at most 256 global links each; write at least 12");
  refused({{"network.routing", "ugal"}}, "'ugal' is not one of: minimal, valiant, adaptive");
  refused({{"network.global_links", "0"}}, "0 is out of range");
  for (const char* key : {"nodes_per_router", "groups", "global_links"}) {
    expect_refused({{std::string("network.") + key, "2"}}, "does not apply with fabric single_");
  }
  expect_refused({{"network.routing", "minimal"}}, "does not apply with fabric single_switch");
}

}  // namespace
}  // namespace sim
