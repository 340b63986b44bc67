// SPDX-License-Identifier: Apache-2.0
// `compare` where a side is rounds of several sites.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/apps/comparisons.hpp"

namespace apps_tests {
namespace {

const std::string kTwo =
    "--topology two_sites_10g --set sites.east.nodes=1 --set sites.west.nodes=1 ";
const std::string kOther =
    "--topology two_sites_100g_20ms --set sites.east.nodes=1 --set sites.west.nodes=1 ";
const std::string kCluster = "--topology dgx_h100_x16 --nodes 2 --gpus-per-node 2 ";
const std::string kModel = "--model gpt_125m --set model.layers=2 ";
// A round is its exchange: 174 s of it and 6 ms of compute.
const std::string kSlow = kTwo + "--set links.line.bandwidth=10Mbps ";
const std::string kDiloco = "--scheme diloco --set scheme.inner_steps=1 ";

Json run_json(const std::string& flags) { return json_of("run " + flags); }

Json of(const Json& found, const std::string& assumption, const std::string& whose) {
  for (const Json& one : found["assumptions"]) {
    if (one["assumption"] == assumption && one["of"] == whose) return one;
  }
  return nullptr;
}

TEST(CompareSites, WithThemselvesAreATie) {
  const Json found =
      findings("--scheme sparseloco", "--scheme sparseloco", kTwo + kModel + "--repetitions 4");
  for (const char* name : {"ratio", "ratio_median", "ratio_low", "ratio_high"}) {
    EXPECT_EQ(found[name], 1) << name;
  }
  EXPECT_EQ(found["ties"], 4);
  for (const Json& one : found["assumptions"]) EXPECT_TRUE(one["flip"].is_null()) << one;
  EXPECT_GT(found["a"]["tokens_per_s_high"], found["a"]["tokens_per_s_low"]);
}

TEST(CompareSites, SayWhatRunSaysAlsoBesideACluster) {
  const Json found =
      findings(kTwo + "--scheme diloco", kCluster, kModel + "--spread all=0 --repetitions 2");
  const Json sites = run_json(kTwo + kModel + "--scheme diloco");
  const Json cluster = run_json(kCluster + kModel);
  EXPECT_EQ(found["a"]["round_time_s"], sites["round_time_s"]);
  EXPECT_EQ(found["a"]["inner_steps"], sites["inner_steps"]);
  EXPECT_EQ(found["a"]["topology"], "two_sites_10g");
  EXPECT_EQ(found["b"]["step_time_s"], cluster["step_time_s"]);
  EXPECT_DOUBLE_EQ(found["ratio"],
                   sites["tokens_per_s"].get<double>() / cluster["tokens_per_s"].get<double>());
  EXPECT_EQ(found["ratio_low"], found["ratio_high"]);
}

TEST(CompareSites, OfOneSeedAreAlwaysTheSameAndOfAnotherNot) {
  const std::string flags = kModel + "--repetitions 2 --seed ";
  const auto text = [&](const char* seed) {
    const Outcome outcome = compared(kTwo + "--scheme diloco", kCluster, flags + seed);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string once = text("7");
  EXPECT_EQ(once, text("7"));
  EXPECT_NE(once, text("8"));
}

// Of rounds that are all exchange, one over lines of 10 Mb/s has half the tokens of one over lines
// of 20: twice the rate of the one, or half that of the other, is where the decision turns. To run
// the flags say the same.
TEST(CompareSites, ThatOnlyExchangeFlipAtTheRatioOfTheirLines) {
  const std::string b = kOther + "--set links.wavelength.bandwidth=20Mbps ";
  const Json found = findings(kSlow, b, kModel + kDiloco + "--repetitions 2");
  EXPECT_NEAR(found["ratio"], 0.5, 0.001);
  const Json flip = of(found, "wan_bandwidth", "A")["flip"];
  EXPECT_NEAR(flip["factor"], 2, 0.02);
  EXPECT_NEAR(of(found, "wan_bandwidth", "B")["flip"]["factor"], 0.5, 0.005);
  EXPECT_TRUE(of(found, "matrix_rate", "both")["flip"].is_null());
  const double flipped =
      tokens_per_s(kSlow + kModel + kDiloco + flip["flags_a"].get<std::string>());
  const double other = tokens_per_s(b + kModel + kDiloco);
  EXPECT_GE(flipped, other);
  EXPECT_NEAR(flipped / other, 1, 0.02);
}

// What is wrong with the lines of both is wrong by the same factor: each side's tokens scatter with
// it, their ratio does not.
TEST(CompareSites, ShareTheLinesOfTheirFile) {
  const Json found = findings(
      "--scheme diloco --set scheme.inner_steps=1", "--scheme diloco --set scheme.inner_steps=2",
      kSlow + kModel + "--spread all=0 --spread wan_bandwidth=0.5 --repetitions 4");
  EXPECT_EQ(of(found, "wan_bandwidth", "both")["spread"], 0.5);
  EXPECT_NEAR(found["ratio"], 0.5, 0.001);
  EXPECT_NEAR(found["ratio_low"].get<double>() / found["ratio_high"].get<double>(), 1, 0.001);
  EXPECT_GT(found["a"]["tokens_per_s_high"], 1.2 * found["a"]["tokens_per_s_low"].get<double>());
}

TEST(CompareSites, ShareWhatBothSidesHave) {
  const std::string sites = kTwo + "--scheme diloco";
  const auto beside = [&](const std::string& other) {
    return findings(sites, other, kModel + "--repetitions 2");
  };
  const std::string peers =
      "--topology twenty_peers_b200 --set sites.peer.count=2 --scheme sparseloco_store";
  const std::string both = "both ", a = "A ";
  const std::size_t apart = std::string("A B ").size();
  const Json cluster = beside(kCluster);
  const Json others = beside(kOther + "--scheme diloco");
  const Json store = beside(peers);
  const Json lossy = beside(sites + " --set links.line.loss=0.001");
  EXPECT_EQ(whose(cluster, "matrix_rate"), both);
  EXPECT_EQ(whose(cluster, "nic_bandwidth"), both);  // of one file
  EXPECT_EQ(whose(cluster, "wan_bandwidth"), a);
  EXPECT_EQ(whose(others, "nic_bandwidth"), both);
  EXPECT_EQ(whose(others, "wan_bandwidth").size(), apart);
  EXPECT_EQ(whose(store, "matrix_rate").size(), apart);
  EXPECT_EQ(whose(store, "collective_launch"), both);
  EXPECT_EQ(whose(store, "store_request"), "B ");
  EXPECT_EQ(whose(store, "wan_loss"), "B ");
  EXPECT_EQ(whose(lossy, "wan_loss"), "B ");
}

// Tokens per dollar of all that run counts: egress as well as GPUs.
TEST(CompareSites, OfCostGoByAllThatIsPaid) {
  const std::string dear = kTwo + "--scheme diloco --set sites.east.egress=10USD/GB ";
  const Json found = findings(dear, kTwo + "--scheme diloco",
                              kModel + "--goal cost --spread all=0 --repetitions 2");
  const auto usd = [](const std::string& flags) {
    return run_json(flags + kModel)["usd_per_million_tokens"].get<double>();
  };
  EXPECT_LT(found["ratio"], 1);
  EXPECT_NEAR(found["ratio"].get<double>(), usd(kTwo + "--scheme diloco ") / usd(dear), 1e-12);
  EXPECT_NEAR(found["a"]["tokens_per_usd_median"].get<double>() * usd(dear), 1e6, 1e-3);
}

// A site that drops out soon after its round has sent all that the other needs as lines are; where they are
// slower, A waits for ever.
TEST(CompareSites, CountARoundThatIsAbortedAsNoTokens) {
  const std::string a = kSlow + "--scheme streaming_diloco --set scheme.inner_steps=1 --set " +
                        "scheme.fragments=1 --set scheme.overlap_steps=0 ";
  const double round_s = run_json(a + kModel)["round_time_s"];
  const std::string drops = a + fmt::format("--set sites.west.drops_out={}s", 1.06 * round_s);
  const std::string b = kSlow + kDiloco;
  const std::string shared =
      kModel + "--goal cost --spread all=0 --spread wan_bandwidth=0.5 --repetitions 24";
  const Json found = findings(drops, b, shared);
  EXPECT_GT(found["ratio"], 1);
  EXPECT_EQ(found["ratio_low"], 0);
  EXPECT_EQ(found["a"]["tokens_per_usd_low"], 0);
  const double factor = of(found, "wan_bandwidth", "both")["flip"]["factor"];
  EXPECT_LT(factor, 1);
  EXPECT_NEAR(factor, 1 / 1.06, 0.01);
  // Where it does not wait, it is better; and the answer says how often it waits.
  const int waits = found["a"]["repetitions_without_tokens"];
  EXPECT_GT(waits, 0);
  EXPECT_DOUBLE_EQ(found["probability_a_better"].get<double>(), 1 - waits / 24.0);
  EXPECT_EQ(found["b"]["repetitions_without_tokens"], 0);
  const std::string answer = compared(drops, b, shared).out;
  const std::string says = fmt::format("; A completes no round in {} of 24 repetitions\n", waits);
  EXPECT_LT(answer.find(says), answer.find("\n") + 1) << answer;
  EXPECT_EQ(answer.find("inf"), std::string::npos) << answer;
}

TEST(CompareSites, AreTablesAndCsvOfRounds) {
  const std::string a = kTwo + "--scheme wan_sync", b = kCluster;
  const Outcome table = compared(a, b, kModel + "--repetitions 2");
  EXPECT_NE(table.out.find(" a round of 1 step, "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find(" a step, "), std::string::npos) << table.out;
  const Outcome csv = compared(a, b, kModel + "--repetitions 2 --format csv");
  EXPECT_NE(csv.out.find(",round_time_a_s,step_time_b_s,"), std::string::npos) << csv.out;
}

TEST(CompareSites, TakeTheFlagsOfRounds) {
  const Json found =
      findings("--inner-scheme sdp4bit", "--set sites.west.drops_out=1ms --deadline 100s",
               kTwo + kModel + "--scheme diloco --spread all=0 --repetitions 2");
  EXPECT_NEAR(found["b"]["round_time_s"].get<double>(), 100, 1);
  EXPECT_EQ(found["a"]["round_time_s"],
            run_json(kTwo + kModel + "--scheme diloco --inner-scheme sdp4bit")["round_time_s"]);
}

TEST(CompareSites, RefuseWhatCannotBeCompared) {
  const auto refused = [](const std::string& a, const std::string& b, const char* place,
                          const char* says) {
    SCOPED_TRACE(a + " | " + b);
    const Outcome outcome = compared(a, b, kModel);
    expect_refused(outcome, place);
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  };
  const std::string sites = kTwo + "--scheme diloco ";
  refused(kTwo, sites, "--scheme", "name the scheme between the sites");
  refused(
      kTwo + "--scheme sharded", sites, "--scheme",
      "'sharded' is a scheme within a site, but A trains on two_sites_10g, several sites; write "
      "it as --inner-scheme");
  refused(sites, kCluster + "--scheme diloco", "--scheme", "inside --a and inside --b");
  refused(sites, kCluster + "--scheme noloco", "--scheme",
          "B trains on dgx_h100_x16, one cluster; write a scheme within a cluster");
  refused(kTwo + "--scheme diloco,wan_sync", sites, "--scheme", "one scheme");
  refused(sites + "--tune", sites, "--tune", "several sites; gardenhose plan chooses");
  refused(sites + "--nodes 2", kCluster, "--nodes",
          "sites.NAME.nodes=N; A trains on two_sites_10g, several sites, the other side does not: "
          "write flags for one of them inside its quotes");
  refused(sites, kCluster + "--deadline 5s", "--deadline", "dgx_h100_x16 is one cluster");
  refused(sites, kCluster + "--inner-scheme sdp4bit", "--inner-scheme", "is one cluster");
  refused(sites + "--deadline soon", kCluster, "--deadline", "number");
  refused(sites, sites + "--set sites.west.drops_out=1ms", "--b", "set a --deadline");
  refused(sites + "--set model.layers=4", kCluster, "--model", "not comparable");
  refused(sites + "--set network.nic_bandwidth=1Gbps", sites, "--set network", "network");
}

TEST(CompareSites, RefuseSitesWithoutAPriceForCost) {
  const Sandbox sandbox;
  const auto shipped = [](const std::string& name, const std::string& what, const std::string& to) {
    std::string text = text_of(source_directory() / "topologies" / name);
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += to.size()) {
      text.replace(at, what.size(), to);
    }
    return text;
  };
  sandbox.write("free.toml", shipped("dgx_h100_x16.toml", "4.916 USD/h", "0 USD/h"));
  sandbox.write("sites.toml",
                shipped("wide_area/two_sites_10g.toml", "\"dgx_h100_x16\"", "\"free.toml\""));
  Arguments arguments = words("compare --topology sites.toml --goal cost " + kModel);
  arguments.insert(arguments.end(), {"--a", "--scheme diloco", "--b", "--scheme sparseloco"});
  const Outcome outcome = run(arguments, sandbox.path());
  expect_refused(outcome, "--goal");
  EXPECT_NE(outcome.err.find("east of sites has no gpu.price"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace apps_tests
