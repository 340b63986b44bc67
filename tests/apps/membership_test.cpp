// SPDX-License-Identifier: Apache-2.0
// `run`, `plan`, `compare` and `solve` over sites that come and go.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/comparisons.hpp"
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

TEST(SolveBest, SaysWhereItIsAnEndOfWhatIsSearched) {
  const std::string peers =
      "solve peers --topology twenty_peers_b200 --model gpt_125m --scheme sparseloco_store ";
  const Outcome outcome = run(words(peers + "--best tokens"), source_directory());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("at 16384 (likely 16384), an end of what is searched"),
            std::string::npos)
      << outcome.out;
}

TEST(MembershipOfSites, ThatKeepNothingHaveNoPriceOfIt) {
  const Json never = month("--set sites.peer.stays=1s");
  EXPECT_EQ(never["kept_tokens_per_s"], 0);
  EXPECT_TRUE(never["kept_usd_per_million_tokens"].is_null());
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

// Who leaves when is drawn in an order that does not depend on names, and a site loads from the one
// that sends soonest, whatever that is called.
TEST(MembershipOfSites, DoNotDependOnTheirNames) {
  const auto kept = [](const std::string& one, const std::string& other) {
    const auto set = [](const std::string& site, const std::string& keys) {
      return "--set sites." + site + "." + keys + " ";
    };
    return json_of(
               "run --topology four_sites_mixed --model gpt_125m --scheme sparseloco --range off "
               "--set membership.detection=6s --set sites.lab.stays=40h "
               "--set sites.lab.returns_after=6h " +
               set(one, "stays=20h") + set(one, "returns_after=10h") +
               set(one, "cluster=dgx_h100_x16") + set(one, "nodes=4") + set(one, "uplink=10Gbps") +
               set(one, "downlink=10Gbps") + set(other, "stays=30h") +
               set(other, "returns_after=2h") + set(other, "cluster=dgx_a100_x16") +
               set(other, "nodes=4") + set(other, "uplink=2Gbps") +
               set(other, "downlink=3Gbps"))["kept_tokens_per_s"]
        .get<double>();
  };
  const double given = kept("cloud", "colocation");
  EXPECT_NEAR(kept("colocation", "cloud"), given, 1e-12 * given);
}

// Both sites of the one are seldom there together; the other goes on with either.
TEST(MembershipOfSites, AreComparedByWhatTheyKeep) {
  const std::string flags =
      " --topology two_sites_10g --model gpt_125m --set scheme.inner_steps=100 --range off "
      "--set sites.east.stays=2h --set sites.east.returns_after=4h --set membership.detection=6s ";
  const Json reports = json_of("run --scheme streaming_diloco --baseline diloco" + flags);
  ASSERT_EQ(reports.size(), 2u);
  const double kept = reports[1]["kept_tokens_per_s"], before = reports[0]["kept_tokens_per_s"];
  EXPECT_NEAR(reports[1]["speedup"], kept / before, 1e-9);
}

// A site that comes too late adds nothing, month after month.
TEST(MembershipOfSites, CountsWhatARoundCounts) {
  const Json late = json_of(
      "run --topology two_sites_10g --model gpt_125m --scheme diloco --range off --deadline 20s "
      "--set sites.west.late=1000s --set sites.east.stays=100000000h "
      "--set sites.east.returns_after=4h --set membership.detection=6s");
  EXPECT_EQ(late["outcome"], "partial");
  EXPECT_NEAR(late["kept_share"], 1, 1e-3);
  EXPECT_NEAR(late["members"], 1, 1e-3);
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

// At a price that outweighs the GPUs': what a round sends, by the sites that are there.
TEST(MembershipOfSites, PayForWhatThoseSendThatAreThere) {
  const auto egress_usd = [](const std::string& flags) {
    const auto usd = [&](const std::string& price) {
      const Json report = month(flags + " --set sites.peer.egress=" + price);
      return report["kept_usd_per_million_tokens"].get<double>() *
             report["kept_tokens_per_s"].get<double>();
    };
    return usd("1USD/GB") - usd("0USD/GB");
  };
  const double half = egress_usd("--set sites.peer.stays=20h --set sites.peer.returns_after=20h");
  const double most = egress_usd("--set sites.peer.stays=20h --set sites.peer.returns_after=1min");
  EXPECT_GT(half, 0);
  EXPECT_GT(most / half, 1.3);
  EXPECT_LT(most / half, 2);
}

TEST(MembershipOfSites, AreRefusedIfTheyComeTooOften) {
  expect_command_refused(
      "run --topology two_sites_10g --model gpt_125m --scheme diloco --set membership.detection=6s "
      "--set sites.east.stays=1ms --set sites.east.returns_after=1ms",
      "sites.east.stays");
}

TEST(MembershipOfSites, IsSaidOnlyWhereTheyComeAndGo) {
  const std::string stay =
      "run --topology twenty_peers_b200 --model gpt_125m --scheme sparseloco_store --range off ";
  EXPECT_FALSE(json_of(stay).contains("kept_tokens_per_s"));
  expect_command_refused(stay + "--tokens 1e12", "--tokens");
}

// Two nodes, one of which comes and goes.
const std::string kPlanComing =
    "plan --topology two_sites_10g --model gpt_125m --set model.layers=2 "
    "--set sites.east.nodes=1 --set sites.west.nodes=1 --set sites.west.egress=0.05USD/GB "
    "--tokens 1e12 --batch-tokens 131072 --tp 1 --zero 3 --overlap all --reshard off "
    "--micro-batch 4 --gradient-precision fp32 --recompute none "
    "--scheme diloco,decoupled_diloco,sparseloco --set sites.east.returns_after=4h "
    "--set membership.detection=6s --goal fastest ";

// Of each plan what its goal ranks by.
std::vector<std::vector<double>> kept_scores(const Json& json) {
  std::vector<std::vector<double>> all;
  for (const Json& one : json["plans"]) all.push_back({one["training_time_s"], one["price_usd"]});
  return all;
}

TEST(PlanOfComingSites, IsThatOfAllWhereTheyHardlyEverLeave) {
  const Json always = plan(kPlanComing + "--set sites.east.stays=100000000h")["plans"][0];
  EXPECT_NEAR(always["kept_tokens_per_s"], always["tokens_per_s"],
              1e-3 * always["tokens_per_s"].get<double>());
  const double steady_s = 1e12 / always["tokens_per_s"].get<double>();
  EXPECT_NEAR(always["training_time_s"], steady_s, 1e-3 * steady_s);
}

TEST(PlanOfComingSites, HasTheTenBestOfAll) {
  const std::string coming = kPlanComing + "--set sites.east.stays=20h ";
  const Json quick = plan(coming);
  const Json whole = plan(coming + "--exhaustive");
  EXPECT_EQ(kept_scores(quick), kept_scores(whole));
  EXPECT_LT(quick["search"]["rounds"], whole["search"]["rounds"]);
}

// What a plan takes and costs is what run says of it.
TEST(PlanOfComingSites, KeepsWhatItsCommandKeeps) {
  const Json best = plan(kPlanComing + "--set sites.east.stays=20h")["plans"][0];
  ASSERT_EQ(best["sites"], "east + west");
  Arguments command = words_of_run(best["command"]);
  command.insert(command.end(), {"--tokens", "1e12"});
  const Json month = json_of(command, source_directory());
  for (const char* figure : {"kept_tokens_per_s", "members", "kept_share", "training_days"}) {
    EXPECT_EQ(month[figure], best[figure]) << figure << " of " << best["command"];
  }
  const double days = month["training_days"], usd = month["training_usd"];
  EXPECT_NEAR(best["training_time_s"], days * 86400, 1e-9 * days * 86400);
  EXPECT_NEAR(best["price_usd"], usd, 1e-9 * usd);
  for (const std::string end : {"", "_low", "_high"}) {
    EXPECT_EQ(best["training_usd" + end], best["price_usd" + end]);
    EXPECT_NEAR(best["price_usd" + end], month["training_usd" + end], 1e-9 * usd) << end;
  }
  EXPECT_NEAR(best["training_time_s_low"], month["training_days_low"].get<double>() * 86400,
              1e-9 * days * 86400);
  // One site of two is away a sixth of the time.
  EXPECT_NEAR(best["kept_share"], 1 - 4.0 / 24 / 2, 0.03);
}

TEST(CompareComingSites, BesideWhatAllOfThemWouldTrain) {
  const std::string shared =
      "--topology two_sites_10g --model gpt_125m --set model.layers=2 --scheme diloco "
      "--set sites.east.nodes=1 --set sites.west.nodes=1 --set sites.east.returns_after=40h "
      "--set membership.detection=6s ";
  const std::string seldom = "--set sites.east.stays=10h", often = "--set sites.east.stays=200h";
  const Json found = findings(seldom, often, shared + "--spread all=0 --repetitions 2");
  const Json a = json_of("run --range off " + shared + seldom);
  const Json b = json_of("run --range off " + shared + often);
  EXPECT_EQ(found["steady_ratio"], 1);
  EXPECT_EQ(found["a"]["steady_tokens_per_s"], a["tokens_per_s"]);
  EXPECT_EQ(found["a"]["tokens_per_s"], a["kept_tokens_per_s"]);
  EXPECT_DOUBLE_EQ(found["ratio"],
                   a["kept_tokens_per_s"].get<double>() / b["kept_tokens_per_s"].get<double>());
  EXPECT_LT(found["ratio"], 1);
}

// What solve finds, run confirms.
TEST(SolveForComingSites, CountsWhatTheyKeep) {
  const std::string coming =
      "--topology two_sites_10g --model gpt_125m --set model.layers=2 --scheme diloco "
      "--set sites.east.nodes=1 --set sites.west.nodes=1 --set sites.east.stays=100h "
      "--set sites.east.returns_after=40h --set membership.detection=6s ";
  const Json most = json_of("run --range off " + coming);
  const double level = 0.9 * most["kept_tokens_per_s"].get<double>() * 86400;
  const Json found =
      json_of("solve inner_steps " + coming + "--tokens-per-day " + std::to_string(level))[0];
  ASSERT_EQ(found["met"], "bracketed") << found;
  const auto kept = [&](const Json& steps) {
    return json_of("run --range off " + coming +
                   "--set scheme.inner_steps=" + steps.dump())["kept_tokens_per_s"]
               .get<double>() *
           86400;
  };
  const auto whole = [](const Json& steps) { return Json(std::lround(steps.get<double>())); };
  EXPECT_GE(kept(whole(found["met_at"])), level);
  EXPECT_LT(kept(whole(found["missed_at"])), level);
  expect_command_refused("solve inner_steps " + coming + "--tokens-per-day 0", "--tokens-per-day");
  expect_command_refused("solve inner_steps " + coming + "--tokens-per-day 1 --utilisation 0.5",
                         "--tokens-per-day");
}

// Two sites keep more in some months than in others, the more so the longer they stay and are away.
TEST(SolveForComingSites, HasTheSpreadOfAMonthInItsRange) {
  const auto width = [](const std::string& times) {
    const Json found = json_of(
        "solve inner_steps --topology two_sites_10g --model gpt_125m --set model.layers=2 "
        "--scheme diloco --set sites.east.nodes=1 --set sites.west.nodes=1 "
        "--set membership.detection=6s --tokens-per-day 2.5e11 " +
        times)[0];
    EXPECT_LT(found["met_at_low"], found["met_at"]);
    EXPECT_GT(found["met_at_high"], found["met_at"]);
    return found["met_at_high"].get<double>() / found["met_at_low"].get<double>();
  };
  EXPECT_GT(width("--set sites.east.stays=100h --set sites.east.returns_after=40h"),
            1.1 * width("--set sites.east.stays=10h --set sites.east.returns_after=4h"));
}

// Four unlike sites, of which one comes and goes and another is late, under a leader.
class BestPatience : public testing::Test {
 protected:
  BestPatience() {
    sandbox_.write("led.toml",
                   "summary = \"led\"\nsource = \"a test\"\ntwin = \"diloco\"\n[between_sites]\n"
                   "exchange = \"leader\"\ncodec = \"int4_g2048\"\ninner_steps = 100\n"
                   "quorum = 4\ngrace = \"1 s\"\nstate_bytes = 8\nupdate_bytes = 28\n");
  }

  [[nodiscard]] Json of(const std::string& command) const {
    return json_of(
        words(command + " --topology four_sites_mixed --model gpt_125m --scheme led.toml "
                        "--set sites.cloud.stays=20h --set sites.cloud.returns_after=2h "
                        "--set membership.detection=60s --set sites.lab.late=20s"),
        sandbox_.path());
  }
  [[nodiscard]] double kept_a_day(const std::string& flags) const {
    return of("run --range off " + flags)["kept_tokens_per_s"].get<double>() * 86400;
  }

  const Sandbox sandbox_;
};

// A small quorum leaves out the slow ones, a large one waits for those that are away.
TEST_F(BestPatience, IsTheQuorumThatKeepsMost) {
  const Json found = of("solve quorum --best tokens")[0];
  EXPECT_EQ(found["met"], "best");
  EXPECT_EQ(found["met_at"], 3);
  for (int quorum = 1; quorum <= 4; ++quorum) {
    const double kept = kept_a_day("--set scheme.quorum=" + std::to_string(quorum));
    if (quorum == 3) {
      EXPECT_NEAR(kept, found["tokens_per_day"], 1e-9 * kept);
    } else {
      EXPECT_LT(kept, found["tokens_per_day"]);
    }
  }
}

// The late site, 20 s for its few steps, is better left out.
TEST_F(BestPatience, IsTheDeadlineThatKeepsMost) {
  const Json found = of("solve deadline --best tokens")[0];
  const double most = found["tokens_per_day"];
  const auto kept = [&](double seconds) {
    return kept_a_day("--deadline " + std::to_string(seconds) + "s");
  };
  const double best = found["met_at"];
  EXPECT_NEAR(kept(best), most, 1.1e-3 * most);
  for (const double seconds : {best / 1.1, best * 1.5, 30.0}) {
    EXPECT_LE(kept(seconds), most * (1 + 1e-9)) << seconds;
  }
}

// Almost what the best deadline keeps, which neither the shortest nor the longest does.
TEST_F(BestPatience, IsFoundWhereOnlyItMeetsTheGoal) {
  const double most = of("solve deadline --best tokens")[0]["tokens_per_day"];
  const Json found = of("solve deadline --tokens-per-day " + std::to_string(0.999 * most))[0];
  ASSERT_EQ(found["met"], "bracketed");
  const double met = found["met_at"];
  EXPECT_GE(kept_a_day("--deadline " + std::to_string(met) + "s"), 0.9989 * most);
  EXPECT_LT(found["missed_at"].get<double>(), met);
}

TEST_F(BestPatience, IsAskedForWhereThereIsOne) {
  const std::string sites = " --topology four_sites_mixed --model gpt_125m ";
  expect_command_refused("solve bandwidth --best tokens --scheme diloco" + sites, "--best");
  expect_command_refused("solve quorum --best tokens --scheme diloco" + sites, "solve quorum");
  expect_command_refused("solve deadline --deadline 9s --scheme diloco" + sites, "--deadline");
  expect_command_refused("solve deadline --best time --scheme diloco" + sites, "--best");
  expect_command_refused("solve deadline --best usd --utilisation 0.5 --scheme diloco" + sites,
                         "--best");
}

}  // namespace
}  // namespace apps_tests
