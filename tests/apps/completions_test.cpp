// SPDX-License-Identifier: Apache-2.0
// `gardenhose complete WORD...`, which the shells ask: what may stand for the last word.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/program.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

// `line` follows the program's name; one that ends with a blank begins another word.
Arguments completed(const std::string& line) {
  Arguments asked = words("complete " + line);
  if (line.empty() || line.back() == ' ') asked.emplace_back();
  const Outcome outcome = run(asked, "/");
  EXPECT_EQ(outcome.code, 0) << line << outcome.err;
  Arguments candidates;
  for (const std::string& row : lines_of(outcome.out)) {
    candidates.push_back(row.substr(0, row.find('\t')));
  }
  return candidates;
}

bool offers(const std::string& line, const std::string& word) {
  const Arguments candidates = completed(line);
  return std::ranges::find(candidates, word) != candidates.end();
}

TEST(Completions, OfCommands) {
  EXPECT_EQ(completed("ru"), Arguments{"run"});
  EXPECT_EQ(completed("me"), Arguments{"merge"});
  const nlohmann::json top = nlohmann::json::parse(run({"--help=json"}, "/").out);
  EXPECT_EQ(completed("").size(), top["commands"].size());
}

// A stack, then its releases that changed it.
TEST(Completions, OfStacksAtADate) {
  EXPECT_TRUE(offers("run --stack comp", "composer"));
  EXPECT_TRUE(offers("run --stack composer@", "composer@2023-11-21"));
  EXPECT_FALSE(offers("run --stack megatron@", "composer@2023-11-21"));
}

TEST(Completions, OfFlags) {
  EXPECT_EQ(completed("run --sch"), Arguments{"--scheme"});
  EXPECT_EQ(completed("plan --tokens 1e12 --nic-b"), Arguments{"--nic-bandwidths"});
  const nlohmann::json top = nlohmann::json::parse(run({"--help=json"}, "/").out);
  for (const nlohmann::json& row : top["commands"]) {
    const std::string command = row["name"];
    const auto help = nlohmann::json::parse(run({command, "--help=json"}, "/").out);
    EXPECT_EQ(completed(command + " --").size(), help["flags"].size()) << command;
  }
}

TEST(Completions, OfNamesAndChoices) {
  for (const auto& file : shipped_files("topologies", ".toml")) {
    EXPECT_TRUE(offers("run --topology ", file.stem().string())) << file;
  }
  EXPECT_EQ(completed("run --model gpt_2."), Arguments{"gpt_2.7b"});
  EXPECT_EQ(completed("run --scheme sdp4bit_u"), Arguments{"sdp4bit_unfused"});
  EXPECT_EQ(completed("run --scheme=sdp4bit_u"), Arguments{"--scheme=sdp4bit_unfused"});
  EXPECT_EQ(completed("run --scheme sharded,sdp4bit_u"), Arguments{"sharded,sdp4bit_unfused"});
  EXPECT_EQ(completed("run --format "), (Arguments{"table", "json", "csv"}));
  EXPECT_EQ(completed("run --offload-activations "), (Arguments{"none", "all"}));
  EXPECT_EQ(completed("run --recompute fu"), Arguments{"full"});
  EXPECT_EQ(completed("run --set network.nic_b"), Arguments{"network.nic_bandwidth="});
  EXPECT_EQ(completed("collective all_r"), Arguments{"all_reduce"});
  EXPECT_EQ(completed("validate two"), Arguments{"two-nodes"});
  EXPECT_EQ(completed("solve lat"), Arguments{"latency"});
  EXPECT_EQ(completed("compare --goal c"), Arguments{"cost"});
}

// Where a file may stand, the shell lists files.
TEST(Completions, LeaveFilesToTheShell) {
  EXPECT_EQ(completed("check "), Arguments{});
  EXPECT_EQ(completed("run --perfetto "), Arguments{});
  EXPECT_EQ(completed("run --tune "), Arguments{});
}

TEST(Completions, OfUnknownWordsAreNone) {
  EXPECT_NE(run({"complete", "runn", "--s"}, "/").code, 0);
  EXPECT_EQ(run({"complete"}, "/").out, "");
  EXPECT_EQ(completed("run --no-such-flag=a"), Arguments{});
}

}  // namespace
}  // namespace apps_tests
