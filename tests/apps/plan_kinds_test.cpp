// SPDX-License-Identifier: Apache-2.0
// `plan` lists the best of each choice of hardware and compression that no other one beats, as a search
// through everything would, and takes the simplest of what predictions cannot tell apart.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "sim/study/plan/take.hpp"
#include "sim/study/search/verdict.hpp"
#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

using sim::study::least_win;
using sim::study::PlanGoal;
using sim::study::PlanRow;

using PlanKind = std::tuple<int, double, bool>;  // nodes, NICs, compressed

std::map<PlanKind, Json> by_kind(const Json& report) {
  std::map<PlanKind, Json> kinds;
  for (const Json& one : report["plans"]) {
    const PlanKind kind{one["nodes"].get<int>(), one["nic_bandwidth_Bps"].get<double>(),
                        one["scheme"] != "sharded"};
    EXPECT_TRUE(kinds.emplace(kind, one).second) << "two plans of a kind: " << report;
  }
  return kinds;
}

double step_token_s(const Json& one) { return 1 / one["tokens_per_s"].get<double>(); }

// A plan of a small cluster and model; each space leaves out another part of the setups.
std::string random_space(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto one_of = [&](std::initializer_list<const char*> all) {
    return std::string(all.begin()[random() % all.size()]);
  };
  return "plan --topology " + one_of({"dgx_h100_x16", "dgx_a100_x16", "sdp4bit_a100"}) +
         " --model " + one_of({"gpt_125m", "gpt_1.3b", "mpt_125m"}) +
         " --set model.layers=" + one_of({"2", "4"}) +
         " --gpus-per-node 2 --attention fused --nodes 1,2 --tokens 1e9" +
         " --recompute none --sequence-parallel off --gradient-precision bf16" +
         " --placement tp-dp-pp --set gpu.price=2USD/h --set network.bandwidth_price=" +
         one_of({"0USD/h/Tbps", "9USD/h/Tbps"}) + " --batch-tokens " + one_of({"16384", "32768"}) +
         " --nic-bandwidths " + one_of({"5Gbps,50Gbps", "1Gbps,400Gbps"}) + " --scheme sharded," +
         one_of({"sdp4bit", "qwd", "zeropp"}) + " --goal " + one_of({"cheapest", "fastest"}) + " " +
         one_of({"--micro-batch 1,2", "--micro-batch 4", "--tp 1", "--pp 1", "--pp 2"}) + " ";
}

void expect_what_all_have(std::uint32_t seed) {
  const std::string space = random_space(seed);
  const auto exact = by_kind(plan(space + "--exhaustive --gap 0 --all"));
  EXPECT_EQ(by_kind(plan(space + "--gap 0 --all")), exact) << space;
  // What is not listed is beaten by what is.
  const Json front = plan(space + "--gap 0");
  const auto listed = by_kind(front);
  EXPECT_EQ(listed.size() + front["beaten"].get<std::size_t>(), exact.size()) << space;
  const PlanGoal goal;
  const auto worth = [](const Json& one) {
    return sim::study::Worth{one["price_usd"], one["training_time_s"], one["nic_bandwidth_Bps"]};
  };
  for (const auto& one : exact) {
    const bool beaten = std::ranges::any_of(listed, [&](const auto& other) {
      return beats(goal, worth(other.second), worth(one.second));
    });
    EXPECT_NE(beaten, listed.contains(one.first)) << space << one.second;
    const auto same = listed.find(one.first);
    if (same == listed.end()) continue;
    EXPECT_EQ(same->second["command"], one.second["command"]) << space;
  }
  // With a gap, each is as good but for the gap of what is found and of what is simpler.
  const double gap = 0.05;
  for (const auto& [kind, one] : by_kind(plan(space + "--gap 0.05 --all"))) {
    ASSERT_TRUE(exact.contains(kind)) << space;
    EXPECT_LE(step_token_s(one), step_token_s(exact.at(kind)) * (1 + gap) * (1 + gap)) << space;
  }
}

// SDP4Bit is not defined for ZeRO-3, so that none of its setups can be beaten.
TEST(PlanKinds, CountAsBeatenOnlyWhatThereIs) {
  const std::string space =
      "plan --topology sdp4bit_a100 --model gpt_125m --set model.layers=2 --gpus-per-node 2"
      " --nodes 1,2 --tokens 1e9 --recompute none --sequence-parallel off --placement tp-dp-pp"
      " --nic-bandwidths 1Gbps,400Gbps --scheme sharded,sdp4bit --goal fastest --gap 0 --zero 3 ";
  const Json front = plan(space);
  EXPECT_EQ(front["plans"].size() + front["beaten"].get<std::size_t>(),
            plan(space + "--all")["plans"].size());
}

TEST(PlanKinds, AreThoseThatSimulatingEverySetupFindsInTwentySpaces) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) expect_what_all_have(seed);
}

TEST(PlanKinds, AreWhatRunSaysOfTheirCommands) {
  const Json all = plan(kTiny + "--scheme sharded,sdp4bit --nic-bandwidths 1Gbps,400Gbps --all");
  EXPECT_EQ(all["plans"].size(), 6U);  // one node has no network
  for (const Json& one : all["plans"]) {
    const Json step = json_of(words_of_run(one["command"]), source_directory());
    for (const char* figure :
         {"step_time_s", "tokens_per_s", "tokens_per_s_low", "tokens_per_s_high"}) {
      EXPECT_EQ(step[figure], one[figure]) << figure << " of " << one["command"];
    }
  }
}

// Within the gap, one kind of parallelism is taken for two.
TEST(PlanKinds, HaveFewKindsOfParallelism) {
  const std::string job =
      "plan --topology dgx_h100_x16 --nodes 2 --gpus-per-node 4 --model gpt_1.3b --tokens 1e9 "
      "--set model.layers=8 --batch-tokens 65536 --scheme sharded --goal fastest ";
  const auto kinds_of = [](const Json& one) {
    const std::string command = one["command"];
    const auto has = [&](const char* flag) { return command.find(flag) != std::string::npos; };
    return int{has(" --tp ")} + int{has(" --pp ")} + int{has(" --virtual-stages ")};
  };
  const Json exact = plan(job + "--gap 0")["plans"][0];
  const Json near = plan(job + "--gap 0.5")["plans"][0];
  EXPECT_LE(kinds_of(near), kinds_of(exact));
  EXPECT_EQ(kinds_of(near), 0) << near["command"];
  EXPECT_LE(near["step_time_s"].get<double>(), exact["step_time_s"].get<double>() * 1.5 * 1.5);
}

// The first lines say what to take, what comes next and why it lost, whether compression pays, and how many
// plans are not listed.
TEST(PlanKinds, AreSummedUpInTheFirstLines) {
  const std::string job = kTiny + "--scheme sharded,sdp4bit --nic-bandwidths 1Gbps,400Gbps ";
  const Json report = plan(job);
  const Outcome table = run(words(job), source_directory());
  const auto lines = lines_of(table.out);
  ASSERT_GT(lines.size(), 4U);
  EXPECT_TRUE(lines[0].starts_with("cheapest: "));
  if (report["plans"].size() > 1) {
    EXPECT_TRUE(lines[1].starts_with("next: ")) << table.out;
    EXPECT_TRUE(lines[1].ends_with(report["plans"][1]["why_not"].get<std::string>())) << table.out;
  }
  EXPECT_EQ(report["plans"][0]["why_not"], nullptr);
  EXPECT_EQ(table.out.find("not listed (--all): " + std::to_string(report["beaten"].get<int>()) +
                           " more") != std::string::npos,
            report["beaten"].get<int>() > 0)
      << table.out;
  EXPECT_EQ(plan(job + "--all")["beaten"], 0);
}

// On several topologies, a plan has of each what a plan of it alone would take.
TEST(PlanKinds, AreThoseOfEachTopology) {
  const std::string job =
      " --model gpt_125m --gpus-per-node 4 --set model.layers=4 --tokens 1e10 --batch-tokens 32768 "
      "--nodes 1,2 --scheme sharded,sdp4bit --set gpu.price=2USD/h";
  const std::string names[]{"dgx_h100_x16", "dgx_a100_x16", "dgx_b200"};
  const Json all = plan("plan --topology " + names[0] + "," + names[1] + "," + names[2] + job);
  EXPECT_EQ(all["topology"], names[0] + ", " + names[1] + ", " + names[2]);
  std::map<std::string, Json> taken;
  for (const Json& one : all["plans"]) taken.try_emplace(one["topology"], one);
  ASSERT_EQ(taken.size(), 3U);
  for (const std::string& name : names) {
    Json alone = plan("plan --topology " + name + job)["plans"][0];
    for (Json* one : {&alone, &taken[name]}) one->erase("why_not");
    EXPECT_EQ(taken[name], alone);
    const Json step = json_of(words_of_run(alone["command"]), source_directory());
    EXPECT_EQ(step["step_time_s"], alone["step_time_s"]);
  }
  EXPECT_GT(taken[names[1]]["price_usd"], taken[names[0]]["price_usd"]) << "of slower GPUs";
  const Outcome table =
      run(words("plan --topology dgx_h100_x16,dgx_b200" + job), source_directory());
  EXPECT_NE(table.out.find("dgx_b200 has 1 node in its file"), std::string::npos) << table.out;
  EXPECT_NE(
      table.out.find(
          "prices of a GPU hour: NVIDIA H100 80GB HBM3 2 USD (given), NVIDIA B200 2 USD (given)"),
      std::string::npos)
      << table.out;
}

// Clusters and sites: each has its schemes and the flags that apply to it.
TEST(PlanKinds, AreOfClustersAndOfSites) {
  const std::string job =
      "plan --topology dgx_h100_x16,two_sites_10g --model gpt_125m --set model.layers=2 --tokens "
      "1e10 "
      "--nodes 1 --tp 1 --pp 1 --recompute none --micro-batch 1 --scheme sharded,diloco ";
  const Json all = plan(job);
  std::map<std::string, Json> taken;
  for (const Json& one : all["plans"]) taken.try_emplace(one["topology"], one);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken["dgx_h100_x16"]["nodes"], 1);
  EXPECT_EQ(taken["dgx_h100_x16"]["sites"], nullptr);
  EXPECT_EQ(taken["two_sites_10g"]["nodes"], nullptr);
  for (const auto& [name, one] : taken) {
    const Json report = json_of(words_of_run(one["command"]), source_directory());
    EXPECT_EQ(report["tokens_per_s"], one["tokens_per_s"]) << one["command"];
  }
  for (const Json& one : all["plans"]) {
    EXPECT_EQ(one.size(), all["plans"][0].size()) << "other columns of CSV";
  }
  const auto lines = lines_of(run(words(job + "--format csv"), source_directory()).out);
  EXPECT_EQ(lines.size(), 1 + all["plans"].size());
  for (const char* column : {"nodes", "sites"}) {
    EXPECT_NE(lines[0].find(column), std::string::npos) << lines[0];
  }
  EXPECT_EQ(run(words(job), source_directory()).code, 0);
  expect_command_refused(
      "plan --topology dgx_h100_x16,two_sites_10g --model gpt_125m --tokens 1e9 --scheme nothing",
      "--scheme");
}

// Failures take time and spare nodes, which bring limits nearer.
TEST(PlanKinds, KeepLimitsDespiteFailures) {
  const std::string job = kTiny + "--scheme sharded --nodes 2 --set gpu.price=2USD/h ";
  const double price = plan(job)["plans"][0]["price_usd"];
  const std::string budget = "--budget " + std::to_string(1.05 * price) + "USD";
  const Json without = plan(job + budget)["plans"][0];
  const Json with = plan(job + budget + " --reliability llama3_h100")["plans"][0];
  EXPECT_EQ(with["price_usd"], without["price_usd"]);
  EXPECT_LT(with["budget_probability"], without["budget_probability"]);
}

// A model that fits on one of two.
TEST(PlanKinds, LeaveOutATopologyOnWhichNothingFits) {
  const std::string job =
      " --model llama_3.1_8b --tokens 1e9 --tp 1 --pp 1 --nodes 1 --gpus-per-node 1 "
      "--batch-tokens 8192 --zero 1 --scheme sharded --optimizer-state gpu";
  const Json both = plan("plan --topology dgx_h100_x16,dgx_b200" + job);
  ASSERT_EQ(both["plans"].size(), 1U);
  EXPECT_EQ(both["plans"][0]["topology"], "dgx_b200");
  EXPECT_EQ(both["does_not_fit"], Json::array({"dgx_h100_x16"}));
  expect_command_refused("plan --topology dgx_h100_x16,dgx_a100_x16" + job, "--model");
}

TEST(PlanKinds, RefuseWhatIsNoGap) {
  for (const char* gap : {"-0.1", "1", "nan", "inf", "101%"}) {
    expect_command_refused(kTiny + "--gap " + gap, "--gap");
  }
  expect_command_refused(kTiny + "--all --setups", "--all");
  for (const char* names : {"dgx_h100_x16,,dgx_b200", "dgx_h100_x16,dgx_h100_x16"}) {
    expect_command_refused("plan --model gpt_125m --tokens 1e9 --topology " + std::string(names),
                           "--topology");
  }
}

PlanRow a_row(double usd, double days, int gpus, bool compresses = false, int kinds = 0) {
  PlanRow row;
  row.price.gpus = usd;
  row.time_s = days;
  row.simplicity = {.gpus = gpus, .compresses = compresses, .kinds = kinds};
  return row;
}

TEST(PlanTaken, IsTheSimplestOfThoseThatAreNotToldApart) {
  const double hardly = std::sqrt(least_win()), clearly = 1.01 * least_win();
  const PlanGoal cheapest, fastest{.aim = sim::study::Aim::fastest};
  const auto taken = [](const std::vector<PlanRow>& rows, const PlanGoal& goal) {
    std::vector<sim::study::Contender> plans;
    for (const PlanRow& row : rows) plans.push_back({worth_of(row), row.simplicity});
    const std::size_t first = to_take(plans, goal);
    std::ranges::reverse(plans);
    EXPECT_EQ(to_take(plans, goal), rows.size() - 1 - first) << "whatever their order";
    return first;
  };
  // Compression that hardly pays.
  EXPECT_EQ(taken({a_row(1, 1, 8, true), a_row(hardly, hardly, 8)}, cheapest), 1U);
  EXPECT_EQ(taken({a_row(1, 1, 8, true), a_row(clearly, clearly, 8)}, cheapest), 0U);
  // As cheap and half as long; dearer and half as long.
  EXPECT_EQ(taken({a_row(1, 2, 8), a_row(hardly, 1, 16)}, cheapest), 1U);
  EXPECT_EQ(taken({a_row(1, 2, 8), a_row(clearly, 1, 16)}, cheapest), 0U);
  EXPECT_EQ(taken({a_row(1, 2, 8), a_row(clearly, 1, 16)}, fastest), 1U);
  // One site rather than two, whatever their GPUs.
  PlanRow two_sites = a_row(1, 1, 8);
  two_sites.simplicity.sites = 2;
  EXPECT_EQ(taken({two_sites, a_row(hardly, hardly, 16)}, cheapest), 1U);
  // As fast on fewer GPUs, or with less parallelism.
  EXPECT_EQ(taken({a_row(1, 1, 16), a_row(hardly, hardly, 8)}, fastest), 1U);
  EXPECT_EQ(taken({a_row(1, 1, 8, false, 1), a_row(hardly, hardly, 8)}, cheapest), 1U);
}

TEST(PlanTaken, SaysWhyTheOthersAreNot) {
  const PlanGoal goal;
  const PlanRow taken = a_row(100, 10, 16);
  EXPECT_EQ(why_not(a_row(101, 10, 16, true), taken, goal),
            "1.0 % dearer, not told apart, and less simple (compressed)");
  EXPECT_EQ(why_not(a_row(101, 20, 8), taken, goal),
            "as cheap (1.0 % dearer, not told apart), 2.0 times as long");
  EXPECT_EQ(why_not(a_row(120, 9, 32), taken, goal), "20 % dearer, 10 % faster");
}

// Nothing beats itself, and no two beat each other.
TEST(PlanTaken, BeatsInOneWayOnly) {
  std::mt19937 random(1);
  const auto figure = [&] { return std::exp(std::uniform_real_distribution(-0.2, 0.2)(random)); };
  const PlanGoal goal;
  int beaten = 0;
  for (int i = 0; i < 1000; ++i) {
    const sim::study::Worth one{figure(), figure(), 0}, other{figure(), figure(), 0};
    EXPECT_FALSE(beats(goal, one, one));
    EXPECT_FALSE(beats(goal, one, other) && beats(goal, other, one));
    beaten += beats(goal, one, other) ? 1 : 0;
  }
  EXPECT_GT(beaten, 100);
}

}  // namespace
}  // namespace apps_tests
