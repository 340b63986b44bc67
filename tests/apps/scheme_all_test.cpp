// SPDX-License-Identifier: Apache-2.0
// `--scheme all`, and which of several steps are on the front of speed and codec error.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

const std::string kAllRun =
    "run --topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 2 "
    "--set model.layers=2 --set network.nic_bandwidth=1Gbps --baseline sharded --scheme ";

Json reports_of_all(const std::string& schemes) { return json_of(kAllRun + schemes); }

std::set<std::string> schemes_of(const Json& all) {
  std::set<std::string> names;
  for (const Json& report : all) names.insert(report["scheme"]);
  return names;
}

TEST(SchemeAll, IsEveryOneThatShipsAndThatTheStageLeaves) {
  const Json all = reports_of_all("all");
  const std::set<std::string> names = schemes_of(all);
  EXPECT_EQ(names.size(), all.size());
  const std::string listed = run({"list", "schemes"}, source_directory()).out;
  for (const std::string& name : names) EXPECT_NE(listed.find(name), std::string::npos) << name;
  EXPECT_GE(names.size(), 25u);
  const std::set<std::string> sharded = schemes_of(reports_of_all("all --zero 3"));
  EXPECT_TRUE(sharded.contains("zeropp"));
  EXPECT_FALSE(sharded.contains("power_sgd"));
}

// Nothing is faster and more exact than what is on the front; all else is beaten by something on it.
TEST(ParetoFront, IsWhatNothingBeats) {
  const Json all = reports_of_all("all");
  const auto error = [](const Json& one) {
    if (one["pareto"]["sends_plain"]) return -1.0;
    const Json& measured = one["pareto"]["error"];
    return measured.is_null() ? 1e9 : measured.get<double>();
  };
  const auto beats = [&](const Json& one, const Json& other) {
    return one["tokens_per_s"] > other["tokens_per_s"] && error(one) < error(other);
  };
  int on_front = 0;
  for (const Json& one : all) {
    const bool front = one["pareto"]["on_front"];
    on_front += front ? 1 : 0;
    bool beaten = error(one) == 1e9;
    for (const Json& other : all) beaten = beaten || (beats(other, one) && error(other) < 1e9);
    EXPECT_FALSE(front && beaten) << one["scheme"];
  }
  EXPECT_GE(on_front, 2);
}

TEST(ParetoFront, IsInTheTableAndNotOfTwo) {
  EXPECT_TRUE(reports_of_all("sharded,sdp4bit")[0]["pareto"].empty());
  const Outcome table = run(words(kAllRun + "sharded,sdp4bit,qwd,random_k"), source_directory());
  EXPECT_NE(table.out.find("\non the speed-error front "), std::string::npos) << table.out;
  const Outcome two = run(words(kAllRun + "sharded,sdp4bit"), source_directory());
  EXPECT_EQ(two.out.find("speed-error front"), std::string::npos) << two.out;
}

TEST(SchemeAll, IsNoSchemeOfASweepsPoint) {
  const Sandbox sandbox;
  sandbox.write("study.toml",
                "[run]\ntopology = \"dgx_h100_x16\"\nmodel = \"gpt_125m\"\n"
                "scheme = \"all\"\n");
  expect_refused(run({"sweep", "study.toml"}, sandbox.path()), "study.toml");
}

}  // namespace
}  // namespace apps_tests
