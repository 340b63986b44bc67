// SPDX-License-Identifier: Apache-2.0
// check: what passes, what fails, and what it says of that.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/check/tolerance.hpp"
#include "tests/apps/checks.hpp"

namespace apps_tests {
namespace {

using OrderedJson = nlohmann::ordered_json;

TEST(Check, PassesOnUnchangedInputs) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string baseline = text_of(sandbox.path() / "s.baseline.json");
  const Outcome outcome = check_in(sandbox, "--strict");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "s.toml against s.baseline.json: 2 points: 2 as before; passed\n");
  ASSERT_EQ(check_in(sandbox, "--update").code, 0);
  EXPECT_EQ(text_of(sandbox.path() / "s.baseline.json"), baseline) << "written the same";
}

// The slowed codec's kernels take a part of the step alone: the step is 0.03 % longer.
TEST(Check, CatchesASlowDownOf3PercentInOneCodecTable) {
  const Sandbox sandbox;
  write_study(sandbox);
  sandbox.write("table.json", slower_table(1.03));
  const Outcome outcome = check_in(sandbox, "--junit c.xml --markdown c.md");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  expect_says(outcome.out, {"codec_s", "worse", "scheme=sdp4bit",
                            "table.json has changed (2 points, 1 of them moved)",
                            "2 points: 1 worse, 1 as before; 1 failed"});
  EXPECT_EQ(outcome.out.find("scheme=sharded"), std::string::npos) << "which has no codec";
  expect_says(text_of(sandbox.path() / "c.md"), {"| `codec_s` |", "`table.json has changed"});
  expect_says(text_of(sandbox.path() / "c.xml"),
              {"tests=\"2\" failures=\"1\" errors=\"0\"", "<failure type=\"worse\""});
  expect_valid_junit(sandbox, "c.xml");
  // Who accepts that says so, and then it passes.
  const Outcome accepted = check_in(sandbox, "--tolerance all=5%");
  EXPECT_EQ(accepted.code, 0);
  expect_says(accepted.out,
              {"table.json has changed (2 points, nothing moved beyond the tolerance)",
               "2 within the tolerance (largest move: codec_s +", "; passed"});
  EXPECT_EQ(check_in(sandbox, "--update --tolerance all=5%").code, 0);
  sandbox.write("table.json", slower_table(1));
  EXPECT_EQ(check_in(sandbox).code, 0) << "the baseline has the tolerance";
}

TEST(Check, WhatIsBetterFailsOnlyWhenStrict) {
  const Sandbox sandbox;
  write_study(sandbox);
  sandbox.write("table.json", slower_table(0.9));
  const Outcome outcome = check_in(sandbox, "--tolerance exposed_comm_s=off --junit c.xml");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  expect_says(outcome.out, {"better", "1 better, 1 as before; passed"});
  expect_says(text_of(sandbox.path() / "c.xml"), {"failures=\"0\"", "<system-out>"});
  expect_valid_junit(sandbox, "c.xml");
  EXPECT_EQ(check_in(sandbox, "--tolerance exposed_comm_s=off --strict").code, 1);
}

// A difference is within where either tolerance has room for it.
TEST(Check, TolerancesAreOfAMetricRelativeAndAbsolute) {
  const Sandbox sandbox;
  write_study(sandbox);
  edit(sandbox, [](OrderedJson& baseline) {
    OrderedJson& metrics = baseline["points"][0]["metrics"];
    metrics["step_time_s"] = metrics["step_time_s"].get<double>() / 1.01;
  });
  struct Case {
    std::string_view tolerance;
    int code;
  };
  for (const auto& [tolerance, code] : {Case{"all=0%", 1},
                                        {"step_time_s=0.9%", 1},
                                        {"step_time_s=1.1%", 0},
                                        {"step_time_s=1e-4", 1},
                                        {"step_time_s=1e-3", 0},
                                        {"step_time_s=0.9%,1e-3", 0},
                                        {"step_time_s=1.1%,1e-9", 0},
                                        {"step_time_s=off", 0},
                                        {"tokens_per_s=off", 1},
                                        {"all=off", 0}}) {
    const Outcome outcome = check_in(sandbox, "--tolerance " + std::string(tolerance));
    EXPECT_EQ(outcome.code, code) << tolerance << outcome.out << outcome.err;
  }
}

TEST(Check, EachMetricHasADirection) {
  const Sandbox sandbox;
  write_study(sandbox);
  const OrderedJson baseline = OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"));
  const std::pair<const char*, bool> metrics[] = {{"step_time_s", true},
                                                  {"tokens_per_s", false},
                                                  {"mfu", false},
                                                  {"compute_s", true},
                                                  {"compression_ratio_fp32", false},
                                                  {"energy_j", true},
                                                  {"wire_bytes_intra_node", true},
                                                  {"memory_per_gpu_bytes", true},
                                                  {"usd_per_million_tokens", true},
                                                  {"codec_error.weights_lr_6e-4", true}};
  for (const auto& [metric, more_is_worse] : metrics) {
    for (const double before : {0.5, 2.0}) {  // of what it is today
      OrderedJson changed = baseline;
      OrderedJson& value = changed["points"][0]["metrics"][metric];
      ASSERT_TRUE(value.is_number()) << metric;
      value = value.get<double>() * before;
      sandbox.write("s.baseline.json", changed.dump());
      const bool worse = (before < 1) == more_is_worse;
      const Outcome outcome = check_in(sandbox);
      EXPECT_EQ(outcome.code, worse ? 1 : 0) << metric << outcome.out << outcome.err;
      expect_says(outcome.out, {metric, worse ? "worse" : "better"});
    }
  }
}

TEST(Check, WhatAMonthBringsHasADirection) {
  for (const char* less_is_worse : {"kept_tokens_per_s", "tokens_per_day", "goodput"}) {
    EXPECT_EQ(apps::worse_of(less_is_worse), apps::Worse::less) << less_is_worse;
  }
  for (const char* more_is_worse :
       {"training_days", "training_usd", "kept_usd_per_million_tokens"}) {
    EXPECT_EQ(apps::worse_of(more_is_worse), apps::Worse::more) << more_is_worse;
  }
}

TEST(Check, SaysWhichInputIsAnotherOne) {
  const Sandbox sandbox;
  write_study(sandbox);
  edit(sandbox, [](OrderedJson& baseline) {
    baseline["version"] = "0.0.9";
    baseline["files"]["topologies/sdp4bit_a100.toml"] = "0";
    baseline["files"].erase("traces/models/gpt_125m.toml");
    baseline["points"][0]["setup"]["overlap"] = "all";
    baseline["points"][1]["sources"]["nvlink"] = "elsewhere";
  });
  const Outcome outcome = check_in(sandbox);
  EXPECT_EQ(outcome.code, 0) << "the figures are the same";
  EXPECT_TRUE(outcome.out.starts_with("inputs that differ")) << outcome.out;
  expect_says(outcome.out,
              {"gardenhose was 0.0.9", "topologies/sdp4bit_a100.toml has changed (2",
               "traces/models/gpt_125m.toml was not read",
               "overlap was 'all', is 'none' (1 point, nothing moved beyond the tolerance)",
               "source of nvlink was 'elsewhere'"});
}

TEST(Check, CallsAFileThatIsGoneMissing) {
  const Sandbox sandbox;
  write_study(sandbox);
  std::filesystem::remove(sandbox.path() / "table.json");
  expect_says(check_in(sandbox).out, {"table.json is missing (2 points, moved)"});
}

// What only one side has is no other prediction.
TEST(Check, SaysWhichMetricsOneSideLacks) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string blames = "the program itself predicts something else";
  edit(sandbox, [](OrderedJson& baseline) {
    for (OrderedJson& point : baseline["points"]) point["metrics"].erase("energy_j");
  });
  const Outcome added = check_in(sandbox);
  EXPECT_EQ(added.code, 0);
  expect_says(added.out, {"what both sides have is as before; the baseline has no energy_j: "
                          "--update adds it"});
  EXPECT_EQ(added.out.find(blames), std::string::npos) << added.out;
  edit(sandbox, [](OrderedJson& baseline) {
    for (OrderedJson& point : baseline["points"]) point["metrics"]["energy_of_old_j"] = 1;
  });
  expect_says(check_in(sandbox).out, {"today's results have no energy_of_old_j"});
  edit(sandbox, [](OrderedJson& baseline) { baseline["points"].erase(0); });
  EXPECT_EQ(check_in(sandbox).out.find(blames), std::string::npos);
  edit(sandbox, [](OrderedJson& baseline) { baseline["points"][0]["metrics"]["mfu"] = 0.5; });
  expect_says(check_in(sandbox).out, {blames});
}

TEST(Check, SaysWhereASpeedUpComesFrom) {
  const Sandbox sandbox;
  write_study(sandbox);
  const Outcome outcome = check_in(sandbox, "--tolerance speedup=1%");
  EXPECT_EQ(outcome.code, 2);
  expect_says(outcome.err, {"--tolerance: 'speedup' is not a metric of these points; ",
                            "write baseline = \"twin\" in the spec"});
}

TEST(Check, PointsThatOneSideLacksFail) {
  const Sandbox sandbox;
  write_study(sandbox);
  sandbox.write("s.toml", replaced_in(kStudy, "nodes = 1", "nodes = 2"));
  edit(sandbox, [](OrderedJson& baseline) { baseline["version"] = "0.0.9"; });
  const Outcome outcome = check_in(sandbox, "--junit c.xml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out.find("worse"), std::string::npos) << outcome.out;
  expect_says(text_of(sandbox.path() / "c.xml"),
              {"<failure type=\"new\"", "<failure type=\"gone\""});
  expect_says(outcome.out, {"not run", "not there", "nodes was '1', is '2' (2 points, moved)",
                            "gardenhose was 0.0.9, is ", " (4 points, moved)",
                            "4 points: 2 gone, 2 new; 4 failed"});
  expect_valid_junit(sandbox, "c.xml");
  EXPECT_EQ(check_in(sandbox, "--update").code, 0);
  EXPECT_EQ(check_in(sandbox).code, 0);
}

// Where a single one is: another value, one more or one less.
TEST(Check, SaysInWhichInputAPointThatIsMissingIsOneOfToday) {
  const Sandbox sandbox;
  write_study(sandbox);
  const auto text = text_of(sandbox.path() / "s.baseline.json");
  edit(sandbox, [](OrderedJson& baseline) {
    baseline["points"][0]["inputs"]["nodes"] = 2;
    baseline["points"][1]["inputs"]["tp"] = 1;
  });
  expect_says(check_in(sandbox).out, {"nodes was '2', is '1' (1 point, moved)",
                                      "tp was '1', is nothing (1 point, moved)"});
  sandbox.write("s.baseline.json", text);
  edit(sandbox, [](OrderedJson& baseline) {
    baseline["points"][0]["inputs"].erase("nodes");
    baseline["points"][1]["inputs"]["nodes"] = 2;
    baseline["points"][1]["inputs"]["tp"] = 1;
  });
  const Outcome outcome = check_in(sandbox);
  expect_says(outcome.out, {"nodes was nothing, is '1' (1 point, moved)"});
  EXPECT_EQ(outcome.out.find("tp was"), std::string::npos) << outcome.out;
}

TEST(Check, PointsThatNoLongerFitOrRunFail) {
  const Sandbox sandbox;
  write_study(sandbox, "gpu.memory = \"80 GB\"\n");
  for (const auto& [state, memory, tp] :
       {std::tuple("too_large", "\"1 GB\"", ""), {"refused", "\"80 GB\"", "tp = 64\n"}}) {
    OrderedJson baseline = OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"));
    for (OrderedJson& point : baseline["points"]) {
      point["inputs"]["gpu.memory"] = OrderedJson::parse(memory);
      if (*tp != '\0') point["inputs"]["tp"] = 64;
    }
    sandbox.write("other.json", baseline.dump());
    sandbox.write("s.toml", fmt::format("{}gpu.memory = {}\n{}", kStudy, memory, tp));
    const Outcome outcome = check_in(sandbox, "--baseline other.json --junit c.xml");
    EXPECT_EQ(outcome.code, 1);
    expect_says(outcome.out, {"state", "done", state, "2 failed"});
    expect_valid_junit(sandbox, "c.xml");
    // What was so before is no regression; but where nothing runs there is nothing to keep.
    const bool runs = *tp == '\0';
    EXPECT_EQ(check_in(sandbox, "--update --baseline new.json").code, runs ? 0 : 2);
    EXPECT_EQ(check_in(sandbox, "--baseline new.json").code, runs ? 0 : 2);
    std::filesystem::remove(sandbox.path() / "new.json");
  }
}

TEST(Check, InputErrorsAreNoBaselineButRefusedCombinationsAre) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string kept = text_of(sandbox.path() / "s.baseline.json");
  const auto expect_refused_update = [&](const std::string& spec, std::string_view line) {
    sandbox.write("s.toml", spec);
    const Outcome outcome = check_in(sandbox, "--update");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    expect_says(outcome.err, {line});
    EXPECT_EQ(text_of(sandbox.path() / "s.baseline.json"), kept);
  };
  expect_refused_update(replaced_in(kStudy, "\"sdp4bit_a100\"", "\"./none.toml\""),
                        "\ns.toml: 2 of 2 points cannot run: ./none.toml: no such file");
  expect_refused_update(replaced_in(kStudy, "\"sdp4bit\"", "\"./none.toml\""),
                        "\ns.toml: 1 of 2 points cannot run: ./none.toml: no such file");
  // A baseline of refusals alone, as earlier versions wrote it, compares nothing.
  edit(sandbox, [](nlohmann::ordered_json& baseline) {
    for (auto& point : baseline["points"]) {
      point["inputs"]["tp"] = 64;
      point["state"] = "refused";
      for (const char* key : {"metrics", "setup", "sources"}) {
        point[key] = nlohmann::ordered_json::object();
      }
    }
  });
  sandbox.write("s.toml", std::string(kStudy) + "tp = 64\n");
  const Outcome nothing = check_in(sandbox);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.out, "");
  // sdp4bit has no ZeRO-3, but runs with 1; sharded runs with both.
  sandbox.write("s.toml", replaced_in(kStudy, "[run]", "zero = [1, 3]\n[run]"));
  std::filesystem::remove(sandbox.path() / "s.baseline.json");
  expect_says(check_in(sandbox, "--update").out, {"s.baseline.json: written, 4 points; "});
  const Outcome combination = check_in(sandbox);
  EXPECT_EQ(combination.code, 0);
  expect_says(combination.out, {"4 as before (1 refused)"});
}

// From every outcome of a round to every other; a state of another version is none that is known.
TEST(Check, ARoundThatSitesAreMissingInIsWorseAndOneOfNobodyWorseStill) {
  const Sandbox sandbox;
  const Outcome report =
      run(words("run --topology sdp4bit_a100 --model gpt_125m --nodes 1 --format json"),
          sandbox.path());
  OrderedJson round = OrderedJson::parse(report.out);
  struct Step {
    const char* before;
    const char* now;
    const char* verdict;
  };
  for (const auto& [before, now, verdict] : {Step{"complete", "partial", "worse"},
                                             {"complete", "aborted", "worse"},
                                             {"partial", "aborted", "worse"},
                                             {"partial", "complete", "better"},
                                             {"aborted", "partial", "better"},
                                             {"aborted", "complete", "better"},
                                             {"partial", "postponed", "moved"}}) {
    SCOPED_TRACE(fmt::format("{} -> {}", before, now));
    round["outcome"] = before;
    sandbox.write("r.json", round.dump());
    ASSERT_EQ(run(words("check r.json --update"), sandbox.path()).code, 0);
    round["outcome"] = now;
    sandbox.write("r.json", round.dump());
    const Outcome outcome = run(words("check r.json"), sandbox.path());
    EXPECT_EQ(outcome.code, std::string_view(verdict) == "worse" ? 1 : 0) << outcome.out;
    expect_says(outcome.out, {"state", fmt::format("1 point: 1 {}", verdict)});
  }
}

// A sweep's store, and run's JSON from a file or a pipe, as the spec itself.
TEST(Check, TakesStoresAndRunsToo) {
  const Sandbox sandbox;
  write_study(sandbox);
  ASSERT_EQ(run(words("sweep s.toml -j 2"), sandbox.path()).code, 0);
  EXPECT_EQ(run(words("check s.sqlite"), sandbox.path()).code, 0);
  ASSERT_EQ(run(words("check s.sqlite --update --baseline store.json"), sandbox.path()).code, 0);
  EXPECT_EQ(text_of(sandbox.path() / "store.json"), text_of(sandbox.path() / "s.baseline.json"));

  const auto run_json = [&](const std::string& table) {
    const Outcome outcome =
        run(words("run --topology sdp4bit_a100 --model gpt_125m --nodes 1 --format json --scheme "
                  "sharded,sdp4bit --calibration " +
                  table),
            sandbox.path());
    sandbox.write("r.json", outcome.out);
  };
  run_json("./table.json");
  ASSERT_EQ(run(words("check r.json --update"), sandbox.path()).code, 0);
  EXPECT_EQ(run(words("check r.json"), sandbox.path()).code, 0);
  sandbox.write("table.json", slower_table(1.03));
  run_json("./table.json");
  const Outcome outcome = run(words("check r.json"), sandbox.path());
  EXPECT_EQ(outcome.code, 1);
  expect_says(outcome.out, {"scheme=sdp4bit", "codec_s", "source of codec"});
  // Standard input of these tests is empty.
  expect_refused(run(words("check - --baseline r.baseline.json"), sandbox.path()),
                 "standard input");
}

}  // namespace
}  // namespace apps_tests
