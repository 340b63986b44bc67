// SPDX-License-Identifier: Apache-2.0
// `map`: which scheme is fastest where.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

const std::string kMapCluster = "--topology dgx_h100_x16 --nodes 2 --gpus-per-node 2 ";
const std::string kMap = "map " + kMapCluster + "--set model.layers=2 --tokens 16384 ";
const std::string kModels = "--model gpt_125m,gpt_350m --bandwidths 400Gbps,1Gbps ";

TEST(Map, HasAPointForEachModelAndBandwidthInTheirOrder) {
  const Json all = json_of(kMap + kModels);
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[i]["model"], i < 2 ? "gpt_125m" : "gpt_350m");
    EXPECT_EQ(all[i]["nic_bandwidth_Bps"], i % 2 == 0 ? 1e9 / 8 : 400e9 / 8);
    // 16384 tokens are 8 sequences of 2048, two for each of four GPUs.
    EXPECT_EQ(all[i]["global_batch"], 8);
  }
}

// Of run and solve, between sites as well: nothing trains so fast.
TEST(Map, MarksFiguresOfWhatDoesNotFit) {
  const std::string small = " --set gpu.memory=800MB";
  const std::string job = kMapCluster + "--set model.layers=2 --model gpt_125m ";
  const std::string note = "!: does not fit in memory; the figure assumes GPUs with more memory";
  for (const auto& [command, figure] :
       {std::pair{"run --scheme sharded,sdp4bit " + job, R"(tokens per second +\d+ ! +\d+ !)"},
        std::pair{"run --scheme sdp4bit --baseline twin " + job, R"(speed-up +- +[\d.]+x !)"},
        std::pair{"run " + job, R"(USD per million tokens +[\d.]+ !)"},
        std::pair{"solve bandwidth --utilisation 0.5 " + job, R"(utilisation 0.5 .* !)"}}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run(words(command + small), source_directory());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(std::regex_search(outcome.out, std::regex(figure))) << outcome.out;
    EXPECT_NE(outcome.out.find(note), std::string::npos) << outcome.out;
    const Outcome fits = run(words(command), source_directory());
    EXPECT_EQ(fits.out.find(note), std::string::npos) << fits.out;
    EXPECT_EQ(fits.out.find(" !"), std::string::npos) << fits.out;
  }
  const Outcome rounds =
      run(words("run --topology two_sites_10g --model gpt_125m --scheme diloco --micro-batch 512"),
          source_directory());
  EXPECT_TRUE(std::regex_search(rounds.out, std::regex(R"(tokens per second +\d+ !)")))
      << rounds.out;
  EXPECT_NE(rounds.out.find(note), std::string::npos) << rounds.out;
}

TEST(Map, SaysThatCompressionPaysOnSlowNetworks) {
  const Json all = json_of(kMap + "--model gpt_125m --bandwidths 1Gbps,10Gbps,3200Gbps");
  EXPECT_EQ(all[0]["pays"], true);
  EXPECT_EQ(all[0]["fastest"], all[0]["compressed"]);
  EXPECT_GT(all[0]["speedup"], all[1]["speedup"]);
  EXPECT_GT(all[1]["speedup"], all[2]["speedup"]);
  for (const Json& point : all) {
    EXPECT_DOUBLE_EQ(point["speedup"], point["uncompressed_step_time_s"].get<double>() /
                                           point["compressed_step_time_s"].get<double>());
    EXPECT_LE(point["speedup_low"], point["speedup"]);
    EXPECT_GE(point["speedup_high"], point["speedup"]);
    EXPECT_LT(point["speedup_low"], point["speedup_high"]);
  }
}

// A speed-up of what does not fit in memory is no win.
TEST(Map, SaysThatNothingWinsWhereNothingFits) {
  const std::string small = "--model gpt_125m --bandwidths 1Gbps --set gpu.memory=600MB ";
  const Json point = json_of(kMap + small)[0];
  EXPECT_GT(point["speedup"], 1);
  EXPECT_EQ(point["pays"], false);
  EXPECT_TRUE(point["verdict"].is_null());
  const Outcome table = run(words(kMap + small), source_directory());
  EXPECT_TRUE(table.out.starts_with(
      "compression wins at none of 1 points; at 1 point nothing fits in memory\n"))
      << table.out;
  EXPECT_TRUE(std::regex_search(table.out, std::regex("\ngpt_125m +does not fit\n"))) << table.out;
  EXPECT_EQ(table.out.find("speed-up "), table.out.find("speed-up over")) << table.out;
}

// sdp4bit takes 8.3 GB of a GPU here, and 7.3 with full recomputation.
TEST(Map, ChoosesWhatToRecompute) {
  const std::string job =
      "map --topology dgx_h100_x16 --nodes 2 --gpus-per-node 2 --model gpt_1.3b --scheme sdp4bit "
      "--set model.layers=8 --tokens 16384 --bandwidths 400Gbps --tp 1 --zero 1 --attention fused "
      "--gradient-precision fp32 --optimizer-state gpu --set gpu.memory=7.6GB ";
  EXPECT_EQ(json_of(job + "--recompute none")[0]["compressed_fits_memory"], false);
  const Json chosen = json_of(job)[0];
  EXPECT_EQ(chosen["compressed_fits_memory"], true);
  EXPECT_NE(chosen["compressed_flags"].get<std::string>().find("--recompute full"),
            std::string::npos)
      << chosen;
  EXPECT_EQ(chosen["compressed_needs"], "--recompute full");
}

// A point is what run says of its flags.
TEST(Map, AgreesWithRun) {
  const Json point = json_of(kMap + "--model gpt_125m --bandwidths 1Gbps,25Gbps,3200Gbps")[1];
  for (const std::string side : {"uncompressed", "compressed"}) {
    const Json report = json_of(
        "run " + kMapCluster +
        "--model gpt_125m --set model.layers=2 --set network.nic_bandwidth=25Gbps --scheme " +
        point[side].get<std::string>() + " " + point[side + "_flags"].get<std::string>());
    EXPECT_DOUBLE_EQ(report["step_time_s"], point[side + "_step_time_s"]) << side;
  }
}

// What carries over from faster networks leaves nothing out.
TEST(Map, OfOneBandwidthIsThatPointOfALargerMap) {
  const Json alone = json_of(kMap + "--model gpt_125m --bandwidths 25Gbps")[0];
  const Json among = json_of(kMap + "--model gpt_125m --bandwidths 25Gbps,100Gbps,400Gbps")[0];
  EXPECT_EQ(alone["speedup"], among["speedup"]);
  EXPECT_EQ(alone["uncompressed_step_time_s"], among["uncompressed_step_time_s"]);
}

TEST(Map, TakesTheSmallestTensorParallelismThatFits) {
  // ZeRO-1 takes 8.0 GB of a GPU here, 5.4 with --tp 2.
  const std::string job =
      "map --topology dgx_h100_x16 --nodes 2 --gpus-per-node 4 --model gpt_6.7b --scheme qwd "
      "--set model.layers=4 --bandwidths 400Gbps --tokens 16384 --attention fused ";
  EXPECT_EQ(json_of(job)[0]["tensor_parallel"], 1);
  EXPECT_EQ(json_of(job + "--set gpu.memory=6GB")[0]["tensor_parallel"], 2);
  EXPECT_EQ(json_of(job + "--tp 4")[0]["tensor_parallel"], 4);
}

TEST(Map, IsATableOrCsv) {
  const Outcome table = run(words(kMap + kModels), source_directory());
  EXPECT_NE(table.out.find("\ngpt_350m  "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("400 Gbps"), std::string::npos) << table.out;
  const Outcome csv = run(words(kMap + kModels + "--format csv"), source_directory());
  EXPECT_TRUE(csv.out.starts_with("topology,gpus,model,nic_bandwidth_Bps,")) << csv.out;
  EXPECT_EQ(lines_of(csv.out).size(), 5u);
}

TEST(Map, RefusesWhatItCannotDraw) {
  expect_command_refused(kMap + "--model gpt_125m --scheme sharded", "--scheme");
  expect_command_refused(kMap + "--model gpt_125m --scheme sdp4bt", "--scheme");
  expect_command_refused(kMap + "--model gpt_125m --bandwidths 400", "--bandwidths");
  expect_command_refused(kMap + "--model gpt_125m --bandwidths 400Gbps,0Gbps", "--bandwidths");
  expect_command_refused(kMap + "--model gpt_125m --global-batch 8", "--global-batch");
  expect_command_refused(kMap + "--model gpt_125m --format svg", "--format");
  expect_command_refused("map --topology dgx_h100_x16 --nodes 1 --model gpt_125m", "--nodes");
  expect_command_refused("map --topology dgx_h100_x16 --model gpt_125m --tokens 0", "--tokens");
  expect_command_refused("map --topology dgx_h100_x16 --model gpt_125m --tokens 1000000000000000",
                         "--tokens");
}

}  // namespace
}  // namespace apps_tests
