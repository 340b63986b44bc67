// SPDX-License-Identifier: Apache-2.0
// Where `plan` says that compression pays, `run` says so of the commands that it prints.
#include <cmath>

#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

// Four nodes of four GPUs with most of a step's time in exchanges.
const std::string kExchanging =
    "plan --topology dgx_h100_x16 --model gpt_1.3b --set model.layers=4 --nodes 4 "
    "--gpus-per-node 4 --tokens 1e10 --batch-tokens 65536 ";

double tokens_per_s(const Json& run) { return last_of(run)["tokens_per_s"]; }

void expect_what_run_says(const Json& one) {
  const Json& commands = one["commands"];
  const Json first = json_of(words_of_run(commands[0]), source_directory());
  if (commands.size() == 1) {
    const Json compressed = last_of(first);
    EXPECT_EQ(compressed["scheme"], one["scheme"]);
    EXPECT_EQ(compressed["baseline"], one["baseline"]);
    EXPECT_NEAR(compressed["speedup"], one["speedup"], 1e-9) << commands[0];
    EXPECT_EQ(compressed["verdict"] == "win", one["pays"]) << commands[0];
    return;
  }
  const Json plain = json_of(words_of_run(commands[1]), source_directory());
  EXPECT_NEAR(tokens_per_s(first) / tokens_per_s(plain), one["speedup"], 1e-9) << commands;
}

TEST(PlanCompression, IsWhatItsCommandsSay) {
  for (const char* more : {"--scheme sharded,sdp4bit", "--scheme sharded,qwd,zeropp --zero 3",
                           "--scheme sharded,sdp4bit --nic-bandwidths 10Gbps"}) {
    const Json report = plan(kExchanging + more);
    ASSERT_GE(report["compression"].size(), 1u) << more;
    for (const Json& one : report["compression"]) expect_what_run_says(one);
  }
}

// From the plan's NICs on, faster ones as long as it pays, or slower ones as long as it does not.
TEST(PlanCompression, GoesOnUntilItIsDecided) {
  for (const char* nics : {"1Gbps", "10Gbps", "100Gbps", "400Gbps"}) {
    const Json report =
        plan(kExchanging + "--scheme sharded,sdp4bit --nic-bandwidths " + std::string(nics));
    const Json& all = report["compression"];
    ASSERT_GE(all.size(), 2u) << nics;
    EXPECT_EQ(all[0]["nic_bandwidth_Bps"], report["plans"][0]["nic_bandwidth_Bps"]);
    const bool pays = all[0]["pays"];
    for (std::size_t i = 1; i < all.size(); ++i) {
      const double ratio =
          all[i]["nic_bandwidth_Bps"].get<double>() / all[i - 1]["nic_bandwidth_Bps"].get<double>();
      EXPECT_EQ(ratio > 1, pays) << all;
      EXPECT_TRUE(i + 1 == all.size() || all[i]["pays"] == pays) << all;
    }
  }
}

TEST(PlanCompression, IsNotOfASingleNodeOrASingleKind) {
  EXPECT_EQ(plan(kTiny + "--scheme sharded,sdp4bit --nodes 1")["compression"], Json::array());
  EXPECT_EQ(plan(kExchanging + "--scheme sharded")["compression"], Json::array());
}

}  // namespace
}  // namespace apps_tests
