// SPDX-License-Identifier: Apache-2.0
// check --require: which points meet what is required of them, with a baseline and without one.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/apps/checks.hpp"

namespace apps_tests {
namespace {

using OrderedJson = nlohmann::ordered_json;

// A study with speed-ups over the twin.
void write_twins(const Sandbox& sandbox) { write_study(sandbox, "baseline = \"twin\"\n"); }

OrderedJson metrics_of(const Sandbox& sandbox, std::size_t point) {
  return OrderedJson::parse(
      text_of(sandbox.path() / "s.baseline.json"))["points"][point]["metrics"];
}

Outcome require_in(const Sandbox& sandbox, const std::string& requirement,
                   const std::string& flags = "") {
  Arguments arguments = words("check s.toml " + flags);
  arguments.insert(arguments.end(), {"--require", requirement});
  return run(arguments, sandbox.path());
}

// The bound itself meets >= and <=, and not > and <.
TEST(CheckRequire, DecidesAtTheBoundItself) {
  const Sandbox sandbox;
  write_study(sandbox);
  const double step = metrics_of(sandbox, 1)["step_time_s"];
  const auto code = [&](const char* relation, double bound) {
    return require_in(sandbox, fmt::format("step_time_s{}{} @ scheme=sdp4bit", relation, bound))
        .code;
  };
  const double above = std::nextafter(step, 1), below = std::nextafter(step, 0);
  EXPECT_EQ(code(">=", step), 0);
  EXPECT_EQ(code(">=", above), 1);
  EXPECT_EQ(code("<=", step), 0);
  EXPECT_EQ(code("<=", below), 1);
  EXPECT_EQ(code(">", step), 1);
  EXPECT_EQ(code(">", below), 0);
  EXPECT_EQ(code("<", step), 1);
  EXPECT_EQ(code("<", above), 0);
}

TEST(CheckRequire, TakesUnitsOfTheMetric) {
  const Sandbox sandbox;
  write_twins(sandbox);
  for (const char* met : {"step_time_s<=2.5 s", "step_time_s<=2500ms", "step_time<=1min", "mfu<99%",
                          "mfu<99 %", "memory_per_gpu>=1 MB", "speedup>=0.01%"}) {
    EXPECT_EQ(require_in(sandbox, met).code, 0) << met;
  }
  for (const char* unmet :
       {"step_time_s<=1 us", "step_time<=1us", "mfu>=99%", "memory_per_gpu<=1 MB"}) {
    const Outcome outcome = require_in(sandbox, unmet);
    EXPECT_EQ(outcome.code, 1) << unmet << outcome.err;
    expect_says(outcome.out, {"2 points: 2 unmet; 2 failed"});
  }
}

TEST(CheckRequire, NeedsNoBaseline) {
  const Sandbox sandbox;
  write_twins(sandbox);
  std::filesystem::remove(sandbox.path() / "s.baseline.json");
  const Outcome met = require_in(sandbox, "speedup>=0.01");
  EXPECT_EQ(met.code, 0) << met.err;
  EXPECT_EQ(met.out, "s.toml: 2 points: 2 as required; passed\n");
  const Outcome unmet =
      require_in(sandbox, "speedup>=100", "--junit c.xml --markdown c.md --annotations on");
  EXPECT_EQ(unmet.code, 1);
  expect_says(unmet.out,
              {"required", "scheme=sdp4bit", ">=100", "unmet", "likely ", "over sharded at 0.",
               " s a step", "s.toml: 2 points: 1 unmet, 1 as required; 1 failed",
               "::error file=s.toml,line=1,title=scheme=sdp4bit::speedup: >=100 required, "});
  EXPECT_EQ(sandbox.names(), (Arguments{"c.md", "c.xml", "s.toml", "table.json"}));
  expect_says(text_of(sandbox.path() / "c.xml"),
              {"failures=\"1\"", "<failure type=\"unmet\" message=\"speedup: >=100 required, "});
  expect_says(text_of(sandbox.path() / "c.md"),
              {"| point | what | required |", "| `>=100` |", "**unmet** `likely "});
  expect_valid_junit(sandbox, "c.xml");
  // A misspelt value is an input error without a baseline, too.
  sandbox.write("s.toml", replaced_in(kStudy, "\"sdp4bit\"", "\"sdp5bit\""));
  const Outcome misspelt = require_in(sandbox, "mfu>=0");
  EXPECT_EQ(misspelt.code, 2) << misspelt.out;
  expect_says(misspelt.err, {"s.toml: 1 of 2 points cannot run: "});
}

TEST(CheckRequire, TakesRunsFromStandardInputWithoutABaseline) {
  const Sandbox sandbox;
  const Outcome outcome = run({"check", "-", "--require", "mfu>=0"}, sandbox.path());
  EXPECT_EQ(outcome.code, 2);
  expect_says(outcome.err, {"standard input"});  // which is empty here, but is read
}

// A requirement and a tolerance fail apart from each other.
TEST(CheckRequire, StandsBesideTheBaseline) {
  const Sandbox sandbox;
  write_study(sandbox);
  const Outcome unmet = require_in(sandbox, "mfu>=1");
  EXPECT_EQ(unmet.code, 1);
  EXPECT_EQ(unmet.out.find("inputs that differ"), std::string::npos) << unmet.out;
  expect_says(unmet.out, {"s.toml against s.baseline.json: 2 points: 2 unmet; 2 failed"});
  expect_says(require_in(sandbox, "mfu>=0").out, {"2 as before and as required; passed"});
  sandbox.write("table.json", slower_table(1.03));
  expect_says(require_in(sandbox, "mfu>=0").out,
              {"1 worse, 1 as before and as required; 1 failed"});
  const Outcome both = require_in(sandbox, "mfu>=1");
  expect_says(both.out, {"codec_s", "worse", "2 points: 2 unmet; 2 failed"});
}

TEST(CheckRequire, BaselinesKeepThem) {
  const Sandbox sandbox;
  write_study(sandbox);
  const auto required = [&] {
    return OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"))
        .value("require", OrderedJson());
  };
  EXPECT_EQ(required(), OrderedJson()) << "none where none is asked for";
  const Outcome written = require_in(sandbox, "mfu>=1 @ scheme=sdp4bit", "--update");
  EXPECT_EQ(written.code, 0);
  expect_says(written.out, {"1 unmet", "; required: mfu>=1 @ scheme=sdp4bit\n"});
  EXPECT_EQ(check_in(sandbox).code, 1);
  EXPECT_EQ(require_in(sandbox, "mfu>=0 @ scheme=sdp4bit").code, 0) << "in place of the stored one";
  EXPECT_EQ(require_in(sandbox, "mfu>=0").code, 1) << "which is for other points";
  EXPECT_EQ(require_in(sandbox, "mfu<=1 @ scheme=sdp4bit").code, 1) << "which is another bound";
  EXPECT_EQ(check_in(sandbox, "--update").code, 0);
  EXPECT_EQ(required(), (OrderedJson{"mfu>=1 @ scheme=sdp4bit"})) << "kept";
  EXPECT_EQ(require_in(sandbox, "mfu>=0.001 @ scheme=sdp4bit", "--update").code, 0);
  EXPECT_EQ(required(), (OrderedJson{"mfu>=0.001 @ scheme=sdp4bit"}));
  EXPECT_EQ(check_in(sandbox).code, 0);
}

TEST(CheckRequire, PointsWithoutMemoryOrFiguresMeetNone) {
  const Sandbox sandbox;
  // sdp4bit has no ZeRO-3: a refused combination.
  sandbox.write("s.toml", replaced_in(kStudy, "[run]", "zero = [1, 3]\n[run]"));
  sandbox.write("table.json", slower_table(1));
  const Outcome refused = require_in(sandbox, "tokens_per_s>0");
  EXPECT_EQ(refused.code, 1) << refused.err;
  expect_says(refused.out, {"scheme=sdp4bit zero=3\n  tokens_per_s", "    refused\n",
                            "4 points: 1 unmet, 3 as required; 1 failed"});
  EXPECT_EQ(require_in(sandbox, "tokens_per_s>0 @ zero=1").code, 0);
  sandbox.write("s.toml", std::string(kStudy) + "gpu.memory = \"1 GB\"\n");
  const Outcome large = require_in(sandbox, "tokens_per_s>0");
  EXPECT_EQ(large.code, 1) << large.err;
  expect_says(large.out, {"    does not fit in memory", "2 points: 2 unmet; 2 failed"});
}

// A scheme is not asked to be faster than itself.
TEST(CheckRequire, SpeedUpsAreOfSchemesWithAnotherReference) {
  const Sandbox sandbox;
  write_twins(sandbox);
  const Outcome outcome = require_in(sandbox, "speedup>=100");
  expect_says(outcome.out, {"scheme=sdp4bit", "1 unmet, 1 as before"});
  expect_refused(require_in(sandbox, "speedup>=1 @ scheme=sharded"), "--require");
  const double speedup = metrics_of(sandbox, 1)["speedup"];
  EXPECT_EQ(require_in(sandbox, fmt::format("speedup_low>={}", speedup)).code, 1)
      << "the low end of the range is below";
  EXPECT_EQ(require_in(sandbox, fmt::format("speedup_high>={}", speedup)).code, 0);
}

TEST(CheckRequire, HundredsAreHundreds) {
  const Sandbox sandbox;
  write_study(sandbox);
  Arguments arguments = words("check s.toml --annotations on --junit c.xml");
  for (int i = 0; i < 300; ++i) {
    arguments.insert(arguments.end(), {"--require", fmt::format("mfu>={} @ scheme=s{}", 1 + i, i)});
  }
  EXPECT_EQ(run(arguments, sandbox.path()).code, 2) << "there are no such schemes";
  arguments.resize(6);
  for (int i = 0; i < 300; ++i) {
    arguments.insert(arguments.end(), {"--require", fmt::format("mfu>={}", 1 + i)});
  }
  const Outcome last = run(arguments, sandbox.path());
  EXPECT_EQ(last.code, 1);
  expect_says(last.out, {">=300"});
  EXPECT_EQ(last.out.find(">=299"), std::string::npos) << "the last of one bound counts";
}

}  // namespace
}  // namespace apps_tests
