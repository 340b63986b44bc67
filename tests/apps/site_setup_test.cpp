// SPDX-License-Identifier: Apache-2.0
// Commands over sites that train in a way of their own.
#include <string>

#include "tests/apps/plans.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

// Two sites of one node on a thin line.
const std::string kTwoNodes =
    "--topology two_sites_10g --model gpt_125m --set model.layers=2 "
    "--set sites.east.nodes=1 --set sites.west.nodes=1 --set links.line.bandwidth=1Gbps ";
const std::string kOwn =
    "--set sites.east.accumulation=2 --set sites.east.inner_steps=100 --set sites.west.zero=3 ";

TEST(SitesOfTheirOwn, ArePlannedAsGiven) {
  const Json all = plan("plan " + kTwoNodes + kOwn +
                        "--scheme diloco --tp 1 --recompute none --gradient-precision fp32 "
                        "--tokens 1e10 --batch-tokens 65536 --set sites.east.count=1 "
                        "--set sites.west.count=1");
  for (const Json& one : all["plans"]) {
    const Json round = json_of(words_of_run(one["command"]), source_directory());
    EXPECT_EQ(round["round_time_s"], one["round_time_s"]) << one["command"];
    EXPECT_EQ(round["tokens_per_s"], one["tokens_per_s"]) << one["command"];
    EXPECT_EQ(round["by_site"][0]["accumulation"], 2);
    EXPECT_EQ(round["by_site"][0]["inner_steps"], 100);
    EXPECT_EQ(round["by_site"][1]["inner_steps"], 500);
    EXPECT_EQ(round["by_site"][1]["zero_stage"], 3);
    const double price = round["usd_per_million_tokens"].get<double>() * 1e10 / 1e6;
    EXPECT_NEAR(one["price_usd"], price, 1e-9 * price);
    if (&one == &all["plans"][1]) break;
  }
}

TEST(SitesOfTheirOwn, ThatHardlyEverLeaveKeepTheirTokens) {
  const Json always = json_of("run " + kTwoNodes + kOwn +
                              "--scheme diloco --range off --set sites.east.stays=100000000h "
                              "--set sites.east.returns_after=4h --set membership.detection=6s");
  EXPECT_NEAR(always["kept_share"], 1, 1e-3);
}

// Of both sites 6000 steps, at 2 to 1; what a likely range simulates has as many.
TEST(BalancedSites, KeepTheirShareWhateverTheConstants) {
  const std::string unlike = "run " + kTwoNodes + "--scheme diloco --set scheme.inner_steps=3000 " +
                             "--set sites.west.speed=0.5 --set sites.west.stays=100000000h " +
                             "--set sites.west.returns_after=4h --set membership.detection=6s ";
  const Json even = json_of(unlike), divided = json_of(unlike + "--balance steps");
  EXPECT_EQ(divided["by_site"][0]["inner_steps"], 4000);
  EXPECT_EQ(divided["by_site"][1]["inner_steps"], 2000);
  EXPECT_NEAR(divided["kept_share"], 1, 1e-3);
  const auto low = [](const Json& report) {
    return report["tokens_per_s_low"].get<double>() / report["tokens_per_s"].get<double>();
  };
  EXPECT_NEAR(low(divided), low(even), 0.01);
}

TEST(BalancedSites, AreWhatSolveSimulates) {
  const std::string unlike = kTwoNodes + "--scheme diloco --set sites.west.speed=0.5 ";
  const auto least_steps = [&](const std::string& more) {
    return json_of("solve inner_steps " + unlike + "--utilisation 0.6 " + more)[0]["met_at"]
        .get<double>();
  };
  EXPECT_LT(least_steps("--balance steps"), least_steps(""));
}

TEST(BalancedSites, AreToldWhereTheyKeepTheirShares) {
  const auto noted = [](const std::string& flags) {
    const Outcome outcome = run(words("run " + kTwoNodes + "--scheme diloco --range off " +
                                      "--balance batch --set sites.west.speed=0.7 " + flags),
                                source_directory());
    return outcome.err.find("note: diloco: --balance batch leaves 1 ") != std::string::npos;
  };
  EXPECT_TRUE(noted(""));
  EXPECT_FALSE(noted("--accumulation 8"));
}

TEST(BalancedSites, AreRefusedWhereNothingIsToBeDivided) {
  expect_command_refused("run " + kTwoNodes + "--scheme wan_sync --balance steps", "--balance");
  expect_command_refused("run " + kTwoNodes + "--scheme diloco --balance evenly", "--balance");
  expect_command_refused("run --topology dgx_h100_x16 --model gpt_125m --balance batch",
                         "--balance");
  expect_command_refused("run " + kTwoNodes + kOwn + "--scheme diloco --balance steps",
                         "--balance");
}

TEST(SitesOfTheirOwn, AreRefusedAtTheirKeys) {
  const std::string run = "run " + kTwoNodes + "--scheme diloco ";
  expect_command_refused(run + "--set sites.west.pp=4", "--topology: sites.west.pp");
  expect_command_refused(run + "--set sites.west.inner_scheme=diloco",
                         "--topology: sites.west.inner_scheme");
  expect_command_refused(run + "--set sites.west.micro_batch=2 --global-batch 64",
                         "--global-batch");
  expect_command_refused("run " + kTwoNodes + "--scheme wan_sync " + kOwn,
                         "--topology: sites.east.inner_steps");
  expect_command_refused(
      "solve inner_steps " + kTwoNodes + "--scheme diloco --utilisation 0.9 " + kOwn,
      "--topology: sites.east.inner_steps");
}

}  // namespace
}  // namespace apps_tests
