// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nic_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sim {
namespace {

Bandwidth gbps(double rate) { return Bandwidth::from_base(rate * 1e9 / 8); }

TEST(NicRates, AscendAndAreSold) {
  const auto rates = nic_rates();
  EXPECT_TRUE(std::ranges::is_sorted(rates));
  for (const double sold : {10, 25, 100, 200, 400, 800}) {
    EXPECT_EQ(std::ranges::count(rates, gbps(sold)), 1) << sold;
  }
}

TEST(NicRates, AreBuiltWhereTheSlotCarriesThem) {
  Cluster cluster;
  cluster.network.nic_bandwidth = gbps(400);
  cluster.gpu.host_bandwidth = gbps(512);
  for (const Bandwidth rate : nic_rates()) {
    const std::string why = why_not_built(cluster, rate);
    EXPECT_EQ(why.empty(), rate <= gbps(512)) << rate.base() << why;
    EXPECT_TRUE(why.empty() || why.find("gpu.host_bandwidth") != std::string::npos) << why;
  }
  // Hosts that say nothing of their slots carry what is sold.
  cluster.gpu.host_bandwidth.reset();
  EXPECT_EQ(why_not_built(cluster, gbps(800)), "");
}

TEST(NicRates, NamesTheNextOneThatIsSold) {
  Cluster cluster;
  cluster.network.nic_bandwidth = gbps(400);
  EXPECT_EQ(why_not_built(cluster, gbps(300)),
            "no NIC of 300 Gbps is sold; the next faster one has 400 Gbps");
  EXPECT_EQ(why_not_built(cluster, gbps(900)),
            "no NIC of 900 Gbps is sold; the fastest has 800 Gbps");
}

// A file's own NICs are built, whatever they are: eight of 800 Gb/s behind switches of their own.
TEST(NicRates, OfTheFileAreBuilt) {
  Cluster cluster;
  cluster.gpu.host_bandwidth = gbps(512);
  for (const double own : {300.0, 800.0}) {
    cluster.network.nic_bandwidth = gbps(own);
    EXPECT_EQ(why_not_built(cluster, gbps(own)), "");
  }
}

}  // namespace
}  // namespace sim
