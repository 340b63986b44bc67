// SPDX-License-Identifier: Apache-2.0
// collective: what it prints are nccl-tests' figures of what the simulator gives.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

constexpr const char* kNames[] = {"all_gather", "reduce_scatter", "all_reduce",
                                  "all_to_all", "broadcast",      "send_receive"};

// Of the buffer that a rank of 16 sends, as nccl-tests' factors say.
double factor_of(const std::string& name) {
  if (name == "broadcast" || name == "send_receive") return 1;
  return (name == "all_reduce" ? 2 : 1) * 15.0 / 16;
}

nlohmann::json collective(const std::string& flags) {
  return json_of("collective --topology dgx_h100_x16 " + flags);
}

TEST(Collective, BandwidthsAreOfTheSizeAndOfWhatEachRankSends) {
  for (const std::string name : kNames) {
    SCOPED_TRACE(name);
    double slower = 0;
    for (const auto& row : collective(name + " --nodes 2 --begin 1KiB --end 4GiB --factor 16")) {
      const double bytes = row["size_bytes"];
      EXPECT_DOUBLE_EQ(row["algorithm_bandwidth_Bps"], bytes / row["time_s"].get<double>());
      const double sent = factor_of(name);
      EXPECT_DOUBLE_EQ(row["bus_bandwidth_Bps"],
                       sent * row["algorithm_bandwidth_Bps"].get<double>());
      EXPECT_GT(row["bus_bandwidth_Bps"], slower) << "larger buffers use the links better";
      slower = row["bus_bandwidth_Bps"];
    }
  }
}

TEST(Collective, LargeBuffersReachTheirNarrowestLink) {
  // Every GPU its NIC: 50 GB/s, of which collectives reach a share. One node: its NVLink port.
  const auto bus = [](const std::string& flags) {
    const auto row =
        collective("all_reduce --algorithm ring --begin 8GiB --end 8GiB " + flags).at(0);
    return row["bus_bandwidth_Bps"].get<double>();
  };
  const std::string perfect = "--set network.efficiency=1 --set nvlink.efficiency=1 ";
  EXPECT_NEAR(bus(perfect + "--nodes 2 --split 8"), 50e9, 0.01 * 50e9);
  EXPECT_NEAR(bus(perfect + "--nodes 1"), 450e9, 0.01 * 450e9);
  EXPECT_NEAR(bus("--nodes 1 --set nvlink.efficiency=0.5"), 225e9, 0.01 * 225e9);
}

TEST(Collective, OneGroupSpreadsOverTheNicsOfWhichEachOfManyHasOne) {
  const auto time = [](int split) {
    const auto rows =
        collective("all_reduce --algorithm ring --nodes 2 --begin 16GiB --end 16GiB --split " +
                   std::to_string(split) + " --set nvlink.efficiency=1");
    return rows.at(0)["time_s"].get<double>();
  };
  // 15/16 of a buffer leave each node over 8 NICs; half a buffer over one.
  EXPECT_NEAR(time(8) / time(1), (1.0 / 2) / (15.0 / 16 / 8), 0.05);
}

TEST(Collective, TakesTimeOnAMeshWithOneGpuANode) {
  for (const std::string name : {"all_gather", "reduce_scatter", "all_to_all"}) {
    const auto row = json_of("collective " + name +
                             " --topology sdp4bit_a100 --nodes 8 --gpus-per-node 1 "
                             "--begin 1GiB --end 1GiB")
                         .at(0);
    EXPECT_GT(row["time_s"], 0.01) << "seven eighths of a GiB over one NIC of 12.5 GB/s";
    EXPECT_LT(row["time_s"], 1);
  }
}

TEST(Collective, RunsStepByStepByItselfWhereGroupsLieUnevenly) {
  // Three groups of 24 GPUs have three GPUs of two nodes and two of the third.
  for (const std::string name : kNames) {
    const std::string groups = name + " --nodes 3 --split 3 --begin 1MiB --end 1MiB";
    EXPECT_EQ(collective(groups), collective(groups + " --step-by-step")) << name;
  }
}

TEST(Collective, ATableAndCsvHaveARowASize) {
  const std::string job =
      "collective all_to_all --topology dgx_h100_x16 --nodes 1 --begin 8B "
      "--end 100B --format ";
  const Outcome table = run(words(job + "table"), "/");
  EXPECT_EQ(lines_of(table.out).size(), 3 + 4u) << table.out;  // 8, 16, 32, 64
  const Outcome csv = run(words(job + "csv"), "/");
  EXPECT_EQ(lines_of(csv.out).size(), 1 + 4u);
  EXPECT_TRUE(csv.out.starts_with("collective,topology,gpus,groups,size_bytes,time_s,"));
}

TEST(Collective, SaysByWhatAlgorithmAndProtocolEachSizeRuns) {
  const auto how = [](const std::string& flags) {
    std::vector<std::string> all;
    for (const auto& row :
         collective("all_reduce --begin 1KiB --end 1GiB --factor 1024 " + flags)) {
      all.push_back(row["algorithm"].get<std::string>() + " " + row["protocol"].get<std::string>());
    }
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(how("--nodes 1"), (Names{"ring ll", "ring ll128", "nvls simple"}));
  EXPECT_EQ(how("--nodes 2 --algorithm ring --protocol ll"),
            (Names{"ring ll", "ring ll", "ring ll"}));
}

TEST(Collective, TakesTheAlgorithmsThatRunIt) {
  const auto algorithm = [](const std::string& flags) {
    return collective(flags + " --begin 1MiB --end 1MiB").at(0)["algorithm"].get<std::string>();
  };
  EXPECT_EQ(algorithm("all_gather --nodes 2 --algorithm recursive"), "recursive");
  EXPECT_EQ(algorithm("reduce_scatter --nodes 2 --split 8 --algorithm pat"), "pat");
  EXPECT_EQ(algorithm("all_to_all --nodes 2 --algorithm rail"), "rail");
  EXPECT_EQ(algorithm("all_to_all --nodes 1 --algorithm copy_engine"), "copy_engine");
  const auto refused = [](const std::string& flags) {
    expect_command_refused("collective --topology dgx_h100_x16 " + flags, "--algorithm");
  };
  refused("all_gather --algorithm tree");
  EXPECT_EQ(algorithm("all_reduce --nodes 2 --algorithm ^nvls,nvlstree,ring"), "tree");
  EXPECT_EQ(algorithm("all_gather --nodes 2 --algorithm Ring;allreduce:tree"), "ring");
  EXPECT_EQ(algorithm("all_to_all --nodes 2 --algorithm Ring"), "pairwise");
  EXPECT_EQ(algorithm("all_reduce --nodes 2 --nccl 2.26 --algorithm fastest"),
            algorithm("all_reduce --nodes 2"));
  refused("all_gather --nodes 2 --algorithm tree,nvls");
  refused("all_reduce --algorithm rign,tree");
  refused("broadcast --algorithm ring");
  refused("all_gather --algorithm pat");
  refused("all_reduce --nodes 3 --algorithm recursive");
  refused("all_reduce --algorithm sharp");
  expect_command_refused("collective all_reduce --topology mi300x_x8 --nccl 2.28", "--nccl");
  refused("all_reduce --algorithm nvls --compress int4_g128");
}

TEST(Collective, SaysWhatAnAlgorithmNeedsAndWhichOnesThereAre) {
  const auto says = [](const std::string& flags) {
    return run(words("collective --topology dgx_h100_x16 --nodes 2 " + flags), "/").err;
  };
  EXPECT_NE(says("all_reduce --algorithm nvls").find("nvls needs GPUs of one node"),
            std::string::npos);
  const std::string unknown = says("all_to_all --algorithm rial");
  EXPECT_NE(unknown.find("did you mean rail?"), std::string::npos) << unknown;
  EXPECT_EQ(unknown.find("tree"), std::string::npos) << unknown;
}

TEST(Collective, RefusesAProtocolThatNothingRunsItBy) {
  expect_command_refused("collective all_to_all --topology dgx_h100_x16 --protocol ll128",
                         "--protocol");
  expect_command_refused(
      "collective all_reduce --topology dgx_h100_x16 --nodes 1 --algorithm nvls "
      "--protocol ll",
      "--protocol");
}

TEST(Collective, SaysByWhatEncodedValuesAreExchangedOtherwiseThanAsked) {
  const auto row = collective(
      "all_reduce --nodes 2 --algorithm recursive --compress int8_g128 --begin 1MiB --end 1MiB");
  EXPECT_EQ(row.at(0)["collectives.algorithm"],
            "recursive: all_gather of 16 GPUs on 2 nodes, all_reduce of 16 GPUs on 2 nodes; as by "
            "auto: all_to_all of 16 GPUs on 2 nodes");
}

// The same refusal by whatever simulates a step.
TEST(AskedAlgorithm, IsRefusedByEveryStudyWhereNoGroupTakesIt) {
  const std::string job =
      " --topology dgx_h100_x16 --nodes 2 --model gpt_125m --algorithm pat --zero 3";
  expect_refused(run(words("run" + job), "/"), "--algorithm", 2);
  expect_refused(run(words("solve bandwidth" + job), "/"), "--algorithm", 2);
  const Outcome map = run(words("map --tp 1 --scheme qwd" + job), "/");
  EXPECT_EQ(map.code, 2) << map.err;
  EXPECT_NE(map.err.find("--algorithm: pat cannot run"), std::string::npos) << map.err;
  const Outcome plan = run(words("plan --tp 1 --tokens 1e9 --batch-tokens 65536" + job), "/");
  EXPECT_EQ(plan.code, 2) << plan.err;
  EXPECT_NE(plan.err.find("--algorithm: pat cannot run"), std::string::npos) << plan.err;
}

TEST(AskedAlgorithm, OfSomeGroupsIsWarnedOf) {
  const Outcome one = run(words("run --topology dgx_h100_x16 --nodes 2 --model gpt_125m --zero 0 "
                                "--scheme data_parallel --tp 2 --algorithm nvls"),
                          "/");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(
      one.err.find("warning: data_parallel: --algorithm: nvls cannot run all_reduce of 8 GPUs "
                   "on 2 nodes"),
      std::string::npos)
      << one.err;
}

TEST(Collective, AlignsItsTableToTheLongestName) {
  for (const std::string algorithm : {"ring", "hierarchical"}) {
    const Outcome table =
        run(words("collective all_gather --topology dgx_h100_x16 --nodes 2 --begin 1MiB "
                  "--end 1MiB --algorithm " +
                  algorithm),
            "/");
    const auto lines = lines_of(table.out);
    ASSERT_EQ(lines.size(), 4U) << table.out << table.err;
    const std::size_t protocol = lines[1].find("protocol");
    EXPECT_EQ(lines[3].find("  ", lines[3].find(algorithm)),
              lines[3].find(algorithm) + algorithm.size());
    EXPECT_EQ(lines[3].find_first_not_of(' ', lines[3].find(algorithm) + algorithm.size()),
              protocol)
        << table.out;
    EXPECT_EQ(lines[1].find("bounded by"), lines[2].find("(share of time)")) << table.out;
  }
}

TEST(Collective, NamesTheNodesThatItTakesOfALongerList) {
  const Outcome table = run(words("collective all_gather --topology dgx_h100_x16 --nodes 3 "
                                  "--node-placement 4,0-2 --begin 1MiB --end 1MiB"),
                            "/");
  EXPECT_NE(table.out.find("nodes: 4,0-1\n"), std::string::npos) << table.out << table.err;
}

TEST(Collective, LatencyBoundsSmallBuffersAndTheNarrowestLinkLargeOnes) {
  struct Case {
    std::string flags, kind;
    int as_busy;  // links, those of either direction counted once
  };
  // A leaf of two nodes has an eighth of their 2 x 400 GB/s. Of 4 GPUs' shares each, half a
  // buffer leaves the leaf.
  const std::string tapered =
      "all_to_all --nodes 4 --set network.fabric=fat_tree_2level --set network.nodes_per_leaf=2 ";
  for (const auto& [flags, kind, as_busy] : {
           Case{"all_reduce --nodes 1 --algorithm ring", "nvlink", 8},
           Case{"all_gather --nodes 2 --split 8", "nic", 16},
           Case{tapered + "--set network.oversubscription=8", "leaf", 2},
           Case{tapered + "--set network.oversubscription=1", "nic", 32},
       }) {
    SCOPED_TRACE(flags);
    const auto rows = collective(flags + " --begin 1KiB --end 16GiB --factor 16777216");
    EXPECT_EQ(rows.at(0)["bounded_by"], "latency");
    EXPECT_GT(rows.at(0)["latency_share"], 0.5);
    const auto large = rows.at(1);
    EXPECT_EQ(large["bounded_by"], large["busiest_link"]);
    EXPECT_TRUE(large["busiest_link"].get<std::string>().starts_with(kind)) << large;
    EXPECT_EQ(large["links_as_busy"], as_busy);
    EXPECT_LT(large["latency_share"], 0.1);
    EXPECT_GT(large["busiest_link_busy_share"], 0.9);
    EXPECT_LE(large["busiest_link_busy_share"], 1 + 1e-4);
  }
}

// As a job's nodes on a larger cluster whose leaves are full.
TEST(Collective, TheLastLeafMayHaveFewerNodes) {
  const std::string sizes = " --begin 1MiB --end 1GiB --factor 32";
  for (const std::string fabric :
       {"network.fabric=fat_tree_2level", "network.fabric=rail_spine",
        "network.fabric=fat_tree_3level --set network.leaves_per_pod=2 --set "
        "network.pod_oversubscription=1.5"}) {
    const std::string on =
        "all_to_all --set network.oversubscription=2 --set "
        "network.nodes_per_leaf=8 --set " +
        fabric;
    SCOPED_TRACE(on);
    const auto few = collective(on + " --set cluster.nodes=21" + sizes);
    const auto part = collective(on + " --set cluster.nodes=32 --nodes 21" + sizes);
    ASSERT_EQ(few.size(), part.size());
    for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i]["time_s"], part[i]["time_s"]);
  }
}

// With half of the GPUs, half of the node's NICs that a setting counts are unused: it says so.
TEST(Collective, WarnsOfNicsThatAPartOfANodeLeavesUnused) {
  const std::string four = "collective all_gather --topology dgx_h100_x16 --nodes 2 --end 1KiB ";
  const auto said = [&](const std::string& flags) {
    return run(words(four + flags), source_directory()).err;
  };
  const std::string warned = said("--gpus-per-node 4 --set network.nics_per_node=4");
  EXPECT_EQ(
      warned,
      "warning: --gpus-per-node: 4 GPUs of a whole node reach 2 of its 4 NICs; for nodes of 4 "
      "GPUs with 4 NICs, write --set cluster.gpus_per_node=4 instead\n");
  for (const char* flags : {"--gpus-per-node 4", "--set network.nics_per_node=4",
                            "--set cluster.gpus_per_node=4 --set network.nics_per_node=4"}) {
    EXPECT_EQ(said(flags), "") << flags;
  }
}

TEST(Collective, ABusyShareIsBytesOverTheLinksRate) {
  // Two nodes of one GPU: half of the gathered buffer passes each NIC, at its share of 50 GB/s.
  const auto row = collective(
                       "all_gather --nodes 2 --gpus-per-node 1 --begin 1GiB --end 1GiB "
                       "--set network.efficiency=0.8")
                       .at(0);
  const double busy_s = 0.5 * (1 << 30) / (0.8 * 50e9);
  EXPECT_NEAR(row["busiest_link_busy_share"], busy_s / row["time_s"].get<double>(), 1e-6);
  EXPECT_EQ(row["busiest_link_set_by"], "network.nic_bandwidth");
}

TEST(Collective, FasterNicsShortenWhatTheyBoundAlone) {
  const auto gain = [](const std::string& size, const std::string& bound) {
    const std::string flags =
        "all_reduce --algorithm ring --nodes 2 --split 8 --begin " + size + " --end " + size;
    const auto row = collective(flags).at(0);
    EXPECT_TRUE(row["bounded_by"].get<std::string>().starts_with(bound)) << row;
    const auto fast = collective(flags + " --set network.nic_bandwidth=800Gbps").at(0);
    return row["time_s"].get<double>() / fast["time_s"].get<double>();
  };
  EXPECT_NEAR(gain("8GiB", "nic"), 2, 0.02);
  EXPECT_NEAR(gain("8B", "latency"), 1, 0.02);
}

TEST(Collective, WhatIsWrongIsLocated) {
  constexpr std::string_view kBase = "collective all_gather --topology dgx_h100_x16 ";
  for (const auto& [flags, place] : std::vector<std::pair<std::string, std::string>>{
           {"--split 3", "--split"},
           {"--split 128", "--split"},
           {"--begin 8", "--begin"},
           {"--begin 0B", "--begin"},
           {"--end 4B", "--end"},
           {"--factor 1", "--factor"},
           {"--nodes 17", "--nodes"},
           {"--nodes 1 --gpus-per-node 1", "--topology"},
           {"--precision fp32", "--precision"},
           {"--node-placement ./none", "--node-placement"},
           {"--node-placement 3-0", "--node-placement"},
           {"--set model.layers=2", "--set"},
           {"--set scheme.slices=2", "--set"},
           {"--format xml", "--format"}}) {
    SCOPED_TRACE(flags);
    expect_refused(run(words(std::string(kBase) + flags), "/"), place);
  }
  expect_refused(run(words("collective all_gathr --topology dgx_h100_x16"), "/"), "collective");
}

}  // namespace
}  // namespace apps_tests
