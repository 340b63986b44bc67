// SPDX-License-Identifier: Apache-2.0
// collective --pairs: bandwidths between GPUs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

nlohmann::json pairs(const std::string& size, const std::string& flags) {
  return json_of("collective --topology dgx_h100_x16 --pairs " + size + " " + flags);
}

// From `small` to `large` bytes, so that latencies cancel.
double marginal_Bps(const std::string& flags, std::size_t from, std::size_t to) {
  const auto time = [&](const std::string& size) {
    return pairs(size, flags)["time_s"][from][to].get<double>();
  };
  return (2.0 - 1.0) * (1 << 30) / (time("2GiB") - time("1GiB"));
}

TEST(CollectivePairs, AMessageGetsItsNarrowestLink) {
  const std::string perfect = "--nodes 2 --set nvlink.efficiency=1 --set network.efficiency=1 ";
  EXPECT_NEAR(marginal_Bps(perfect, 0, 1), 450e9, 1e-3 * 450e9);
  EXPECT_NEAR(marginal_Bps(perfect, 0, 8), 50e9, 1e-3 * 50e9);
  EXPECT_NEAR(marginal_Bps(perfect, 3, 12), 50e9, 1e-3 * 50e9);
}

TEST(CollectivePairs, ClassesHoldEveryPairOnce) {
  const auto json = pairs("1MiB", "--nodes 2");
  const double ranks = json["gpus"];
  double count = 0;
  for (const auto& one : json["classes"]) {
    count += one["pairs"].get<double>();
    const auto& time = json["time_s"][one["from"].get<std::size_t>()][one["to"].get<std::size_t>()];
    EXPECT_EQ(one["fastest_s"], time) << one;
    EXPECT_EQ(one["slowest_s"], time) << one;
  }
  EXPECT_EQ(count, ranks * (ranks - 1));
}

TEST(CollectivePairs, AtOnceSendersShareWhatTheyCross) {
  // 8 GPUs of a node share its one NIC towards the other node.
  const std::string flags =
      "--nodes 2 --set network.nics_per_node=1 "
      "--set network.efficiency=1 --set collectives.channels=16 ";
  const double alone = marginal_Bps(flags, 0, 8);
  const double shared = marginal_Bps(flags + "--at-once", 0, 8);
  EXPECT_NEAR(alone / shared, 8, 0.01);
}

TEST(CollectivePairs, CsvHasALineAPair) {
  const Outcome csv = run(words("collective --topology dgx_h100_x16 --pairs 1MiB --nodes 2 "
                                "--gpus-per-node 2 --format csv"),
                          source_directory());
  const auto lines = lines_of(csv.out);
  EXPECT_EQ(lines.size(), 1 + 4 * 3u);
  EXPECT_EQ(lines.front(), "from,to,time_s,bandwidth_Bps");
}

TEST(CollectivePairs, WhatIsWrongIsLocated) {
  for (const auto& [flags, place] : std::vector<std::pair<std::string, std::string>>{
           {"--pairs 5", "--pairs"},
           {"--pairs 0B", "--pairs"},
           {"all_reduce --pairs 1MiB", "--pairs"},
           {"all_reduce --at-once", "--at-once"},
           {"--pairs 1MiB --compress int8_g128", "--compress"},
           {"--pairs 1MiB --precision fp32", "--precision"},
           {"--pairs 1MiB --split 8", "--split"},
           {"--pairs 1MiB --begin 1KiB", "--begin"},
           {"--pairs 1MiB --end 8GiB", "--end"},
           {"--pairs 1MiB --factor 2", "--factor"},
           {"--pairs 1MiB --algorithm ring", "--algorithm"},
           {"--pairs 1MiB --protocol ll", "--protocol"},
           {"--pairs 1MiB --nodes 1 --gpus-per-node 1", "--pairs"},
           {"", "gardenhose collective"}}) {
    expect_command_refused("collective --topology dgx_h100_x16 " + flags, place);
  }
  expect_command_refused("collective --topology dgx_h100_x128 --pairs 1MiB --at-once", "--at-once");
}

}  // namespace
}  // namespace apps_tests
