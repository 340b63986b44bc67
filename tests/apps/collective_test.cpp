// SPDX-License-Identifier: Apache-2.0
// collective: what it prints are nccl-tests' figures of what the simulator gives.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

constexpr const char* kNames[] = {"all_gather", "reduce_scatter", "all_reduce", "all_to_all"};

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
      const double sent = (name == "all_reduce" ? 2 : 1) * 15.0 / 16;
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

TEST(Collective, WhatIsWrongIsLocated) {
  constexpr std::string_view kBase = "collective all_gather --topology dgx_h100_x16 ";
  for (const auto& [flags, place] :
       std::vector<std::pair<std::string, std::string>>{{"--split 3", "--split"},
                                                        {"--split 128", "--split"},
                                                        {"--begin 8", "--begin"},
                                                        {"--begin 0B", "--begin"},
                                                        {"--end 4B", "--end"},
                                                        {"--factor 1", "--factor"},
                                                        {"--nodes 17", "--nodes"},
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
