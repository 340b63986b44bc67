// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/cluster.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/input_errors.hpp"

namespace {

using namespace sim;

// One line a key, every value unlike every other, so that two fields taken for each other show.
constexpr const char* kText = R"(summary = "for tests"
[cluster]
nodes = 12
gpus_per_node = 4
speed_spread = 0.015
[gpu]
name = "G"
multiprocessors = 108
bf16 = "312 TFLOPs"
fp8 = "624 TFLOPs"
fp4 = "1248 TFLOPs"
fused_attention = 0.6
fp32 = "19.5 TFLOPs"
memory = "40 GB"
memory_bandwidth = "1555 GBps"
memory_efficiency = 0.9
launch_latency = "2 us"
price = "1.8 USD/h"
power = "400 W"
[nvlink]
kind = "full_mesh"
bandwidth = "100 GBps"
efficiency = 0.935
latency = "3.4 us"
[network]
fabric = "fat_tree_3level"
nics_per_node = 2
nic_bandwidth = "100 Gbps"
efficiency = 0.8
latency = "14 us"
switch_latency = "130 ns"
nodes_per_leaf = 2
oversubscription = 1.5
leaves_per_pod = 3
pod_oversubscription = 4
[collectives]
channels = 8
launch = "8.4 us"
)";

Cluster read(std::vector<Setting> settings = {}) {
  return parse_cluster(kText, "some/test.toml", settings);
}

std::string error_of(std::vector<Setting> settings, const std::string& text = kText) {
  std::string error =
      input_error_of([&] { static_cast<void>(parse_cluster(text, "some/test.toml", settings)); });
  expect_located(error, "some/test.toml");
  return error;
}

// kText without the lines of `keys`.
std::string without(std::initializer_list<const char*> keys) {
  std::string text;
  for (const std::string& line : lines_of(kText)) {
    bool dropped = false;
    for (const char* key : keys) dropped = dropped || line.starts_with(std::string(key) + " =");
    if (!dropped) text += line + "\n";
  }
  return text;
}

TEST(Cluster, HasEveryValueOfItsFile) {
  const Cluster cluster = read();
  EXPECT_EQ(cluster.name, "test");
  EXPECT_EQ(cluster.summary, "for tests");
  EXPECT_EQ(cluster.nodes, 12);
  EXPECT_EQ(cluster.gpus_per_node, 4);
  EXPECT_EQ(cluster.gpu.name, "G");
  EXPECT_EQ(cluster.gpu.multiprocessors, 108);
  EXPECT_EQ(cluster.gpu.bf16, 312_TFLOPs);
  EXPECT_EQ(cluster.gpu.fp8, 624_TFLOPs);
  EXPECT_EQ(cluster.gpu.fp4, 1248_TFLOPs);
  EXPECT_EQ(cluster.gpu.fused_attention, 0.6);
  EXPECT_EQ(cluster.speed_spread, 0.015);
  EXPECT_EQ(cluster.gpu.fp32, FlopRate::from_base(19.5e12));
  EXPECT_EQ(cluster.gpu.memory, Bytes{40'000'000'000});
  EXPECT_EQ(cluster.gpu.memory_bandwidth, 1555_GBps);
  EXPECT_EQ(cluster.gpu.memory_efficiency, 0.9);
  EXPECT_EQ(cluster.gpu.launch_latency, 2_us);
  EXPECT_EQ(cluster.gpu.price, DollarRate::from_base(1.8 / 3600));
  EXPECT_EQ(cluster.gpu.power, Watts::from_base(400));
  EXPECT_EQ(cluster.nvlink.kind, &fabrics::full_mesh);
  EXPECT_EQ(cluster.nvlink.bandwidth, 100_GBps);
  EXPECT_EQ(cluster.nvlink.efficiency, 0.935);
  EXPECT_EQ(cluster.nvlink.latency, 3.4_us);
  EXPECT_EQ(cluster.collectives.channels, 8);
  EXPECT_EQ(cluster.collectives.launch, 8.4_us);
}

TEST(Cluster, HasEveryValueOfItsNetwork) {
  const Network network = read().network;
  EXPECT_EQ(network.fabric, &fabrics::fat_tree_3level);
  EXPECT_EQ(network.nics_per_node, 2);
  EXPECT_EQ(network.nic_bandwidth, 100_Gbps);
  EXPECT_EQ(network.efficiency, 0.8);
  EXPECT_EQ(network.latency, 14_us);
  EXPECT_EQ(network.switch_latency, Seconds::from_base(130 / 1e9));
  EXPECT_EQ(network.nodes_per_leaf, 2);
  EXPECT_EQ(network.oversubscription, 1.5);
  EXPECT_EQ(network.leaves_per_pod, 3);
  EXPECT_EQ(network.pod_oversubscription, 4);
}

TEST(Cluster, AGpuMayLackFp8AndFp4) {
  const Gpu old = parse_cluster(without({"fp8", "fp4"}), "x.toml").gpu;
  EXPECT_FALSE(old.fp8);
  EXPECT_FALSE(old.fp4);
  EXPECT_EQ(parse_cluster(without({"fp4"}), "x.toml").gpu.fp8, 624_TFLOPs);
}

TEST(Cluster, MayLackARateOfFusedAttentionAndASpreadOfSpeeds) {
  const Cluster cluster = parse_cluster(without({"fused_attention", "speed_spread"}), "x.toml");
  EXPECT_FALSE(cluster.gpu.fused_attention);
  EXPECT_EQ(cluster.speed_spread, kSpeedSpread);
}

TEST(Cluster, MayHaveALinkToTheHost) {
  EXPECT_FALSE(read().gpu.host_bandwidth);
  EXPECT_FALSE(host_copy_rate(read()));
  const Cluster linked = read({{"gpu.host_bandwidth", "32 GBps"}});
  EXPECT_EQ(linked.gpu.host_bandwidth, 32_GBps);
  EXPECT_EQ(host_copy_rate(linked), 32_GBps * kHostEfficiency);
  const Cluster half = read({{"gpu.host_bandwidth", "32 GBps"}, {"gpu.host_efficiency", "0.5"}});
  EXPECT_EQ(host_copy_rate(half), 16_GBps);
}

// 12 nodes of 4 GPUs and 2 ports of 100 Gbps.
TEST(Cluster, APowerLimitLowersTheClocksOfItsGpus) {
  const Gpu free = read().gpu;
  const Gpu capped = read({{"gpu.power_limit", "100 W"}}).gpu;
  EXPECT_NEAR(capped.clock, 0.5, 1e-12) << "the square root of 100 of 400 W";
  EXPECT_NEAR(capped.bf16 / free.bf16, 0.5, 1e-12);
  EXPECT_NEAR(capped.power.base(), 100, 1e-9);
  EXPECT_EQ(read({{"gpu.power_limit", "400 W"}}).gpu, free);
  EXPECT_NE(error_of({{"gpu.power_limit", "500 W"}})
                .find("gpu.power_limit: 500 W is above gpu.power, 400 W"),
            std::string::npos);
  EXPECT_NE(error_of({{"gpu.power", "0 W"}, {"gpu.power_limit", "50 W"}}).find("set gpu.power"),
            std::string::npos);
}

TEST(Cluster, IsPricedByGpuNodePortAndBandwidth) {
  const auto an_hour = [](DollarRate rate) { return rate.base() * 3600; };
  EXPECT_NEAR(an_hour(gpu_price(read())), 48 * 1.8, 1e-9);
  EXPECT_EQ(network_price(read()).base(), 0);
  EXPECT_FALSE(read().network.port_price);
  EXPECT_NEAR(an_hour(network_price(read({{"network.node_price", "0.5 USD/h"}}))), 12 * 0.5, 1e-9);
  EXPECT_NEAR(an_hour(network_price(read({{"network.port_price", "0.1 USD/h"}}))), 24 * 0.1, 1e-9);
  const Cluster priced = read({{"network.bandwidth_price", "2 USD/h/Tbps"},
                               {"network.node_price", "0.5 USD/h"},
                               {"network.port_price", "0.1 USD/h"}});
  EXPECT_NEAR(an_hour(network_price(priced)), 12 * 0.5 + 24 * (0.1 + 0.1 * 2), 1e-9);
}

TEST(Cluster, DealsNicsOutInOrderUnlessToldOtherwise) {
  EXPECT_EQ(read().network.gpu_nic, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(read({{"network.nics_per_node", "4"}}).network.gpu_nic, (std::vector<int>{0, 1, 2, 3}));
  // Floor of g * 3 / 4.
  EXPECT_EQ(read({{"network.nics_per_node", "3"}}).network.gpu_nic, (std::vector<int>{0, 0, 1, 2}));
  EXPECT_EQ(read({{"network.gpu_nic", "[1, 1, 0, 0]"}}).network.gpu_nic,
            (std::vector<int>{1, 1, 0, 0}));
}

TEST(Cluster, FittedConstantsAreOptionalAndDroppedOnRequest) {
  EXPECT_FALSE(read().fitted.network_efficiency);
  const Cluster cluster = read({{"fitted.network_efficiency", "0.5"},
                                {"fitted.communicator_bandwidth", "13.9 GBps"},
                                {"fitted.compute_efficiency", "0.7"},
                                {"fitted.host_slowdown", "1.8"},
                                {"fitted.rows", "[\"a/b\", \"c/d\"]"}});
  EXPECT_EQ(cluster.fitted.network_efficiency, 0.5);
  EXPECT_EQ(cluster.fitted.communicator_bandwidth, 13.9_GBps);
  EXPECT_EQ(cluster.fitted.compute_efficiency, 0.7);
  EXPECT_EQ(cluster.fitted.host_slowdown, 1.8);
  EXPECT_EQ(cluster.fitted.rows, (std::vector<std::string>{"a/b", "c/d"}));
  const Cluster plain = data_sheet_only(cluster);
  EXPECT_FALSE(plain.fitted.network_efficiency);
  EXPECT_FALSE(plain.fitted.communicator_bandwidth);
  EXPECT_FALSE(plain.fitted.compute_efficiency);
  EXPECT_FALSE(plain.fitted.host_slowdown);
  EXPECT_TRUE(plain.fitted.rows.empty());
  EXPECT_EQ(plain.network.efficiency, cluster.network.efficiency);
}

// Rows were fitted on as the file has it; what `set` says of a constant was fitted on nothing, unless
// it says on what.
TEST(Cluster, AConstantTypedByHandRestsOnNoRows) {
  const std::string file = std::string(kText) +
                           "[fitted]\nnetwork_efficiency = 0.5\ncompute_efficiency = 0.7\n"
                           "rows = [\"a/b\"]\n";
  const auto fitted = [&](std::vector<Setting> settings) {
    return parse_cluster(file, "x.toml", settings).fitted;
  };
  EXPECT_TRUE(fitted({}).rests_on_rows("compute_efficiency"));
  const Fitted typed = fitted({{"fitted.compute_efficiency", "0.6"}});
  EXPECT_FALSE(typed.rests_on_rows("compute_efficiency"));
  EXPECT_TRUE(typed.rests_on_rows("network_efficiency"));
  EXPECT_TRUE(fitted({{"fitted.compute_efficiency", "0.6"}, {"fitted.rows", "[\"c/d\"]"}})
                  .rests_on_rows("compute_efficiency"));
  EXPECT_FALSE(parse_cluster(std::string(kText) + "[fitted]\ncompute_efficiency = 0.7\n", "x.toml")
                   .fitted.rests_on_rows("compute_efficiency"));
}

TEST(Cluster, AnEmptyTableOfFittedConstantsIsNone) {
  const std::string text = std::string(kText) + "[fitted]\n";
  EXPECT_FALSE(parse_cluster(text, "test.toml").fitted.network_efficiency);
}

struct Wrong {
  Setting setting;
  const char* says;
};

TEST(Cluster, RefusesWhatNoClusterIs) {
  const std::array wrong{
      Wrong{{"cluster.nodes", "0"}, "0 is out of range"},
      Wrong{{"cluster.nodes", "200000"}, "200000 is out of range"},
      Wrong{{"cluster.gpus_per_node", "-8"}, "-8 is out of range"},
      Wrong{{"gpu.name", "\"\""}, "is empty"},
      Wrong{{"gpu.bf16", "0 TFLOPs"}, "is 0; write more than 0"},
      Wrong{{"gpu.memory", "40"}, "has no unit"},
      Wrong{{"gpu.memory_efficiency", "0"}, "write a number above 0 and at most 1"},
      Wrong{{"gpu.memory_efficiency", "1.01"}, "write a number above 0 and at most 1"},
      Wrong{{"gpu.host_bandwidth", "64"}, "write e.g. \"64 GBps\""},
      Wrong{{"gpu.host_efficiency", "0.8"}, "is a fraction of host_bandwidth, which is missing"},
      Wrong{{"gpu.fp8", "0 TFLOPs"}, "is 0"},
      Wrong{{"gpu.fp4", "9 PB"}, "'PB' is not a unit"},
      Wrong{{"gpu.power", "400 Wh"}, "'Wh' is not a unit"},
      Wrong{{"gpu.power_limit", "0 W"}, "is 0"},
      Wrong{{"nvlink.kind", "ring"}, "'ring' is not one of: switched, full_mesh, pcie"},
      Wrong{{"nvlink.efficiency", "nan"}, "nan is out of range"},
      Wrong{{"network.fabric", "hypercube"}, "'hypercube' is not one of: single_switch, rail_"},
      Wrong{{"network.nics_per_node", "0"}, "0 is out of range"},
      Wrong{{"network.nic_bandwidth", "0 Gbps"}, "is 0"},
      Wrong{{"network.node_price", "2 USD"}, "'USD' is not a unit; did you mean USD/h?"},
      Wrong{{"network.port_price", "-1 USD/h"}, "is negative"},
      Wrong{{"network.bandwidth_price", "1 USD/h"}, "did you mean USD/h/Gbps or USD/h/Tbps?"},
      Wrong{{"network.gpu_nic", "[0, 0, 1]"},
            "has 3 entries; write one for each of the 4 GPUs of a node, or remove the key"},
      Wrong{{"network.gpu_nic", "[0, 0, 1, 2]"},
            "2 is out of range; write a whole number from 0 to 1 for each GPU, or remove the key"},
      Wrong{{"network.gpu_nic", "[0, 0, 1, -1]"}, "-1 is out of range"},
      Wrong{{"network.nodes_per_leaf", "0"}, "0 is out of range"},
      Wrong{{"network.fabric", "leaf_spine"}, "a leaf-spine or Clos network is fat_tree_2level"},
      Wrong{{"network.fabric", "rail_optimised"}, "; did you mean rail_optimized?"},
      Wrong{{"network.oversubscription", "0.5"}, "write a number of at least 1"},
      Wrong{{"network.oversubscription", "1:2"}, "write a number of at least 1"},
      Wrong{{"network.oversubscription", "2:0"}, "divides by 0; write e.g. 2:1"},
      Wrong{{"network.nic_bandwidth", "400 gb/s"}, "is not a unit of a bandwidth"},
      Wrong{{"gpu.memory_bandwidth", "3.35T"}, "did you mean Tbps or TBps?"},
      Wrong{{"gpu.memory_bandwidth", "3350"}, "write e.g. \"3350 GBps\""},
      Wrong{{"network.leaves_per_pod", "0"}, "0 is out of range"},
      Wrong{{"network.pod_oversubscription", "0"}, "write a number of at least 1"},
      Wrong{{"collectives.channels", "0"}, "0 is out of range"},
      Wrong{{"fitted.compute_efficiency", "2.5"}, "at most 2"},
      Wrong{{"fitted.rows", "a"}, "is not a list of strings"}};
  for (const Wrong& entry : wrong) {
    const std::string error = error_of({entry.setting});
    EXPECT_TRUE(error.starts_with("`set` " + entry.setting.key + ": ")) << error;
    EXPECT_NE(error.find(entry.says), std::string::npos) << error;
    EXPECT_EQ(lines_of(error).size(), 1u) << error;
  }
}

TEST(Cluster, LeavesMayBeLargerThanTheCluster) {
  EXPECT_EQ(read({{"network.nodes_per_leaf", "32"}}).network.nodes_per_leaf, 32);
}

// As in a cluster of which a job uses a part.
TEST(Cluster, TheLastLeafMayHaveFewerNodes) {
  EXPECT_EQ(read({{"network.nodes_per_leaf", "5"}}).network.nodes_per_leaf, 5);
  EXPECT_EQ(read({{"network.leaves_per_pod", "4"}}).network.leaves_per_pod, 4);
}

struct Inapplicable {
  const char* fabric;
  std::vector<std::string> keys;
};

TEST(Cluster, KeysOfAnotherFabricAreErrorsThatSayWhy) {
  const std::array cases{
      Inapplicable{"single_switch",
                   {"switch_latency", "nodes_per_leaf", "oversubscription", "leaves_per_pod",
                    "pod_oversubscription"}},
      Inapplicable{"rail_optimized", {"leaves_per_pod", "pod_oversubscription"}},
      Inapplicable{"rail_spine", {"leaves_per_pod", "pod_oversubscription"}},
      Inapplicable{"fat_tree_2level", {"leaves_per_pod", "pod_oversubscription"}}};
  for (const Inapplicable& entry : cases) {
    const std::string error = error_of({{"network.fabric", entry.fabric}});
    EXPECT_EQ(lines_of(error).size(), entry.keys.size()) << error;
    for (const std::string& key : entry.keys) {
      EXPECT_NE(error.find(": " + key + ": does not apply with fabric " + entry.fabric),
                std::string::npos)
          << error;
    }
  }
}

TEST(Cluster, EachFabricReadsWithItsOwnKeys) {
  const std::string rail = without({"fabric", "leaves_per_pod", "pod_oversubscription"});
  const std::array<Setting, 1> two_levels{Setting{"network.fabric", "fat_tree_2level"}};
  EXPECT_EQ(parse_cluster(rail, "x.toml", two_levels).network.fabric, &fabrics::fat_tree_2level);
  const std::string single = without({"fabric", "leaves_per_pod", "pod_oversubscription",
                                      "switch_latency", "nodes_per_leaf", "oversubscription"});
  const std::array<Setting, 1> one_switch{Setting{"network.fabric", "single_switch"}};
  EXPECT_EQ(parse_cluster(single, "x.toml", one_switch).network.oversubscription, 1);
}

TEST(Cluster, AnUnknownFabricBlamesNoOtherKey) {
  EXPECT_EQ(lines_of(error_of({}, without({"fabric"}))).size(), 1u);
}

}  // namespace
