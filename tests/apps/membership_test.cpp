// SPDX-License-Identifier: Apache-2.0
// `run` over sites that come and go.
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/plans.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

const std::string kTwenty =
    "run --topology twenty_peers_b200 --model gpt_125m --scheme sparseloco_store --range off "
    "--set sites.peer.returns_after=4h ";

Json month(const std::string& flags) {
  return json_of(kTwenty + "--set membership.detection=6s " + flags);
}

TEST(MembershipOfSites, ThatHardlyEverLeaveIsThatOfAll) {
  const Json always = month("--set sites.peer.stays=100000000h");
  EXPECT_NEAR(always["members"], 20, 1e-2);
  EXPECT_NEAR(always["kept_tokens_per_s"], always["tokens_per_s"],
              1e-3 * always["tokens_per_s"].get<double>());
  EXPECT_NEAR(always["kept_usd_per_million_tokens"], always["usd_per_million_tokens"],
              2e-3 * always["usd_per_million_tokens"].get<double>());
}

// Without regions, rounds have as many steps as lie between two exchanges across them.
TEST(MembershipOfSites, CountsTheStepsThatARoundHas) {
  const Json always = json_of(
      "run --topology two_sites_10g --model gpt_125m --scheme hierarchical_diloco --range off "
      "--set sites.east.stays=100000000h --set sites.east.returns_after=4h "
      "--set membership.detection=6s");
  EXPECT_EQ(always["inner_steps"], 500);
  EXPECT_NEAR(always["kept_share"], 1, 1e-3);
}

TEST(MembershipOfSites, IsNearPlainArithmeticWhereRoundsAreShort) {
  const Json coming = month("--set sites.peer.stays=20h --tokens 1e12");
  const double kept = coming["kept_tokens_per_s"];
  EXPECT_NEAR(kept / coming["expected_tokens_per_s"].get<double>(), 1, 0.02);
  EXPECT_LT(coming["kept_tokens_per_s_low"], kept);
  EXPECT_GT(coming["kept_tokens_per_s_high"], kept);
  EXPECT_NEAR(coming["leaves_per_day"], 20 * 24 / (20 + 4.0), 1);
  EXPECT_NEAR(coming["training_days"].get<double>() * 86400 * kept, 1e12, 1e6);
}

TEST(MembershipOfSites, IsSaidOnlyWhereTheyComeAndGo) {
  const std::string stay =
      "run --topology twenty_peers_b200 --model gpt_125m --scheme sparseloco_store --range off ";
  EXPECT_FALSE(json_of(stay).contains("kept_tokens_per_s"));
  expect_command_refused(stay + "--tokens 1e12", "--tokens");
}

}  // namespace
}  // namespace apps_tests
