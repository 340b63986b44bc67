// SPDX-License-Identifier: Apache-2.0
// Matrices of nvidia-smi topo -m: what they say of a node, and what is wrong with cut ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "sim/fit/topo_matrix.hpp"
#include "sim/topology/fabrics.hpp"
#include "tests/input_errors.hpp"

namespace fit_tests {
namespace {

using sim::fit::parse_topo;
using sim::fit::TopoMatrix;

// Of two GPUs, of a GPU and a NIC, and of two NICs.
struct Node {
  int gpus = 8, nics = 8;
  std::string nvlink = "NV18";
  std::function<std::string(int gpu, int nic)> way;
};

// As the program prints it: tabs, an underlined heading, and further columns.
std::string topo_text(const Node& node) {
  const auto name = [&](int i) {
    return i < node.gpus ? fmt::format("GPU{}", i) : fmt::format("NIC{}", i - node.gpus);
  };
  const auto cell = [&](int i, int j) -> std::string {
    if (i == j) return " X ";
    const int low = std::min(i, j), high = std::max(i, j);
    if (high < node.gpus) return node.nvlink;
    return low < node.gpus ? node.way(low, high - node.gpus) : "NODE";
  };
  const int all = node.gpus + node.nics;
  std::string text = "\t\x1b[4m";
  for (int i = 0; i < all; ++i) text += name(i) + "\t";
  text += "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n";
  for (int i = 0; i < all; ++i) {
    text += name(i) + "\t";
    for (int j = 0; j < all; ++j) text += cell(i, j) + "\t";
    text += i < node.gpus ? "0-47,96-143\t0\t\tN/A\n" : "\n";
  }
  text +=
      "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n\n";
  text += "NIC Legend:\n\n";
  for (int i = 0; i < node.nics; ++i) text += fmt::format("  NIC{}: mlx5_{}\n", i, i);
  return text;
}

// Two GPUs and two NICs behind each pair of PCIe switches; two more NICs, for storage, elsewhere.
Node dgx_a100() {
  return {8, 10, "NV12", [](int gpu, int nic) -> std::string {
            if (nic < 8 && nic / 2 == gpu / 2) return "PXB";
            if (nic == 8 || nic == 9) return (gpu < 4) == (nic == 8) ? "NODE" : "SYS";
            return gpu / 4 == nic / 4 ? "NODE" : "SYS";
          }};
}

// A NIC on each GPU's own switch; NICs 2 and 9 are for storage.
int compute_nic(int gpu) { return gpu < 2 ? gpu : gpu + 1; }
Node dgx_h100() {
  return {8, 10, "NV18", [](int gpu, int nic) -> std::string {
            if (nic == compute_nic(gpu)) return "PIX";
            return (gpu < 4) == (nic < 5) ? "NODE" : "SYS";
          }};
}

// Four GPUs joined in pairs of four links each, and a NIC for each socket.
Node mesh_of_four() {
  return {4, 2, "NV4",
          [](int gpu, int nic) -> std::string { return gpu / 2 == nic ? "PHB" : "SYS"; }};
}

TEST(Topo, DgxA100SharesPairsOfNicsAmongPairsOfGpus) {
  const TopoMatrix topo = parse_topo(topo_text(dgx_a100()), "a100.topo");
  EXPECT_EQ(topo.gpus, 8);
  EXPECT_EQ(topo.nvlinks, 12);
  EXPECT_EQ(topo.kind, &sim::fabrics::switched);
  EXPECT_EQ(topo.gpu_nic, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(topo.unused, (std::vector<std::string>{"NIC8 (mlx5_8)", "NIC9 (mlx5_9)"}));
}

TEST(Topo, DgxH100UsesTheNicOfEachGpusSwitch) {
  const TopoMatrix topo = parse_topo(topo_text(dgx_h100()), "h100.topo");
  EXPECT_EQ(topo.nvlinks, 18);
  EXPECT_EQ(topo.kind, &sim::fabrics::switched);
  EXPECT_EQ(topo.gpu_nic, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(topo.gpu_way, std::vector<std::string>(8, "PIX"));
  EXPECT_EQ(topo.unused, (std::vector<std::string>{"NIC2 (mlx5_2)", "NIC9 (mlx5_9)"}));
}

TEST(Topo, FourGpusWithLinksOfTheirOwnAreAMesh) {
  const TopoMatrix topo = parse_topo(topo_text(mesh_of_four()), "mesh.topo");
  EXPECT_EQ(topo.kind, &sim::fabrics::full_mesh);
  EXPECT_EQ(topo.gpu_nic, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_TRUE(topo.unused.empty());
}

TEST(Topo, ANodeWithoutNicsKeepsThoseOfTheTopology) {
  Node node = dgx_h100();
  node.nics = 0;
  const TopoMatrix topo = parse_topo(topo_text(node), "h100.topo");
  EXPECT_TRUE(topo.gpu_nic.empty());
  const auto file = source_directory() / "topologies/dgx_h100_x16.toml";
  const sim::Cluster base = sim::read_cluster(file);
  EXPECT_EQ(sim::parse_cluster(with_topo(topo, text_of(file), file), file), base);
}

TEST(Topo, ReplacesTheNodesShapeInEveryShippedFile) {
  const TopoMatrix topo = parse_topo(topo_text(mesh_of_four()), "mesh.topo");
  for (const auto& file : shipped_files("topologies", ".toml")) {
    SCOPED_TRACE(file);
    const sim::Cluster base = sim::read_cluster(file);
    if (base.nvlink.kind->bridges) {
      EXPECT_THROW(static_cast<void>(with_topo(topo, text_of(file), file)), sim::InputError);
      continue;
    }
    const std::string text = with_topo(topo, text_of(file), file);
    const sim::Cluster cluster = sim::parse_cluster(text, file);
    EXPECT_EQ(cluster.gpus_per_node, 4);
    EXPECT_EQ(cluster.network.nics_per_node, 2);
    EXPECT_EQ(cluster.network.gpu_nic, topo.gpu_nic);
    EXPECT_EQ(cluster.nvlink.kind, &sim::fabrics::full_mesh);
    EXPECT_EQ(cluster.nodes, base.nodes);
    EXPECT_EQ(cluster.network.latency, base.network.latency);
  }
}

TEST(Topo, ABandwidthThatNoGenerationOfLinksHasIsSaid) {
  const TopoMatrix topo = parse_topo(topo_text(dgx_h100()), "h100.topo");
  sim::Cluster cluster = sim::read_cluster(source_directory() / "topologies/dgx_h100_x16.toml");
  EXPECT_EQ(topo_lines(topo, cluster).back().find("warning"), std::string::npos);
  cluster.nvlink.bandwidth = sim::Bandwidth::from_base(300e9);  // 16.7 GB/s for each of 18
  EXPECT_TRUE(topo_lines(topo, cluster).back().starts_with("warning: nvlink.bandwidth"));
}

TEST(Topo, WhatIsCutOrContradictoryIsLocated) {
  const std::string whole = topo_text(dgx_h100());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const auto error = [](const std::string& text) {
    const std::string what =
        input_error_of([&] { static_cast<void>(parse_topo(text, "node.topo")); });
    expect_located(what, "node.topo");
    return what;
  };
  const auto says = [&](const std::string& text, const std::string& place,
                        const std::string& what) {
    const std::string said = error(text);
    EXPECT_TRUE(said.starts_with(place)) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  says("", "node.topo: ", "nvidia-smi topo -m");
  says("no matrix\n", "node.topo: ", "nvidia-smi topo -m");
  says("GPU0\t X \n", "node.topo: ", "nvidia-smi topo -m");  // a row without its heading
  says(whole.substr(0, whole.find("GPU5\tNV18")), "node.topo:6:1: ", "5 of 18 rows");
  says(whole.substr(0, whole.find("GPU5\tNV18") + 12), "node.topo:7:1: ", "columns");
  says(changed("GPU3\tNV18", "GPU3\tNV12"), "node.topo:5:1: GPU3 to GPU0 is NV12",
       "line 2 says NV18");
  says(changed("GPU3\tNV18", "GPU3\tNVL"), "node.topo:5:1: 'NVL' is not", "PIX");
  says(changed("GPU3\tNV18", "GPU3\t X "), "node.topo:5:1: ", "stands for a device itself");
  says(changed("GPU3\tNV18", "GPU4\tNV18"), "node.topo:5:1: GPU4", "the row of GPU3 is missing");
  says(changed("GPU3\t", "GPU4\t"), "node.topo:1:1: GPU4", "is not GPU3");
  says(whole + whole, "node.topo:", "GPU0: is given twice");
  says(whole + "GPU3\tNV12\n", "node.topo:", "GPU3: is given twice");
  says(whole + "  NIC2: mlx5_7\n", "node.topo:", "NIC2: is named twice");
  Node pcie = dgx_h100();
  pcie.nvlink = "SYS";
  says(topo_text(pcie), "node.topo:3:1: GPU1 and GPU0", "write nvlink.kind = \"pcie\" by hand");
  Node one = mesh_of_four();
  one.gpus = 1;
  says(topo_text(one), "node.topo: ", "fewer than two GPUs");
}

}  // namespace
}  // namespace fit_tests
