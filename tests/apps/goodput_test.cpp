// SPDX-License-Identifier: Apache-2.0
// Goodput as `run`, `compare` and `plan` show it: each key moves it, and nothing else moves.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

// Two nodes of four A100, which fail each hour or so.
const std::string kOften =
    "run --topology sdp4bit_a100 --model gpt_125m --nodes 2 --reliability rsc1_a100 "
    "--set failures.node=4h ";

struct Turned {
  const char* base;  // further settings
  const char* key;
  const char* value;
  const char* figure;
  bool up;
};

constexpr Turned kTurned[] = {
    {"", "failures.gpu", "100h", "job_mtbf_s", false},
    {"", "failures.nic", "100h", "job_mtbf_s", false},
    {"", "failures.node", "2h", "goodput", false},
    {"", "failures.switch", "9h --set failures.nodes_per_switch=1", "job_mtbf_s", false},
    {"--set failures.switch=9h --set failures.nodes_per_switch=1", "failures.nodes_per_switch", "2",
     "job_mtbf_s", true},
    {"", "failures.domain", "9h --set failures.nodes_per_domain=1", "job_mtbf_s", false},
    {"--set failures.domain=9h --set failures.nodes_per_domain=1", "failures.nodes_per_domain", "2",
     "job_mtbf_s", true},
    {"", "failures.software", "9h", "job_mtbf_s", false},
    {"", "failures.spread", "1", "interruptions_high", true},
    {"", "recovery.detection", "20min", "detection_share", true},
    {"", "recovery.restart", "20min", "restart_share", true},
    {"--set recovery.spares=0", "recovery.repair", "48h", "repair_share", true},
    {"--set recovery.spares=0", "recovery.spares", "3", "goodput", true},
    {"--zero 0 --scheme data_parallel", "recovery.from", "replica", "recomputed_share", false},
    {"", "checkpoint.to", "memory", "goodput", true},
    {"", "checkpoint.asynchronous", "true", "goodput", true},
    {"", "checkpoint.interval", "2h", "goodput", false},
    {"--set checkpoint.asynchronous=true", "checkpoint.copy_bandwidth", "1GBps",
     "checkpoint_stall_s", true},
    {"", "storage.bandwidth", "100MBps", "checkpoint_stall_s", true},
    {"", "storage.node_bandwidth", "100MBps", "checkpoint_stall_s", true},
    {"--set checkpoint.asynchronous=true", "storage.shares_nics", "false", "checkpoint_stall_s",
     false},
    {"", "loading.node_tokens_per_s", "10", "tokens_per_day", false},
    {"", "loading.token_bytes", "1000", "checkpoint_stall_s", true},
};

TEST(GoodputKeys, MoveTheAnswer) {
  for (const Turned& one : kTurned) {
    const std::string base = kOften + one.base;
    const Json before = json_of(base);
    const Json after = json_of(base + " --set " + one.key + "=" + one.value);
    const double change = after[one.figure].get<double>() - before[one.figure].get<double>();
    EXPECT_TRUE(one.up ? change > 0 : change < 0)
        << one.key << ": " << one.figure << " " << before[one.figure] << " became "
        << after[one.figure];
  }
}

TEST(GoodputKeys, AreAllTurned) {
  std::set<std::string> turned{"summary"}, known;
  for (const Turned& one : kTurned) turned.insert(one.key);
  const Json listed = Json::parse(run({"list", "keys", "--format", "json"}, ".").out);
  for (const Json& row : listed["reliability_keys"]["rows"]) known.insert(row["key"]);
  EXPECT_EQ(turned, known);
}

// The step and all that was reported without failures stay as they are.
TEST(Goodput, AddsToTheReportAlone) {
  const std::string run_line = "run --topology sdp4bit_a100 --model gpt_125m --nodes 2";
  const Json without = json_of(run_line);
  Json with = json_of(run_line + " --reliability llama3_h100 --tokens 1e12");
  for (const auto& [name, value] : without.items()) EXPECT_EQ(value, with[name]) << name;
  EXPECT_GT(with.size(), without.size());
  // 1e12 tokens at those kept each day.
  const double days = 1e12 / with["tokens_per_day"].get<double>();
  EXPECT_NEAR(with["training_days"], days, 1e-9 * days);
  EXPECT_NEAR(with["tokens_per_day"].get<double>(),
              with["goodput"].get<double>() * with["tokens_per_s"].get<double>() * 86'400,
              1e-6 * with["tokens_per_day"].get<double>());
}

TEST(Goodput, IsOfOneCluster) {
  const Outcome outcome =
      run(words("run --topology two_sites_10g --model gpt_125m --scheme diloco --tp 1 "
                "--reliability llama3_h100"),
          ".");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--reliability: applies to one cluster"), std::string::npos);
}

TEST(Goodput, NeedsTheFileItsSettingsAreOf) {
  for (const char* line :
       {"run --topology sdp4bit_a100 --model gpt_125m --set recovery.spares=1",
        "run --topology sdp4bit_a100 --model gpt_125m --tokens 1e12",
        "run --topology sdp4bit_a100 --model gpt_125m --reliability llama3_h100 --tokens 0",
        "run --topology sdp4bit_a100 --model gpt_125m --reliability llama3_h100 --tokens nan",
        "collective all_gather --topology sdp4bit_a100 --set failures.gpu=1h"}) {
    const Outcome outcome = run(words(line), ".");
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
}

// A plan says what its time is silent about; with failures, it shows what they leave.
TEST(Goodput, OfPlansFollowsFromTheirTime) {
  const std::string line = kTiny + "--scheme sharded ";
  const Outcome plain = run(words(line), ".");
  EXPECT_NE(plain.out.find("at the rates of llama3_h100"), std::string::npos) << plain.out;
  const Json without = plan(line), with = plan(line + "--reliability llama3_h100");
  ASSERT_EQ(without["plans"].size(), with["plans"].size());
  for (std::size_t i = 0; i < with["plans"].size(); ++i) {
    const Json& one = with["plans"][i];
    EXPECT_EQ(without["plans"][i]["training_time_s"], one["training_time_s"]);
    const double days = one["training_time_s"].get<double>() / 86'400;
    EXPECT_NEAR(one["training_days"], days / one["goodput"].get<double>(), 1e-6 * days);
    const Json step = Json::parse(run(words_of_command(one["command"]), ".").out);
    EXPECT_EQ(step["goodput"].get<double>(), one["goodput"].get<double>());
  }
}

// More often than a step can be saved, the faster side loses what it trains.
TEST(Goodput, DecidesComparisons) {
  const std::string sides =
      "compare --topology sdp4bit_a100 --model gpt_125m --a='--nodes=2' --b='--nodes=1' "
      "--repetitions 10 ";
  const Json plain = json_of(sides), failing = json_of(sides + "--reliability rsc1_a100");
  const auto kept = [](const Json& json, const char* side) {
    return json[side]["tokens_per_s"].get<double>();
  };
  for (const char* side : {"a", "b"}) EXPECT_LT(kept(failing, side), kept(plain, side));
  EXPECT_LT(kept(failing, "a") / kept(plain, "a"), kept(failing, "b") / kept(plain, "b"));
}

}  // namespace
}  // namespace apps_tests
