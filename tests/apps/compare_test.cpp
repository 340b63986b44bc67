// SPDX-License-Identifier: Apache-2.0
// `compare`: two configurations over the spread of what predictions rest on.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/apps/comparisons.hpp"

namespace apps_tests {
namespace {

const std::string kJob =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 2 --set model.layers=2 ";
// Where both are about as fast: the bandwidth at which sdp4bit stops to pay is not far.
const std::string kClose = kJob + "--set network.nic_bandwidth=400Gbps ";

TEST(Compare, WithItselfIsATie) {
  const Json found = findings("--scheme sdp4bit", "--scheme sdp4bit", kJob + "--repetitions 5");
  for (const char* name : {"ratio", "ratio_median", "ratio_low", "ratio_high"}) {
    EXPECT_EQ(found[name], 1) << name;
  }
  EXPECT_EQ(found["ties"], 5);
  EXPECT_EQ(found["probability_a_better"], 0.5);
  for (const Json& one : found["assumptions"]) EXPECT_TRUE(one["flip"].is_null()) << one;
  EXPECT_GT(found["a"]["tokens_per_s_high"], found["a"]["tokens_per_s_low"]);
}

TEST(Compare, WithoutSpreadsHasIntervalsWithoutWidthAndSaysWhatRunSays) {
  const Json found =
      findings("--scheme sdp4bit", "--scheme sharded", kJob + "--spread all=0 --repetitions 3");
  const double a = tokens_per_s(kJob + "--scheme sdp4bit");
  const double b = tokens_per_s(kJob + "--scheme sharded");
  EXPECT_DOUBLE_EQ(found["a"]["tokens_per_s"], a);
  EXPECT_DOUBLE_EQ(found["ratio"], a / b);
  for (const char* name : {"ratio_median", "ratio_low", "ratio_high"}) {
    EXPECT_EQ(found[name], found["ratio"]) << name;
  }
  EXPECT_EQ(found["probability_a_better"], a > b ? 1 : 0);
}

// Neither the seed nor the number of repetitions changes the verdict or its range.
TEST(Compare, JudgesAsRunDoes) {
  for (const char* nics : {"10Gbps", "100Gbps", "3200Gbps"}) {
    const std::string job = kJob + "--set network.nic_bandwidth=" + nics + " ";
    const Json report = json_of("run " + job + "--scheme sdp4bit --baseline sharded").back();
    for (const char* draws : {"--repetitions 2", "--repetitions 3 --seed 7"}) {
      const Json found = findings("--scheme sdp4bit", "--scheme sharded", job + draws);
      EXPECT_EQ(found["verdict"], report["verdict"]);
      EXPECT_NEAR(found["likely_low"], report["speedup_low"], 1e-9);
      EXPECT_NEAR(found["likely_high"], report["speedup_high"], 1e-9);
    }
  }
}

TEST(Compare, OfOneSeedIsAlwaysTheSameAndOfAnotherNot) {
  const std::string flags = kClose + "--repetitions 4 --seed ";
  const Outcome once = compared("--scheme sdp4bit", "--scheme sharded", flags + "7");
  EXPECT_EQ(once.code, 0) << once.err;
  EXPECT_EQ(once.out, compared("--scheme sdp4bit", "--scheme sharded", flags + "7").out);
  EXPECT_NE(once.out, compared("--scheme sdp4bit", "--scheme sharded", flags + "8").out);
}

TEST(Compare, IsTheInverseTheOtherWayRound) {
  const std::string flags = kClose + "--repetitions 5 --spread model=0";
  const Json one = findings("--scheme sdp4bit", "--scheme sharded", flags);
  const Json other = findings("--scheme sharded", "--scheme sdp4bit", flags);
  EXPECT_NEAR(one["ratio"].get<double>() * other["ratio"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(one["ratio_low"].get<double>() * other["ratio_high"].get<double>(), 1, 0.05);
  EXPECT_NEAR(
      one["probability_a_better"].get<double>() + other["probability_a_better"].get<double>(), 1,
      1e-12);
  for (std::size_t i = 0; i < one["assumptions"].size(); ++i) {
    if (one["assumptions"][i]["assumption"] == "model") {  // of A over B
      EXPECT_NEAR(one["assumptions"][i]["flip"]["factor"].get<double>() *
                      other["assumptions"][i]["flip"]["factor"].get<double>(),
                  1, 1e-9);
      continue;
    }
    EXPECT_EQ(one["assumptions"][i]["flip"], other["assumptions"][i]["flip"]) << i;
  }
}

// With the flags that are printed run says that the other side is better.
TEST(Compare, FlipsReallyFlipTheDecision) {
  const std::string a = "--scheme sdp4bit ", b = "--scheme sharded ";
  const Json found = findings(a, b, kClose + "--repetitions 2");
  std::size_t flips = 0;
  for (const Json& one : found["assumptions"]) {
    const Json& flip = one["flip"];
    if (flip.is_null()) continue;
    ++flips;
    if (one["assumption"] == "model") {  // no constant of run
      EXPECT_NEAR(flip["factor"].get<double>() * found["ratio"].get<double>(), 1, 0.01);
      continue;
    }
    const double ratio = tokens_per_s(kClose + a + flip["flags_a"].get<std::string>()) /
                         tokens_per_s(kClose + b + flip["flags_b"].get<std::string>());
    EXPECT_EQ(ratio > 1, found["ratio"].get<double>() < 1) << one;
    // Nearer to what it is the decision stands: what is given is within 1 % of the turn.
    EXPECT_NEAR(std::abs(std::log(flip["factor"].get<double>())),
                flip["spreads"].get<double>() * one["spread"].get<double>(), 1e-9);
    EXPECT_NEAR(ratio, 1, 0.02) << one;
  }
  EXPECT_GT(flips, 0u);
  double before = 0;
  for (std::size_t i = 0; i < flips; ++i) {  // the soonest first, then those that flip nothing
    const double spreads = found["assumptions"][i]["flip"]["spreads"];
    EXPECT_GE(spreads, before);
    before = spreads;
  }
}

// Clusters of one GPU share its rates, and links of their own are drawn for each.
TEST(Compare, SharesWhatBothSidesHave) {
  const std::string job =
      "--model gpt_125m --nodes 2 --gpus-per-node 2 --set model.layers=2 --repetitions 2";
  const auto sides = [&](const char* other, const char* assumption) {
    return whose(findings("--topology dgx_h100_x16", std::string("--topology ") + other, job),
                 assumption);
  };
  EXPECT_EQ(sides("dgx_h100_x16", "nic_bandwidth"), "both ");
  EXPECT_EQ(sides("dgx_h100_x128", "nic_bandwidth").size(), std::string("A B ").size());
  EXPECT_EQ(sides("dgx_h100_x128", "matrix_rate"), "both ");
  EXPECT_EQ(sides("dgx_a100_x16", "matrix_rate").size(), std::string("A B ").size());
  EXPECT_EQ(sides("dgx_a100_x16", "collective_launch"), "both ");
}

TEST(Compare, WidensWithTheSpread) {
  const auto width = [](const std::string& spread) {
    const Json found = findings("--scheme sdp4bit", "--scheme sharded",
                                kClose + "--repetitions 12 --spread all=0 --spread " + spread);
    return found["ratio_high"].get<double>() - found["ratio_low"].get<double>();
  };
  EXPECT_EQ(width("nic_bandwidth=0"), 0);
  EXPECT_GT(width("nic_bandwidth=0.05"), 0);
  EXPECT_GT(width("nic_bandwidth=0.3"), width("nic_bandwidth=0.05"));
}

// A difference below the error of published speed-ups is said to be.
TEST(Compare, SaysWhenADifferenceIsBelowTheModelsOwnError) {
  const auto text = [](const std::string& nics) {
    return compared("--set network.nic_bandwidth=" + nics, "--scheme sharded",
                    kClose + "--repetitions 2")
        .out;
  };
  const std::string untold =
      "is less than predictions of this kind can tell: 7.3 %, from ratios that are off by 5.5 %";
  EXPECT_NE(text("401Gbps").find(untold), std::string::npos) << text("401Gbps");
  EXPECT_EQ(text("20Gbps").find(untold), std::string::npos) << text("20Gbps");
}

// The same cluster at half the price has twice the tokens per dollar.
TEST(Compare, OfCostGoesByThePrice) {
  const Json found = findings("--set gpu.price=1USD/h", "--set gpu.price=2USD/h",
                              kJob + "--goal cost --repetitions 2");
  EXPECT_DOUBLE_EQ(found["ratio"], 2);
  EXPECT_EQ(found["probability_a_better"], 1);
  // Two GPUs of 2 USD/h in a node, and a network that costs as much.
  const Json network = findings("--set gpu.price=2USD/h --set network.node_price=4USD/h",
                                "--set gpu.price=2USD/h", kJob + "--goal cost --repetitions 2");
  EXPECT_DOUBLE_EQ(network["ratio"], 0.5);
}

TEST(Compare, IsATableOrCsv) {
  const Outcome table =
      compared("--scheme sdp4bit", "--scheme sharded", kClose + "--repetitions 2");
  // The host may hold up one of the two, and a few repetitions are never certain.
  EXPECT_TRUE(table.out.starts_with("too close to call: A has ")) << table.out;
  EXPECT_NE(
      table.out.find("\nA is better in all of 2 repetitions: with a probability of at least 34"),
      std::string::npos)
      << table.out;
  EXPECT_EQ(table.out.find("100 %"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\nnic_bandwidth "), std::string::npos) << table.out;
  const Outcome csv =
      compared("--scheme sdp4bit", "--scheme sharded", kClose + "--repetitions 2 --format csv");
  EXPECT_TRUE(csv.out.starts_with("a,b,goal,repetitions,seed,ratio,")) << csv.out;
  EXPECT_EQ(lines_of(csv.out).size(), 2u);
}

TEST(Compare, ShowsTheFlagsThatTuneChose) {
  const std::string job = kClose + "--micro-batch 2 --spread all=0 --repetitions 2 ";
  const Json tuned = findings("--scheme sdp4bit", "--scheme sharded", job + "--tune");
  for (const auto& [side, scheme] : {std::pair("a", "sdp4bit "), std::pair("b", "sharded ")}) {
    const std::string flags = tuned[side]["tuned_flags"];
    EXPECT_DOUBLE_EQ(tokens_per_s(kClose + "--micro-batch 2 --scheme " + scheme + flags),
                     tuned[side]["tokens_per_s"])
        << flags;
  }
  const Json given = findings("--scheme sdp4bit", "--scheme sharded", job);
  EXPECT_TRUE(given["a"]["tuned_flags"].is_null());
  const Outcome table = compared("--scheme sdp4bit", "--scheme sharded", job + "--tune");
  EXPECT_NE(table.out.find("\n   tuned: with --"), std::string::npos) << table.out;
}

// Two sequences of 2048 tokens on each of four GPUs.
TEST(Compare, ShowsTheGlobalBatch) {
  const std::string job = kClose + "--spread all=0 --repetitions 2 ";
  const Json found = findings("--micro-batch 2", "--micro-batch 1", job);
  EXPECT_EQ(found["a"]["global_batch"], 8);
  EXPECT_EQ(found["b"]["global_batch"], 4);
  EXPECT_EQ(found["a"]["sequence"], 2048);
  const Outcome table = compared("--micro-batch 2", "--micro-batch 1", job);
  EXPECT_NE(table.out.find("global batch: 8 sequences x 2048 tokens = 16384 tokens per step"),
            std::string::npos)
      << table.out;
}

TEST(Compare, SaysWhatAFigureIsWorthThatDoesNotFit) {
  const Outcome one = compared("--micro-batch 64", "--micro-batch 1",
                               kClose + "--set gpu.memory=8GB --repetitions 2 ");
  EXPECT_NE(one.out.find(": DOES NOT FIT in memory; if it did: "), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("\nif A fitted in memory: A has "), std::string::npos) << one.out;
  const Outcome csv = compared("--micro-batch 64", "--micro-batch 1",
                               kClose + "--set gpu.memory=8GB --repetitions 2 --format csv ");
  EXPECT_NE(csv.out.find(",fits_memory_a,fits_memory_b,"), std::string::npos) << csv.out;
}

TEST(Compare, RefusesWhatItCannotCompare) {
  const auto refused = [](const std::string& a, const std::string& b, const std::string& shared,
                          const char* place) {
    SCOPED_TRACE(a + " | " + b + " | " + shared);
    expect_refused(compared(a, b, shared), place);
  };
  const std::string a = "--scheme sdp4bit", b = "--scheme sharded";
  refused("--scheme sdp4bt", b, kJob, "--scheme");
  refused("--scheme all", b, kJob, "--scheme");
  refused("--scheme sdp4bit,sharded", b, kJob, "--scheme");
  refused("--scheme 'sdp4bit", b, kJob, "--a");
  refused("--scheme", b, kJob, "--a");  // and sdp4bit outside of quotes that are missing
  refused(a, "--scheme sharded\\", kJob, "--b");
  refused(a, "", kJob, "--b");
  refused(a, "--nods 2", kJob, "--nods");
  refused(a, "--nodes 2", kJob, "gardenhose compare");  // given to both as well
  refused(a, b, "--model gpt_125m", "gardenhose compare");
  refused(a, b, kJob + "--repetitions 1", "--repetitions");
  refused(a, b, kJob + "--repetitions 1000000", "--repetitions");
  refused(a, b, kJob + "--seed x", "--seed");
  refused(a, b, kJob + "--spread nic=0.1", "--spread");
  refused(a, b, kJob + "--spread wan_latency=0.1", "--spread");  // between sites
  refused(a, b, kJob + "--spread nic_bandwidth", "--spread");
  refused(a, b, kJob + "--spread nic_bandwidth=-1", "--spread");
  refused(a, b, kJob + "--spread nic_bandwidth=nan", "--spread");
  for (const char* own :
       {" --repetitions 5", " --seed 2", " --goal cost", " --format json", " --spread all=0"}) {
    refused(a, b + own, kJob, "--b");  // the comparison's
  }
  refused(a, b, kJob + "--goal speed", "--goal");
  refused(a, b, kJob + "--goal cost --set gpu.price=0USD/h", "--goal");
  refused(a, b, kJob + "--format svg", "--format");
  refused("--set model.layers=4", b, kJob, "--model");
  expect_refused(run(words("compare --topology dgx_h100_x16 --model gpt_125m"), source_directory()),
                 "--a");
}

TEST(Compare, ExplainsItself) {
  const Outcome help = run({"compare", "--help=all"}, source_directory());
  EXPECT_EQ(help.code, 0) << help.err;
  for (const char* flag : {"--a ", "--b ", "--repetitions ", "--spread ", "--topology "}) {
    EXPECT_NE(help.out.find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace apps_tests
