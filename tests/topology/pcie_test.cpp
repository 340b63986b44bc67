// SPDX-License-Identifier: Apache-2.0
// GPUs without NVLink, and GPUs whose NIC is on another socket, by arithmetic.
#include "sim/topology/topology.hpp"
#include "tests/topology/routers.hpp"

namespace sim {
namespace {

constexpr double kBytes = 64 << 20;

// 8 GPUs: four PCIe switches of two, two sockets of four. Ports of 40 GB/s.
Cluster pcie_cluster(Bandwidth bridges, Bandwidth sockets, int nodes = 1) {
  Cluster cluster = sample_cluster({.nodes = nodes, .nvlink = &fabrics::pcie});
  cluster.nvlink.bandwidth = 40_GBps;
  cluster.nvlink.bridge_bandwidth = bridges;
  cluster.nvlink.socket_bandwidth = sockets;
  return cluster;
}

constexpr double kStepS = 2e-6;  // between GPUs of a node

TEST(Pcie, LeadsUpToTheLowestSwitchAboveBoth) {
  const Topology topology(pcie_cluster(40_GBps, 40_GBps, 2));
  const auto kinds = [&](int from, int to) {
    std::vector<std::string> kinds;
    for (const LinkId link : topology.way({from, to}).links) {
      kinds.push_back(topology.links().unnamed(link).kind);
    }
    return kinds;
  };
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(kinds(8, 9), (Kinds{"pcie_out", "pcie_in"}));
  EXPECT_EQ(kinds(9, 10), (Kinds{"pcie_out", "bridge_up", "bridge_down", "pcie_in"}));
  EXPECT_EQ(kinds(15, 8),
            (Kinds{"pcie_out", "bridge_up", "socket_out", "socket_in", "bridge_down", "pcie_in"}));
}

TEST(Pcie, LeadsToTheNicsByTheGpusPorts) {
  const Topology topology(pcie_cluster(40_GBps, 40_GBps, 2));
  std::vector<std::string> kinds;
  for (const LinkId link : topology.way(topology.path(0, 8).front()).links) {
    kinds.push_back(topology.links().unnamed(link).kind);
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"nic_out", "nic_in", "pcie_out", "pcie_in"}));
}

TEST(Pcie, CarriesARingAtTheRateOfItsNarrowestLink) {
  // A ring has one hop over each link.
  const auto seconds = [](double rate) { return kStartS + 7 * kStepS + 7 * kBytes / 8 / rate; };
  expect_seconds("all_gather", pcie_cluster(40_GBps, 40_GBps), kBytes, seconds(40e9));
  expect_seconds("all_gather", pcie_cluster(20_GBps, 40_GBps), kBytes, seconds(20e9));
  expect_seconds("all_gather", pcie_cluster(40_GBps, 10_GBps), kBytes, seconds(10e9));
}

TEST(Pcie, SharesBridgesAndSocketsAmongThePairsThatCrossThem) {
  // 7 shares leave a GPU, 2 x 6 its switch, 4 x 4 its socket.
  const auto seconds = [](double shares, double rate) {
    return kStartS + kStepS + shares * kBytes / 8 / rate;
  };
  expect_seconds("all_to_all", pcie_cluster(400_GBps, 400_GBps), kBytes, seconds(7, 40e9));
  expect_seconds("all_to_all", pcie_cluster(40_GBps, 400_GBps), kBytes, seconds(12, 40e9));
  expect_seconds("all_to_all", pcie_cluster(40_GBps, 40_GBps), kBytes, seconds(16, 40e9));
}

TEST(FarNic, IsAsFastAsTheWayToIt) {
  // Two nodes of a GPU and a NIC of 50 GB/s each.
  Cluster cluster = sample_cluster({.nodes = 2, .gpus = 1, .nics = 1});
  const auto seconds = [](double rate) { return kStartS + kNeighbourS + kBytes / 2 / rate; };
  expect_seconds("all_gather", cluster, kBytes, seconds(50e9));
  cluster.network.far_gpus = {0};
  cluster.network.far_bandwidth = 20_GBps;
  expect_seconds("all_gather", cluster, kBytes, seconds(20e9));
  cluster.network.far_bandwidth = 200_GBps;
  expect_seconds("all_gather", cluster, kBytes, seconds(50e9));
}

TEST(FarNic, SlowsOnlyWhatTheFarGpusSend) {
  // 2 nodes of 2 GPUs: each sends 2 of 4 shares to the other node, over its own NIC.
  Cluster cluster = sample_cluster({.nodes = 2, .gpus = 2, .nics = 2});
  const auto seconds = [&] {
    return seconds_of("all_to_all", cluster, all_ranks(cluster), kBytes, Detail::folded);
  };
  const double near = seconds();
  cluster.network.far_gpus = {1};
  cluster.network.far_bandwidth = 25_GBps;
  EXPECT_NEAR(seconds() - near, 2 * kBytes / 4 * (1 / 25e9 - 1 / 50e9), 1e-3 * near);
  EXPECT_EQ(part_of(cluster, 2, 1).network.far_gpus, std::vector<int>{});
}

}  // namespace
}  // namespace sim
