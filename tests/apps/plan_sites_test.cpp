// SPDX-License-Identifier: Apache-2.0
// `plan` over several sites: the best of all that a search through everything would find, the
// commands that run it, and what egress costs.
#include <cmath>

#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

// Two nodes on a thin line, each a site that pays for what it sends.
const std::string kPlanSites =
    "plan --topology two_sites_10g --model gpt_125m --set model.layers=2 "
    "--set sites.east.nodes=1 --set sites.west.nodes=1 --set links.line.bandwidth=1Gbps "
    "--set sites.east.egress=0.09USD/GB --set sites.west.egress=0.05USD/GB --tokens 1e10 "
    "--batch-tokens 131072 ";
const std::string kSchemes = "--scheme diloco,eager_diloco,decoupled_diloco,sparseloco --tp 1 ";

// Of each plan what its goal ranks by.
std::vector<std::vector<double>> site_scores(const Json& json) {
  std::vector<std::vector<double>> all;
  for (const Json& one : json["plans"]) {
    all.push_back({one["price_usd"], one["training_time_s"]});
  }
  return all;
}

class EverySitesGoal : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Plan, EverySitesGoal, testing::Values("cheapest", "fastest"),
                         [](const auto& instance) { return std::string(instance.param); });

// Every simulated round is held against its bounds too: one that beats them ends with 70.
TEST_P(EverySitesGoal, HasTheTenBestOfAllAtATenthOfTheSimulations) {
  const std::string goal = kPlanSites + kSchemes +
                           "--setups --gradient-precision fp32 --recompute none --goal " +
                           GetParam();
  const Json quick = plan(goal);
  const Json whole = plan(goal + " --exhaustive");
  EXPECT_EQ(site_scores(quick), site_scores(whole));
  EXPECT_EQ(quick["plans"].size(), 10u);
  EXPECT_EQ(whole["search"]["rounds"], whole["search"]["setups"]);
  for (const char* kind : {"simulated", "rounds"}) {
    EXPECT_LE(quick["search"][kind].get<int>() * 10, whole["search"][kind].get<int>()) << kind;
  }
}

// What a round is and costs is what run says of it.
TEST_P(EverySitesGoal, HasTheCommandOfEachRound) {
  const Json all =
      plan(kPlanSites + kSchemes + "--setups --inner-scheme sharded,sdp4bit --goal " + GetParam());
  for (const std::size_t place : {0U, 4U, 9U}) {
    const Json& one = all["plans"][place];
    const Json round = json_of(words_of_run(one["command"]), source_directory());
    for (const char* figure : {"round_time_s", "tokens_per_s", "gpus", "inner_scheme"}) {
      EXPECT_EQ(round[figure], one[figure]) << figure << " of " << one["command"];
    }
    const double price = round["usd_per_million_tokens"].get<double>() * 1e10 / 1e6;
    EXPECT_NEAR(one["price_usd"], price, 1e-9 * price);
    const double rounds = one["training_time_s"].get<double>() / one["round_time_s"].get<double>();
    EXPECT_NEAR(one["egress_price_usd"], rounds * round["egress_usd"].get<double>(), 1e-9 * price);
  }
}

// Sites that send dear bytes train alone, until there is no time for that.
TEST(PlanOfSites, WeighsEgressAgainstTheTime) {
  const std::string dear = kPlanSites + "--scheme diloco --set sites.east.egress=9USD/GB ";
  const Json cheapest = plan(dear)["plans"][0];
  EXPECT_EQ(cheapest["egress_price_usd"], 0);
  EXPECT_TRUE(cheapest["sites"] == "east" || cheapest["sites"] == "west") << cheapest;
  const double alone = cheapest["training_time_s"];
  const Json hurried = plan(dear + "--deadline " + std::to_string(0.7 * alone) + "s")["plans"][0];
  EXPECT_EQ(hurried["sites"], "east + west");
  EXPECT_GT(hurried["egress_price_usd"], 0);
  EXPECT_GT(hurried["price_usd"], cheapest["price_usd"]);
}

TEST(PlanOfSites, LeavesGivenCountsAlone) {
  const Json west = plan(kPlanSites + kSchemes + "--set sites.east.count=0");
  for (const Json& one : west["plans"]) EXPECT_EQ(one["sites"], "west");
  const Json both =
      plan(kPlanSites + kSchemes + "--set sites.east.count=1 --set sites.west.count=1");
  for (const Json& one : both["plans"]) EXPECT_EQ(one["sites"], "east + west");
}

TEST(PlanOfSites, SaysWhatTheNextDollarShouldBuy) {
  const Json all = plan(kPlanSites +
                        "--scheme diloco --goal fastest --tp 1 --set scheme.inner_steps=1 "
                        "--set sites.east.count=1 --set sites.west.count=1");
  const Json& best = all["plans"][0];
  const double time_share =
      1 - best["egress_price_usd"].get<double>() / best["price_usd"].get<double>();
  bool seen = false;
  for (const Json& one : all["next_dollar"]) {
    if (one["name"] != "wan_bandwidth") continue;
    seen = true;
    const double sensitivity = one["sensitivity"];
    EXPECT_GT(sensitivity, 0.9) << "nearly all of such a round is the exchange";
    const double saved = 1 - std::pow(1.1, -sensitivity);
    EXPECT_NEAR(one["saves_usd"], best["price_usd"].get<double>() * time_share * saved, 1e-9);
  }
  EXPECT_TRUE(seen);
}

TEST(PlanOfSites, IsATableOrCsv) {
  const Outcome table = run(words(kPlanSites + kSchemes), source_directory());
  EXPECT_NE(table.out.find(" min  "), std::string::npos) << "of training\n" << table.out;
  EXPECT_NE(table.out.find("GPU/net/power/egress %"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("not considered: "), std::string::npos) << table.out;
  const Outcome csv =
      run(words(kPlanSites + kSchemes + "--setups --format csv"), source_directory());
  EXPECT_TRUE(csv.out.starts_with("sites,gpus,scheme,inner_steps,")) << csv.out;
  EXPECT_EQ(lines_of(csv.out).size(), 11u);
}

TEST(PlanOfSites, RefusesWhatItCannotPlan) {
  expect_command_refused(kPlanSites + "--goal smallest-network", "--goal");
  expect_command_refused(kPlanSites + "--nodes 1", "--nodes");
  expect_command_refused(kPlanSites + "--nic-bandwidths 100Gbps", "--nic-bandwidths");
  expect_command_refused(kPlanSites + "--inner-scheme nothing", "--inner-scheme");
  expect_command_refused(kPlanSites + "--scheme sharded", "--scheme");
  expect_command_refused(kPlanSites + "--step-by-step", "--step-by-step");
  expect_command_refused(kTiny + "--inner-scheme sharded", "--inner-scheme");
  expect_command_refused("collective all_gather --topology two_sites_10g", "--topology");
  expect_command_refused(
      "plan --topology two_sites_10g --model llama_3.1_405b --tokens 1e9 --tp 1 --pp 1 --zero 3",
      "--model");
  expect_command_refused(kPlanSites +
                             "--scheme diloco --tp 1 --micro-batch 1 --zero 3 "
                             "--set sites.east.count=1 --set sites.west.count=1 "
                             "--set sites.east.drops_out=1s",
                         "--topology");
}

// A bound says so, and nothing is searched: the sites wait for one whatever the setup.
TEST(PlanOfSites, SaysWhomTheSitesWaitForIfNoRoundEnds) {
  const std::string both = "--set sites.east.count=1 --set sites.west.count=1 ";
  for (const auto& [change, says] :
       {std::pair{"--set links.line.dead=true",
                  "west: cannot be reached: links.line is dead, and "},
        {"--set sites.east.drops_out=1ms", "east: drops out at 1.00 ms"},
        {"--set sites.east.changes=[\"1ms:0\"]", "east: its line goes down for good at 1.00 ms"}}) {
    for (const char* schemes : {"diloco,muloco ", "decoupled_diloco "}) {
      const Outcome outcome =
          run(words(kPlanSites + "--scheme " + schemes + both + change), source_directory());
      expect_refused(outcome, "--topology");
      EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    }
  }
  // A site alone reaches all others.
  for (const Json& one : plans(kPlanSites + "--scheme diloco --set links.line.dead=true")) {
    EXPECT_NE(one["sites"], "east + west");
  }
}

// A quorum is of the sites that are there, and what the others would train is not kept.
TEST(PlanOfSites, IsBoundedWithoutTheSitesThatAreGone) {
  const std::string gone =
      "plan --setups --topology four_sites_mixed --model gpt_125m --set model.layers=2 --tokens "
      "1e9 "
      "--scheme decoupled_diloco,eager_diloco --tp 1 --micro-batch 1 --recompute none "
      "--set sites.lab.count=1 --set sites.campus.count=1 --set sites.cloud.count=1 "
      "--set sites.colocation.count=1 --set sites.campus.drops_out=100ms";
  const Json quick = plan(gone);
  const Json whole = plan(gone + " --exhaustive");
  EXPECT_EQ(site_scores(quick), site_scores(whole));
  EXPECT_LE(quick["search"]["rounds"].get<int>() * 4, whole["search"]["rounds"].get<int>());
}

// Sites whose GPUs hold weights and gradients, but not the optimizer's twelve bytes of each.
TEST(PlanOfSites, KeepsTheOptimizersStateOnHostsOnlyIfNothingFitsOtherwise) {
  const Sandbox sandbox;
  const auto written = [&](const std::string& name, std::string text, std::string_view from,
                           const std::string& to) {
    std::size_t count = 0;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
      ++count;
    }
    EXPECT_GT(count, 0U) << from;
    sandbox.write(name, text);
  };
  const auto listed = [](const char* name) { return run({"list", "topology", name}, "/").out; };
  written("small.toml", listed("dgx_h100_x16"), "memory = \"80 GB\"", "memory = \"12 GB\"");
  written("sites.toml", listed("two_sites_10g"), "dgx_h100_x16", "small");
  const std::string job =
      "plan --topology sites.toml --model gpt_1.3b --set sites.east.nodes=1 "
      "--set sites.west.nodes=1 --scheme diloco --zero 0 --inner-scheme data_parallel --tp 1 "
      "--pp 1 --tokens 1e9 --batch-tokens 32768 ";
  const Json json = json_of(words(job), sandbox.path());
  const Json step = json_of(words_of_run(json["plans"][0]["command"]), sandbox.path());
  for (const Json& row : json["plans"]) EXPECT_EQ(row["optimizer_state"], "host");
  EXPECT_EQ(step["round_time_s"], json["plans"][0]["round_time_s"]);
  EXPECT_EQ(step["fits_memory"], true);
  expect_refused(run(words(job + "--optimizer-state gpu"), sandbox.path()), "--model");
}

}  // namespace
}  // namespace apps_tests
