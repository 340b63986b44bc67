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
  return read_cluster(source_directory() / "topologies/sdp4bit_a100.toml", settings).network;
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

}  // namespace
}  // namespace sim
