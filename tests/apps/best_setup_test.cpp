// SPDX-License-Identifier: Apache-2.0
// `run --baseline best`: the fastest uncompressed step of the same sequences, and the plain answer to
// whether compression pays off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

// Two layers on two nodes of two H100, two sequences a GPU and step.
const std::string kTinyRun =
    "run --topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 2 "
    "--set model.layers=2 ";
const std::string kSmall = "run --topology dgx_h100_x16 --model gpt_1.3b --nodes 2 ";

Json reports(const std::string& text) {
  const Json json = json_of(text);
  return json.is_array() ? json : Json::array({json});
}

std::string table(const std::string& text) {
  const Outcome outcome = run(words(text), source_directory());
  EXPECT_EQ(outcome.code, 0) << text << "\n" << outcome.err;
  return outcome.out;
}

// Break-even points come after it.
std::string verdict_of(const std::string& text) {
  std::string found;
  for (const std::string& line : lines_of(text)) {
    for (const char* start :
         {"compression pays", "compression does", "no verdict", "--scheme names"}) {
      if (line.starts_with(start)) found = line;
    }
  }
  return found;
}

// Every uncompressed step of the same sequences, one flag after the other. ZeRO-3 comes with its
// software.
std::vector<std::string> every_option() {
  std::vector<std::string> all;
  for (const char* sharding :
       {"--scheme data_parallel --zero 0", "--scheme sharded,sharded_all_to_all --zero 1",
        "--scheme sharded,sharded_all_to_all --zero 2",
        "--scheme sharded,sharded_all_to_all,hpz --zero 3",
        "--scheme sharded --zero 3 --hybrid-shard 2"}) {
    for (const char* split : {"--micro-batch 1 --accumulation 2", "--micro-batch 2"}) {
      for (const char* overlap : {"none", "all"}) {
        for (const char* gradients : {"fp32", "bf16"}) {
          all.push_back(std::string(sharding) + " " + split + " --overlap " + overlap +
                        " --gradient-precision " + gradients);
        }
      }
    }
  }
  return all;
}

class OnNetworks : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Best, OnNetworks, testing::Values("1Gbps", "400Gbps"));

TEST_P(OnNetworks, TheBestSetupIsTheOneThatAnExhaustiveSearchFinds) {
  const std::string job =
      kTinyRun + "--tp 1 --recompute selective --set network.nic_bandwidth=" + GetParam() + " ";
  double least = 1e9;
  for (const std::string& option : every_option()) {
    for (const Json& report : reports(job + option)) {
      least = std::min(least, report["step_time_s"].get<double>());
    }
  }
  const Json best = reports(job + "--global-batch 8 --scheme sharded --baseline best --tune")[0];
  EXPECT_DOUBLE_EQ(best["step_time_s"].get<double>(), least) << best["flags"];
}

TEST(BestSetup, IsRunByTheFlagsThatAreReported) {
  for (const std::string given : {"", "--zero 3", "--zero 3 --attention unfused"}) {
    const std::string job = kSmall + "--set network.nic_bandwidth=25Gbps ";
    const Json best =
        reports(job + given + " --accumulation 2 --scheme sharded --baseline best")[0];
    const std::string flags = best["flags"];
    // Those given stay, but for the ones that are reported.
    std::string rest = flags.find("--zero ") == std::string::npos ? given : "";
    if (flags.find("--attention") == std::string::npos && rest.empty() &&
        given.find("--attention") != std::string::npos) {
      rest = "--attention unfused";
    }
    if (flags.find("--accumulation") == std::string::npos) rest += " --accumulation 2";
    const Json again = reports(
        fmt::format("{}{} {} --scheme {}", job, rest, flags, best["scheme"].get<std::string>()))[0];
    EXPECT_DOUBLE_EQ(again["step_time_s"], best["step_time_s"]) << given << ": " << flags;
  }
}

TEST(BestSetup, HasTheSequencesAndTheModelParallelismOfTheJob) {
  const Json all = reports(kSmall +
                           "--tp 2 --global-batch 32 --scheme sdp4bit,zeropp,tlq "
                           "--baseline best --tune");
  ASSERT_EQ(all.size(), 4u);
  for (const Json& report : all) {
    EXPECT_EQ(report["global_batch"], 32);
    EXPECT_EQ(report["tensor_parallel"], 2);
    EXPECT_EQ(report["micro_batch"].get<int>() * report["accumulation"].get<int>() * 8, 32);
  }
}

TEST(BestSetup, FitsInMemoryWhereAnySetupDoes) {
  const std::string job = kSmall + "--accumulation 4 --scheme sharded --baseline best ";
  const Json roomy = reports(job)[0];
  EXPECT_EQ(roomy["micro_batch"], 4);
  // Plain data parallelism takes 18 bytes of each of 1.3 billion parameters, ZeRO-3 a sixteenth.
  const Json tight = reports(job + "--set gpu.memory=20GB")[0];
  EXPECT_EQ(tight["fits_memory"], true);
  EXPECT_LT(tight["memory_per_gpu_bytes"].get<double>(), 20e9);
  EXPECT_GE(tight["step_time_s"], roomy["step_time_s"]);
}

// 16 bytes of each of 1.3 billion parameters on one GPU, of which 12 are the optimizer's.
TEST(Tune, MovesTheOptimizersStateToTheHostOnlyIfNothingFitsOtherwise) {
  const std::string one =
      "run --topology dgx_h100_x16 --model gpt_1.3b --nodes 1 --gpus-per-node 1 ";
  const std::string tight = one + "--set gpu.memory=12GB ";
  const Json host = reports(tight + "--tune")[0];
  EXPECT_EQ(host["optimizer_state"], "host");
  EXPECT_EQ(host["fits_memory"], true);
  const std::string flags = host["flags"];
  EXPECT_NE(flags.find("--optimizer-state host"), std::string::npos) << flags;
  EXPECT_EQ(reports(tight + flags)[0]["step_time_s"], host["step_time_s"]);
  EXPECT_EQ(reports(one + "--tune")[0]["optimizer_state"], "gpu");
  EXPECT_EQ(reports(one + "--set gpu.memory=2GB --tune")[0]["optimizer_state"], "gpu")
      << "that does not help";
  const Outcome given = run(words(tight + "--tune --optimizer-state gpu"), source_directory());
  EXPECT_NE(given.err.find("it fits with --optimizer-state host ("), std::string::npos)
      << given.err;
}

TEST(BestSetup, NeedsTheLeastWhereNoneFits) {
  const Outcome outcome =
      run(words(kSmall + "--accumulation 2 --scheme sharded --baseline best --format json "
                         "--set gpu.memory=1GB"),
          source_directory());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("warning: sharded: needs"), std::string::npos) << outcome.err;
  const Json best = Json::parse(outcome.out)[0];
  EXPECT_EQ(best["zero_stage"], 3);
  EXPECT_EQ(best["micro_batch"], 1);
}

TEST(BestSetup, IsNoSlowerThanAnyBaselineThatHasAName) {
  const std::string job = kSmall + "--accumulation 2 --scheme sdp4bit --overlap all --baseline ";
  const double best = reports(job + "best")[1]["speedup"];
  for (const char* name : {"twin", "sharded", "sharded_all_to_all", "data_parallel"}) {
    EXPECT_LE(best, reports(job + name).back()["speedup"].get<double>()) << name;
  }
}

TEST(Tune, MakesASchemeNoSlower) {
  const std::string job = kSmall + "--accumulation 2 --scheme sdp4bit,zeropp,tlq ";
  const Json plain = reports(job);
  const Json tuned = reports(job + "--tune");
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_LT(tuned[i]["step_time_s"], plain[i]["step_time_s"]) << plain[i]["scheme"];
    EXPECT_TRUE(plain[i]["flags"].is_null());
    EXPECT_TRUE(tuned[i]["flags"].is_string());
  }
}

TEST(Verdict, SaysThatCompressionDoesNotPayOnAFastFabric) {
  const std::string said = table(kTinyRun +
                                 "--accumulation 2 --scheme sdp4bit,tlq --baseline best "
                                 "--tune --set network.nic_bandwidth=3200Gbps");
  EXPECT_TRUE(verdict_of(said).starts_with("compression does not clearly pay off here: tlq ("))
      << said;
  EXPECT_NE(said.find("; the difference is smaller than the prediction error\n"),
            std::string::npos);
}

TEST(Verdict, NamesTheWinnerOnASlowOne) {
  const std::string job = kTinyRun +
                          "--accumulation 2 --scheme tlq,sdp4bit --baseline best --tune "
                          "--set network.nic_bandwidth=1Gbps";
  const std::string line = verdict_of(table(job));
  EXPECT_TRUE(line.starts_with("compression pays off here: sdp4bit (")) << line;
  // The factor is the speed-up of its column.
  const double speedup = reports(job)[2]["speedup"];
  EXPECT_NE(line.find(fmt::format(") is {:.2f}x as fast as", speedup)), std::string::npos) << line;
}

TEST(Verdict, IsNotOfUncompressedSchemes) {
  EXPECT_TRUE(verdict_of(table(kTinyRun + "--scheme sharded,hpz --baseline best"))
                  .starts_with("no verdict: --scheme names no compressed scheme"));
}

// One GPU of 1 GB holds nothing of 1.3 billion parameters.
TEST(Verdict, IsNoneWhereNothingFits) {
  const std::string line =
      verdict_of(table(kSmall + "--scheme sdp4bit --baseline best --tune --set gpu.memory=1GB"));
  EXPECT_TRUE(line.starts_with("no verdict: none of the steps compared fits in memory")) << line;
}

// Two bytes a weight are 26 GB and FP32 gradients twice that: ZeRO-1 of whole weights does not fit.
TEST(Best, ChoosesTensorParallelismAndRecomputationThatFit) {
  const Json all = reports(
      "run --topology dgx_h100_x16 --nodes 2 --model llama_2_13b --set gpu.memory=40GB "
      "--scheme sdp4bit --baseline best --tune");
  for (const Json& report : all) EXPECT_EQ(report["fits_memory"], true) << report["flags"];
  EXPECT_GT(all[1]["tensor_parallel"], 1) << "sdp4bit needs whole weights";
  EXPECT_EQ(all[0]["global_batch"], 16);
  EXPECT_EQ(all[1]["global_batch"], 16);
}

TEST(Tune, LeavesGivenFlagsAlone) {
  const Json report = reports(kSmall +
                              "--accumulation 2 --scheme sdp4bit --tune --zero 2 "
                              "--recompute full --overlap none --gradient-precision fp32")[0];
  EXPECT_EQ(report["zero_stage"], 2);
  EXPECT_EQ(report["accumulation"], 2);
  const std::string flags = report["flags"];
  for (const char* flag : {"--zero", "--recompute", "--overlap", "--gradient-precision"}) {
    EXPECT_EQ(flags.find(flag), std::string::npos) << flags;
  }
}

TEST(Tune, RefusesFlagsThatLeaveNothing) {
  expect_command_refused(kSmall + "--scheme hpz --tune --zero 1", "--scheme");
  expect_command_refused(kSmall + "--scheme sharded --tune --micro-batch 3 --global-batch 64",
                         "--global-batch");
}

// It takes many simulations: all else is said before.
TEST(BreakEven, ComesAfterTheTableAndTheVerdict) {
  const std::string said = table(kTinyRun + "--accumulation 2 --scheme sdp4bit --baseline best");
  const auto found = said.find(" (now 400 Gbps)");
  ASSERT_NE(found, std::string::npos) << said;
  EXPECT_NE(said.find("beats the fastest uncompressed setup below about "), std::string::npos);
  EXPECT_GT(found, said.find("sources"));
  EXPECT_GT(found, said.find("compression "));
}

TEST(BreakEven, OverTheBestIsBelowTheOneOverTheTwin) {
  const std::string job = kTinyRun + "--accumulation 2 --scheme sdp4bit --break-even --baseline ";
  const Json best = reports(job + "best")[1];
  const Json twin = reports(job + "twin")[1];
  EXPECT_LT(best["pays_at_nic_Bps"], twin["pays_at_nic_Bps"]);
  EXPECT_EQ(best["baseline_flags"], reports(job + "best")[0]["flags"]);
  EXPECT_TRUE(twin["baseline_flags"].is_null());
}

TEST(Tune, IsForOneCluster) {
  expect_command_refused("run --topology two_sites_10g --model gpt_125m --scheme diloco --tune",
                         "--tune");
}

}  // namespace
}  // namespace apps_tests
