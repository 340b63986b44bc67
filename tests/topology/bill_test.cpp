// SPDX-License-Identifier: Apache-2.0
// Bills of materials: the closed forms of each fabric, and what their cables need.
#include "sim/topology/bill.hpp"

#include <gtest/gtest.h>

#include "sim/topology/fabrics.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace {

using namespace sim;

Network bill_network(const NetworkFabric& fabric) {
  Network network{.fabric = &fabric, .nics_per_node = 1, .nic_bandwidth = 400_Gbps};
  network.link_bandwidth = network.uplink_bandwidth = network.nic_bandwidth;
  return network;
}

std::int64_t switches_in(const FabricParts& parts) {
  std::int64_t sum = 0;
  for (const SwitchTier& tier : parts.switches) sum += tier.switches;
  return sum;
}

std::int64_t cable_ends(const FabricParts& parts) {
  std::int64_t sum = 0;
  for (const CableTier& tier : parts.cables) sum += tier.switch_ends();
  return sum;
}

FabricParts fabric_parts(const Network& network, int nodes, int radix) {
  return network.fabric->parts(network, {nodes, radix, radix});
}

TEST(Bill, AFullTwoLevelTreeOfRadixKHas3KOver2SwitchesForKSquaredOver2Hosts) {
  for (const int k : {4, 8, 64, 128}) {
    SCOPED_TRACE(k);
    Network tree = bill_network(fabrics::fat_tree_2level);
    tree.nodes_per_leaf = k / 2;
    const FabricParts parts = fabric_parts(tree, k * k / 2, k);
    EXPECT_EQ(switches_in(parts), 3 * k / 2);
    EXPECT_EQ(cable_ends(parts), std::int64_t{k} * switches_in(parts)) << "every port is in use";
    EXPECT_EQ(switches_in(fabric_parts(bill_network(fabrics::single_switch), k * k / 2, k)),
              3 * k / 2);
  }
}

TEST(Bill, AFullThreeLevelTreeOfRadixKHas5KSquaredOver4SwitchesForKCubedOver4Hosts) {
  for (const int k : {4, 8, 16, 64}) {
    SCOPED_TRACE(k);
    Network tree = bill_network(fabrics::fat_tree_3level);
    tree.nodes_per_leaf = k / 2;
    tree.leaves_per_pod = k / 2;
    const int hosts = k * k * k / 4;
    const FabricParts parts = fabric_parts(tree, hosts, k);
    EXPECT_EQ(switches_in(parts), 5 * k * k / 4);
    EXPECT_EQ(cable_ends(parts), std::int64_t{k} * switches_in(parts)) << "every port is in use";
    EXPECT_EQ(switches_in(fabric_parts(bill_network(fabrics::single_switch), hosts, k)),
              5 * k * k / 4);
  }
}

TEST(Bill, OneSwitchSufficesForItsPorts) {
  EXPECT_EQ(switches_in(fabric_parts(bill_network(fabrics::single_switch), 64, 64)), 1);
  EXPECT_EQ(switches_in(fabric_parts(bill_network(fabrics::single_switch), 65, 64)), 3 + 2);
}

TEST(Bill, OversubscriptionDividesTheUplinks) {
  Network tree = bill_network(fabrics::fat_tree_3level);
  tree.nodes_per_leaf = 48;
  tree.leaves_per_pod = 16;
  tree.oversubscription = 3;
  tree.pod_oversubscription = 4;
  const int nodes = 48 * 16 * 8;
  const FabricParts parts = fabric_parts(tree, nodes, 64);
  ASSERT_EQ(parts.cables.size(), 3u);
  EXPECT_EQ(parts.cables[0].cables, nodes);
  EXPECT_EQ(parts.cables[1].cables, nodes / 3);
  EXPECT_EQ(parts.cables[2].cables, nodes / 12);
  EXPECT_EQ(parts.switches[0].switches, 128) << "48 ports down and 16 up are one switch";
}

TEST(Bill, ASingleGroupOfRailsNeedsNoSpines) {
  Network rails = bill_network(fabrics::rail_optimized);
  rails.nics_per_node = 8;
  rails.nodes_per_leaf = 32;
  EXPECT_EQ(switches_in(fabric_parts(rails, 32, 64)), 8);
  // Two groups: 16 leaves of 32 ports down and up, 512 uplinks on switches of 64 ports.
  EXPECT_EQ(switches_in(fabric_parts(rails, 64, 64)), 16 + 512 / 64);
}

TEST(Bill, SpinesJoinTheRailsOfASingleGroup) {
  Network rails = bill_network(fabrics::rail_spine);
  rails.nics_per_node = 8;
  rails.nodes_per_leaf = 32;
  // A scalable unit of 32 DGX H100: 8 leaves and 4 spines (NVIDIA DGX SuperPOD H100, table 3).
  EXPECT_EQ(switches_in(fabric_parts(rails, 32, 64)), 8 + 4);
  EXPECT_EQ(switches_in(fabric_parts(rails, 64, 64)), 16 + 512 / 64);
  rails.nics_per_node = 1;
  EXPECT_EQ(switches_in(fabric_parts(rails, 32, 64)), 1);
}

TEST(Bill, SpinesThatCannotReachEveryLeafOfAPodBecomeATree) {
  Network pods = bill_network(fabrics::fat_tree_3level);
  pods.nodes_per_leaf = 16;
  pods.leaves_per_pod = 192;
  const int in_pod = 16 * 192;
  // 3072 uplinks of 192 leaves: 32 ports down and up on each spine, 64 down on the tier above.
  EXPECT_EQ(switches_in(fabric_parts(pods, in_pod, 64)), 192 + 3072 / 32 + 3072 / 64);
  // Of two such pods at 3:1, the tier above has 1024 ports up, which 2048 / 64 cores join.
  pods.pod_oversubscription = 3;
  const FabricParts parts = fabric_parts(pods, 2 * in_pod, 64);
  ASSERT_EQ(parts.switches.size(), 4u);
  EXPECT_EQ(parts.switches[1].switches, 2 * 96);
  EXPECT_EQ(parts.switches[2].switches, 2 * (3072 + 1024) / 64);
  EXPECT_EQ(parts.switches[3].switches, 2048 / 64);
  ASSERT_EQ(parts.cables.size(), 4u);
  EXPECT_EQ(parts.cables[2].cables, 2 * 3072);
  EXPECT_EQ(parts.cables[3].cables, 2 * 1024);
}

TEST(Bill, ATreeOfSeveralTiersNeedsSwitchesOfFourPorts) {
  Network tree = bill_network(fabrics::fat_tree_2level);
  tree.nodes_per_leaf = 1;
  for (const int radix : {2, 3}) {
    SCOPED_TRACE(radix);
    EXPECT_EQ(switches_in(fabric_parts(tree, 2, radix)), 2 + 1);
    for (const NetworkFabric* fabric : {&fabrics::fat_tree_2level, &fabrics::single_switch}) {
      Network larger = tree;
      larger.fabric = fabric;
      const std::string said =
          input_error_of([&] { static_cast<void>(fabric_parts(larger, 16, radix)); });
      EXPECT_TRUE(said.starts_with("switch.ports: ")) << said;
    }
  }
}

TEST(Bill, ADragonflyCountsFromItsShape) {
  for (const int p : {1, 2, 4, 8}) {
    SCOPED_TRACE(p);
    const int a = 2 * p, h = p, g = a * h + 1;  // balanced, as its authors advise
    Network fly = bill_network(fabrics::dragonfly);
    fly.nodes_per_router = p;
    fly.routers_per_group = a;
    fly.groups = g;
    fly.global_links = h;
    const int radix = p + a - 1 + h;
    const FabricParts parts = fabric_parts(fly, a * g * p, radix);
    EXPECT_EQ(switches_in(parts), a * g);
    EXPECT_EQ(parts.cables[0].cables, a * g * p);
    EXPECT_EQ(parts.cables[1].cables, g * a * (a - 1) / 2);
    EXPECT_EQ(parts.cables[2].cables, g * a * h / 2);
    EXPECT_EQ(cable_ends(parts), std::int64_t{radix} * a * g) << "every port is in use";
    EXPECT_THROW(static_cast<void>(fabric_parts(fly, a * g * p, radix - 1)), InputError);
  }
}

TEST(Bill, ATorusHasNoSwitchesAndALinkForEachNodeAndDimension) {
  Network torus = bill_network(fabrics::torus);
  torus.dimensions = {4, 4, 2};
  torus.link_bandwidth = 2 * torus.nic_bandwidth;
  const FabricParts parts = fabric_parts(torus, 32, 64);
  EXPECT_EQ(switches_in(parts), 0);
  ASSERT_EQ(parts.cables.size(), 3u);
  for (const CableTier& ring : parts.cables) EXPECT_EQ(ring.cables, 2 * 32);
}

TEST(Bill, PartsOfADragonflyOrTorusAreThoseOfAllItsNodes) {
  Network fly = bill_network(fabrics::dragonfly);
  fly.nodes_per_router = 2;
  fly.routers_per_group = 4;
  fly.groups = 9;
  fly.global_links = 2;
  Network torus = bill_network(fabrics::torus);
  torus.dimensions = {4, 4, 2};
  for (const Network& network : {fly, torus}) {
    SCOPED_TRACE(network.fabric->name);
    const FabricParts few = fabric_parts(network, 2, 64);
    const FabricParts all = fabric_parts(network, 32, 64);
    EXPECT_EQ(few.nodes, network.fabric == &fabrics::torus ? 4 * 4 * 2 : 2 * 4 * 9);
    ASSERT_EQ(few.cables.size(), all.cables.size());
    for (std::size_t i = 0; i < few.cables.size(); ++i) {
      EXPECT_EQ(few.cables[i].cables, all.cables[i].cables);
      EXPECT_EQ(few.cables[i].nodes, all.cables[i].nodes);
    }
    EXPECT_EQ(few.cables.back().nodes, few.nodes) << "the outermost cables span the fabric";
  }
}

const NetworkParts kBillParts{.name = "sample",
                              .ports = 64,
                              .port_bandwidth = 400_Gbps,
                              .network_switch = {Dollars::from_base(1000), Watts::from_base(100)},
                              .transceiver = {Dollars::from_base(10), Watts::from_base(1)},
                              .fiber = {Dollars::from_base(2), Watts{}},
                              .copper = {Dollars::from_base(3), Watts{}},
                              .nodes_per_rack = 4};

Cluster billed_cluster(const Network& network, int nodes) {
  Cluster cluster;
  cluster.nodes = nodes;
  cluster.gpus_per_node = network.nics_per_node;
  cluster.network = network;
  return cluster;
}

TEST(Bill, OpticalCablesHaveTwoTransceiversAndCopperStaysInRacks) {
  Network tree = bill_network(fabrics::fat_tree_2level);
  tree.nodes_per_leaf = 4;
  // 2 leaves of 4 NICs by copper, 8 uplinks by fibre to one spine.
  const Bill bill = bill_of(billed_cluster(tree, 8), kBillParts);
  EXPECT_DOUBLE_EQ(bill.price().base(), 3 * 1000 + 8 * 3 + 8 * 2 + 16 * 10);
  EXPECT_DOUBLE_EQ(bill.power().base(), 3 * 100 + 16 * 1);
  EXPECT_EQ(bill.ports_used, 8 + 16);
  EXPECT_EQ(bill.ports, 3 * 64);
}

TEST(Bill, FasterUplinksAreFewerAndFillTheSamePorts) {
  Network tree = bill_network(fabrics::fat_tree_2level);
  tree.nic_bandwidth = tree.uplink_bandwidth = 200_Gbps;
  tree.nodes_per_leaf = 32;
  tree.oversubscription = 2;
  const auto uplinks = [&] {
    return tree.fabric->parts(tree, {64, 128, tree.uplink_bandwidth == 200_Gbps ? 128 : 64})
        .cables[1]
        .cables;
  };
  const Bill slow = bill_of(billed_cluster(tree, 64), kBillParts);
  EXPECT_EQ(uplinks(), 2 * 32 / 2);
  tree.uplink_bandwidth = 400_Gbps;
  const Bill fast = bill_of(billed_cluster(tree, 64), kBillParts);
  EXPECT_EQ(uplinks(), 2 * 32 / 4) << "8 of each leaf";
  EXPECT_EQ(fast.ports_used, slow.ports_used);
  EXPECT_EQ(fast.ports_used, 64 / 2 + 2 * 16) << "two NICs share a port, an uplink fills one";
  EXPECT_DOUBLE_EQ(slow.price().base() - fast.price().base(), 16 * 2) << "16 cables of 2 USD";
}

TEST(Bill, SlowNicsShareAPortAndFastOnesTakeSeveral) {
  Network slow = bill_network(fabrics::single_switch);
  slow.nic_bandwidth = 100_Gbps;
  const Bill shared = bill_of(billed_cluster(slow, 256), kBillParts);
  EXPECT_EQ(shared.ports_used, 64);
  EXPECT_DOUBLE_EQ(shared.price().base(), 1000 + 256 * 2 + (64 + 256) * 10);
  Network fast = bill_network(fabrics::single_switch);
  fast.nic_bandwidth = 800_Gbps;
  const Bill wide = bill_of(billed_cluster(fast, 32), kBillParts);
  EXPECT_EQ(wide.ports_used, 64);
  EXPECT_DOUBLE_EQ(wide.price().base(), 1000 + 64 * 2 + 128 * 10);
}

std::int64_t transceivers_of(const Bill& bill, const std::string& place) {
  std::int64_t sum = 0;
  for (const BillLine& line : bill.lines) {
    if (line.part == "transceiver" && line.place == place) sum += line.count;
  }
  return sum;
}

TEST(Bill, APortThatIsHalfInUseNeedsAWholeTransceiver) {
  Network fly = bill_network(fabrics::dragonfly);
  fly.nic_bandwidth = fly.link_bandwidth = fly.uplink_bandwidth = 200_Gbps;
  fly.nodes_per_router = 2;
  fly.global_links = 2;
  for (const int a : {4, 5}) {
    SCOPED_TRACE(a);
    fly.routers_per_group = a;
    fly.groups = 2 * a + 1;
    const int routers = a * fly.groups;
    // A router of 400 Gb/s ports has a - 1 links of half a port in its group, 2 to other groups and
    // 2 to NICs.
    const Bill bill = bill_of(billed_cluster(fly, 2 * routers), kBillParts);
    EXPECT_EQ(transceivers_of(bill, "inside groups"), routers * (a / 2));
    EXPECT_EQ(transceivers_of(bill, "between groups"), routers);
    EXPECT_EQ(bill.ports_used, routers * (a / 2 + 1 + 1));
  }
  // 4 routers a group and 9 groups: 36 routers of 3 links, each on two ports.
  fly.routers_per_group = 4;
  fly.groups = 9;
  EXPECT_EQ(transceivers_of(bill_of(billed_cluster(fly, 72), kBillParts), "inside groups"), 72);
}

TEST(Bill, LeavesOfAnOddNumberOfUplinksHaveAPortHalfInUse) {
  Network tree = bill_network(fabrics::fat_tree_2level);
  tree.nic_bandwidth = tree.uplink_bandwidth = 200_Gbps;
  tree.nodes_per_leaf = 5;
  // 4 leaves of 5 uplinks on 3 ports each, and a spine that they fill in pairs.
  const Bill bill = bill_of(billed_cluster(tree, 20), kBillParts);
  EXPECT_EQ(transceivers_of(bill, "leaf to spine"), 4 * 3 + 20 / 2);
}

TEST(Bill, CablesThatTakeMorePortsThanTheirSwitchesHaveAreRefused) {
  Network tree = bill_network(fabrics::fat_tree_2level);
  tree.nic_bandwidth = tree.uplink_bandwidth = 200_Gbps;
  tree.nodes_per_leaf = 5;
  tree.oversubscription = 5. / 3;
  NetworkParts small = kBillParts;
  small.ports = 4;  // 8 cables: 5 of NICs and 3 uplinks, on 3 + 2 ports
  const std::string said =
      input_error_of([&] { static_cast<void>(bill_of(billed_cluster(tree, 10), small)); });
  EXPECT_NE(said.find("switch.ports: "), std::string::npos) << said;
}

TEST(Bill, EveryShippedClusterHasOneWhosePortsSuffice) {
  const NetworkParts parts =
      read_network_parts(source_directory() / "traces" / "network_parts.toml");
  for (const auto& file : shipped_files("topologies", ".toml")) {
    SCOPED_TRACE(file);
    const Cluster cluster = read_cluster(file);
    const Bill bill = bill_of(cluster, parts);
    EXPECT_LE(bill.ports_used, bill.ports);
    EXPECT_EQ(bill.lines.empty(), cluster.nodes == 1);
    EXPECT_EQ(bill.price().base() > 0, cluster.nodes > 1);
  }
}

TEST(Bill, SwitchesOfTooFewPortsAreLocatedInTheirFile) {
  NetworkParts few = kBillParts;
  few.file = "parts.toml";
  few.ports = 3;
  Network tree = bill_network(fabrics::single_switch);
  const auto problem = [&] {
    return input_error_of([&] { static_cast<void>(bill_of(billed_cluster(tree, 16), few)); });
  };
  EXPECT_TRUE(problem().starts_with("parts.toml: switch.ports: a tree of several tiers"))
      << problem();
  tree.nic_bandwidth = tree.uplink_bandwidth = 800_Gbps;
  EXPECT_TRUE(problem().starts_with("parts.toml: switch.ports: 3 ports are too few")) << problem();
}

TEST(Bill, WrongPartsAreLocated) {
  const std::string text = text_of(source_directory() / "traces" / "network_parts.toml");
  const auto problem = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return input_error_of([&] { static_cast<void>(parse_network_parts(changed, "parts.toml")); });
  };
  EXPECT_TRUE(problem("ports = 64", "ports = 1").starts_with("parts.toml:9:1: ports"));
  EXPECT_NE(problem("\"400 Gbps\"", "400").find("has no unit"), std::string::npos);
  EXPECT_NE(problem("price = \"900 USD\"", "prise = \"900 USD\"").find("did you mean"),
            std::string::npos);
}

}  // namespace
