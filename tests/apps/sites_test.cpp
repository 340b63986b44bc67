// SPDX-License-Identifier: Apache-2.0
// run and solve over several sites, as a user calls them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

constexpr const char* kSites = " --topology two_sites_10g --model gpt_125m ";

Outcome sites(const std::string& text) { return run(words(text), source_directory()); }

TEST(RunOverSites, ReportsWhatSweepsRead) {
  const Json report = json_of(std::string("run") + kSites + "--scheme sparseloco");
  for (const char* key : {"outcome",
                          "round_time_s",
                          "tokens_per_s",
                          "compute_utilisation",
                          "exposed_comm_s",
                          "codec_s",
                          "wire_bytes_wan",
                          "bits_per_parameter",
                          "compression_ratio_fp32",
                          "compression_ratio_bf16",
                          "egress_usd",
                          "usd_per_million_tokens",
                          "by_site",
                          "codec_error",
                          "sources",
                          "bound",
                          "zero_stage",
                          "fits_memory",
                          "memory_per_gpu_bytes",
                          "memory_by_part_bytes"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  for (const char* key : {"calibration", "mfu", "flags", "wire_bytes_inter_node", "pareto"}) {
    EXPECT_FALSE(report.contains(key)) << key << " applies to steps only";
  }
  EXPECT_EQ(report["outcome"], "complete");
  EXPECT_EQ(report["global_batch"], report["gpus"]) << "a sequence on each";
  EXPECT_EQ(report["sequence"], 2048);
}

// Renamed sites choose another leader, whose lines are other ones.
TEST(RunOverSites, WarnsOfALeaderThatANameChooses) {
  const auto said = [](const std::string& flags) {
    return sites("run --model gpt_125m --range off " + flags).err;
  };
  const std::string warned = said("--topology two_sites_10g --scheme decoupled_diloco");
  EXPECT_TRUE(
      warned.starts_with("warning: decoupled_diloco: east, the first site of two_sites_10g by "
                         "name, sums what all sites send"))
      << warned;
  EXPECT_NE(warned.find("[syncer]"), std::string::npos);
  EXPECT_EQ(said("--topology two_sites_10g --scheme diloco").find("by name"), std::string::npos);
  const std::string apart = "--topology four_regions_syncer --scheme decoupled_diloco";
  EXPECT_EQ(said(apart).find("by name"), std::string::npos);
}

// The parts of a round add up to it.
TEST(RunOverSites, PartsAddUp) {
  for (const char* scheme : {"wan_sync", "diloco", "streaming_diloco", "sparseloco", "demo"}) {
    const Json r = json_of(std::string("run") + kSites + "--scheme " + scheme);
    double sum = 0;
    for (const char* part : {"compute_s", "exposed_comm_s", "codec_s", "host_s", "bubble_s",
                             "optimizer_s", "other_s"}) {
      sum += r[part].get<double>();
    }
    EXPECT_NEAR(sum, r["round_time_s"].get<double>(), 1e-6 * sum) << scheme;
  }
}

TEST(RunOverSites, ReportOuterStateOnHosts) {
  const Outcome outcome =
      sites(std::string("run") + kSites + "--scheme diloco --set scheme.outer_state=host");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* row : {"\n  copies of outer state  ", "\nhost memory per node  "}) {
    EXPECT_NE(outcome.out.find(row), std::string::npos) << row << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("\n  outer state  "), std::string::npos) << outcome.out;
}

TEST(RunOverSites, SuggestHostsForOuterStateThatDoesNotFit) {
  const std::string run_72b =
      "run --topology twenty_peers_b200 --model llama_2_70b --zero 3 --tp 2 --recompute full "
      "--range off --scheme sparseloco_store";
  const Outcome warned = sites(run_72b);
  EXPECT_NE(warned.err.find("it fits with --set scheme.outer_state=host ("), std::string::npos)
      << warned.err;
  EXPECT_EQ(sites(run_72b + " --set scheme.outer_state=host --require-fit").code, 0);
}

TEST(RunOverSites, ADropOutWithoutADeadlineIsNamed) {
  const std::string base = std::string("run") + kSites +
                           "--scheme sparseloco --set "
                           "sites.west.drops_out=1ms";
  const Json aborted = json_of(base);
  EXPECT_EQ(aborted["outcome"], "aborted");
  EXPECT_TRUE(aborted["round_time_s"].is_null());
  EXPECT_EQ(aborted["events"].size(), 1u);
  const Json skipped = json_of(base + " --deadline 100s");
  EXPECT_EQ(skipped["outcome"], "partial");
  EXPECT_NEAR(skipped["round_time_s"].get<double>(), 100, 1);
}

// Through the storage the sites need no link; all others wait for each other.
TEST(RunOverSites, ADeadLinkStopsTheSchemesThatNeedIt) {
  const std::string base = std::string("run") + kSites +
                           "--set links.line.dead=true --set store.upload=1Gbps "
                           "--set store.download=1Gbps --set store.request=1ms "
                           "--set store.latency=1ms --set store.egress=0USD/GB --scheme ";
  EXPECT_EQ(json_of(base + "sparseloco_store")["outcome"], "complete");
  for (const char* scheme : {"diloco", "sparseloco", "noloco", "decoupled_diloco"}) {
    const Json aborted = json_of(base + scheme);
    EXPECT_EQ(aborted["outcome"], "aborted") << scheme;
    ASSERT_EQ(aborted["events"].size(), 1u) << scheme;
    EXPECT_EQ(aborted["events"][0],
              "west: cannot be reached: links.line is dead, and no site passes its traffic on; the "
              "others wait forever: set a --deadline");
    // In months too, in which the site that is cut off has nothing to load.
    const Json month =
        json_of(base + scheme + " --deadline 300s --set sites.west.stays=20h --set " +
                "sites.west.returns_after=4h --set membership.detection=6s");
    EXPECT_GT(month["kept_tokens_per_s"].get<double>(), 0) << scheme;
  }
}

TEST(RunOverSites, WritesATimelineOfItsSites) {
  const Sandbox sandbox;
  const Outcome outcome =
      run(words(std::string("run") + kSites + "--scheme diloco --perfetto timeline.json"),
          sandbox.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json timeline = Json::parse(text_of(sandbox.path() / "timeline.json"));
  EXPECT_EQ(timeline["traceEvents"][0]["args"]["name"], "east");
}

// Compared at the same number of inner steps.
TEST(RunOverSites, TheTwinTakesTheSchemesRounds) {
  const Json reports =
      json_of(std::string("run") + kSites + "--scheme diloco_int8 --baseline twin");
  EXPECT_EQ(reports[0]["inner_steps"], reports[1]["inner_steps"]);
  EXPECT_GT(reports[1]["speedup"].get<double>(), 1);
}

TEST(RunOverSites, NothingOfAnAbortedRoundIsANumberThatIsNone) {
  for (const char* flags : {"--scheme diloco,sparseloco", "--scheme diloco --baseline sparseloco",
                            "--scheme diloco --baseline sparseloco --range off"}) {
    const Outcome outcome =
        sites(std::string("run") + kSites + flags + " --set sites.west.drops_out=1ms");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("inf"), std::string::npos) << outcome.out;
  }
}

TEST(RunOverSites, TheBaselineIsTheTwin) {
  const Json reports = json_of(std::string("run") + kSites + "--scheme sparseloco --baseline twin");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0]["scheme"], "sparseloco_dense");
  EXPECT_NEAR(reports[1]["speedup"].get<double>(),
              reports[1]["tokens_per_s"].get<double>() / reports[0]["tokens_per_s"].get<double>(),
              1e-9);
}

// What solve finds, run confirms: at `met_at` the utilisation is reached, at `missed_at` it is not.
TEST(Solve, FindsWhatRunConfirms) {
  const Json rows =
      json_of(std::string("solve inner_steps") + kSites + "--scheme diloco --utilisation 0.5,0.9");
  ASSERT_EQ(rows.size(), 2u);
  for (const Json& row : rows) {
    const double goal = row["goal"] == "utilisation 0.5" ? 0.5 : 0.9;
    const auto utilisation = [&](const char* key) {
      return json_of(std::string("run") + kSites + "--scheme diloco --set scheme.inner_steps=" +
                     std::to_string(row[key].get<int>()))["compute_utilisation"]
          .get<double>();
    };
    EXPECT_GE(utilisation("met_at"), goal);
    EXPECT_LT(utilisation("missed_at"), goal);
  }
}

TEST(Solve, FindsEveryUnknown) {
  const Json bandwidth =
      json_of(std::string("solve bandwidth") + kSites + "--scheme diloco --utilisation 0.8");
  EXPECT_LT(bandwidth[0]["missed_at"], bandwidth[0]["met_at"]);
  EXPECT_LT(bandwidth[0]["met_at_low"], bandwidth[0]["met_at"]);
  EXPECT_GT(bandwidth[0]["met_at_high"], bandwidth[0]["met_at"]);
  const Json latency =
      json_of(std::string("solve latency") + kSites + "--scheme wan_sync_int4 --beats wan_flat");
  EXPECT_EQ(latency[0]["goal"], "beats wan_flat");
  const Json layers = json_of(std::string("solve layers") + kSites +
                              "--scheme diloco --utilisation 0.5 --set scheme.inner_steps=10");
  EXPECT_EQ(layers[0]["unit"], "parameters");
  const Json peers = json_of(
      "solve peers --topology twenty_peers_b200 --model gpt_125m "
      "--scheme sparseloco_store --utilisation 0.5");
  EXPECT_EQ(peers[0]["unit"], "sites");
}

// A round takes the sites of its quorum, every fragment a step, every chunk of a pipeline a layer.
TEST(Solve, SearchesWhatCanBeRun) {
  const std::string peers = " --topology twenty_peers_b200 --model gpt_125m ";
  for (const auto& [command, says] :
       {std::pair{"solve peers --scheme decoupled_diloco --set scheme.quorum=6" + peers,
                  "nowhere in 6-16384"},
        std::pair{std::string("solve inner_steps --scheme streaming_diloco") + kSites,
                  "everywhere in 8-100000"},
        std::pair{std::string("solve layers --scheme diloco --pp 2 --virtual-stages 2 "
                              "--micro-batch 64 --accumulation 2") +
                      kSites,
                  "utilisation 0.01  0."}}) {
    const std::string share = says[0] == 'n' ? " --utilisation 0.5" : " --utilisation 0.01";
    const Outcome outcome = run(words(command + share), source_directory());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* twice : {"nowhere-nowhere", "everywhere-everywhere"}) {
      EXPECT_EQ(outcome.out.find(twice), std::string::npos) << outcome.out;
    }
    EXPECT_NE(outcome.out.find(says), std::string::npos) << outcome.out;
  }
  expect_command_refused(
      "solve peers --scheme decoupled_diloco --set scheme.quorum=200 --set sites.peer.count=300 "
      "--set sites.peer.stays=10s --set sites.peer.returns_after=1s --set membership.detection=6s" +
          peers,
      "--set scheme.quorum");
}

// Peers that stay ten minutes, of which a month has events for 925.
TEST(Solve, TriesAsManySitesAsTheQuorumAsks) {
  const std::string command =
      "solve peers --topology twenty_peers_b200 --model gpt_125m --scheme decoupled_diloco "
      "--utilisation 0.5 --set membership.detection=60s --set sites.peer.stays=10min "
      "--set sites.peer.returns_after=10min --set sites.peer.count=1000 --set scheme.quorum=";
  EXPECT_EQ(run(words(command + "925"), source_directory()).code, 0);
  expect_command_refused(command + "926", "--set scheme.quorum");
}

// However fast the line: every step waits for its gradients to cross an ocean, or for the GPUs.
TEST(Solve, SaysWhatBindsWhereNoValueMeetsTheGoal) {
  const std::string far =
      " --topology two_sites_400g_80ms --model gpt_1.3b --scheme wan_sync_bf16 --overlap all ";
  const Json waits = json_of("solve bandwidth" + far + "--utilisation 0.9");
  EXPECT_EQ(waits[0]["met"], "nowhere");
  EXPECT_NE(waits[0]["binds"].get<std::string>().find("it is bound by latency ("),
            std::string::npos);
  const Json computes =
      json_of("solve bandwidth" + far + "--micro-batch 4 --accumulation 64 --tokens-per-day 1e15");
  EXPECT_NE(computes[0]["binds"].get<std::string>().find("it is bound by compute ("),
            std::string::npos);
  EXPECT_TRUE(json_of("solve bandwidth" + far + "--utilisation 0.01")[0]["binds"].is_null());
}

TEST(Solve, RefusesWhatItCannotAnswer) {
  const std::string base = kSites;
  const auto refused = [&](const std::string& text, std::string_view place,
                           const std::string& says) {
    const Outcome outcome = sites(text);
    expect_refused(outcome, place);
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  };
  refused("solve speed" + base + "--scheme diloco", "solve", "is not one of");
  refused("solve" + base + "--scheme diloco", "solve", "is not one of: bandwidth");
  refused("run" + base + "--scheme diloco --set sites.est.uplink=1Gbps", "--set sites.est", "east");
  refused("run" + base + "--scheme diloco --set scheme.overlap_steps=501",
          "--set scheme.overlap_steps", "inner steps");
  refused("run --topology dgx_h100_x16 --model gpt_125m --deadline 5s", "--deadline",
          "several sites");
  refused(
      "run --topology twenty_peers_b200 --model gpt_125m --scheme sparseloco --whole --set "
      "sites.peer.count=600",
      "--scheme", "the limit is 512");
  refused("solve bandwidth" + base, "--scheme", "name the scheme between the sites");
  refused("solve bandwidth" + base + "--scheme diloco --utilisation 2", "--utilisation", "0 and 1");
  refused("solve inner_steps" + base + "--scheme wan_sync", "solve inner_steps", "every step");
  refused("solve peers" + base + "--scheme diloco", "solve peers", "tables of sites");
  refused("solve latency --topology dgx_h100_x16 --model gpt_125m", "solve latency",
          "several sites");
  refused("solve bandwidth --topology dgx_h100_x16 --model gpt_125m --deadline 5s", "--deadline",
          "one cluster");
  refused("solve bandwidth --topology dgx_h100_x16 --model gpt_125m --scheme diloco", "--scheme",
          "'diloco' is a scheme between sites, not within a cluster");
  refused("run" + base + "--scheme sharded", "--scheme",
          "'sharded' is a scheme within a site, not between sites; write --inner-scheme "
          "sharded; known: wan_flat,");
  refused("run" + base + "--scheme sparseloco_store", "--scheme", "object storage");
  refused("run" + base + "--scheme diloco --inner-scheme diloco", "--inner-scheme",
          "between sites");
  refused("run" + base + "--scheme diloco --nodes 2", "--nodes", "sites.NAME.nodes");
  refused("run" + base + "--scheme diloco --deadline soon", "--deadline", "number");
  refused("run" + base + "--scheme diloco --break-even --baseline twin", "--break-even", "solve");
}

}  // namespace
}  // namespace apps_tests
