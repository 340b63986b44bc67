// SPDX-License-Identifier: Apache-2.0
// report: what it refuses, and what its timelines are of. What the page shows, and that it works in
// a browser, tests/scripts/report_page_test.py checks.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/apps/sweeps.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

Outcome report_in(const Sandbox& sandbox, std::string_view flags = "") {
  return run(words("report s.sqlite " + std::string(flags)), sandbox.path());
}

// A swept store.
void make_store(const Sandbox& sandbox, std::string_view spec = kTinySweep) {
  sandbox.write("s.toml", spec);
  ASSERT_EQ(sweep_in(sandbox).code, 0);
}

// What the page's script reads.
Json study_in(const Sandbox& sandbox, std::string_view page = "s.html") {
  const std::string text = text_of(sandbox.path() / page);
  const std::string_view begin = "<script type=\"application/json\" id=\"study\">";
  const std::size_t at = text.find(begin) + begin.size();
  return Json::parse(text.substr(at, text.find("</script>", at) - at));
}

void expect_refused(const Outcome& outcome, std::string_view place, std::string_view what) {
  apps_tests::expect_refused(outcome, place);
  EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
}

TEST(ReportPage, RefusesWhatIsNoStoreOfResults) {
  const Sandbox sandbox;
  expect_refused(report_in(sandbox), "s.sqlite", "no such file");
  sandbox.write("s.sqlite", "no database");
  expect_refused(report_in(sandbox), "s.sqlite", "not the store of a sweep");
  // A sweep opens its store before it makes the tables.
  sandbox.write("s.sqlite", "");
  expect_refused(report_in(sandbox), "s.sqlite", "has no tables yet");
  expect_refused(run(words("export s.sqlite"), sandbox.path()), "s.sqlite", "has no tables yet");
  EXPECT_EQ(sandbox.names(), Arguments{"s.sqlite"});
}

TEST(ReportPage, RefusesAStoreWithoutAPointThatWasRun) {
  const Sandbox sandbox;
  make_store(sandbox);
  EXPECT_EQ(query(sandbox, "update points set state = 'open'"), Arguments{});
  expect_refused(report_in(sandbox), "s.sqlite", "no point has been run yet");
}

TEST(ReportPage, RefusesMorePointsThanAPageHolds) {
  const Sandbox sandbox;
  make_store(sandbox);
  query(sandbox,
        "with recursive n(i) as (select 100 union all select i + 1 from n where i < 20100) insert "
        "into points(point, number, id, inputs, state) select i, i, i, '{}', 'refused' from n");
  expect_refused(report_in(sandbox), "s.sqlite", "a page holds 20000");
}

TEST(ReportPage, RefusesFlagsThatMeanNothing) {
  const Sandbox sandbox;
  make_store(sandbox);
  expect_refused(report_in(sandbox, "--timeline 4"), "--timeline", "'4'");
  expect_refused(report_in(sandbox, "--timeline 0,x"), "--timeline", "'x'");
  expect_refused(report_in(sandbox, "--timeline 0,1,2,3,0,1,2,3,0"), "--timeline", "at most 8");
  expect_refused(report_in(sandbox, "--folder none"), "--folder", "'none' is not a folder");
  expect_refused(report_in(sandbox, "--output none/s.html"), "none/s.html", "cannot be written");
  expect_refused(report_in(sandbox, "--output s.sqlite"), "--output", "is an input (s.sqlite)");
  EXPECT_EQ(sandbox.names(), (Arguments{"s.sqlite", "s.toml"}));
}

TEST(ReportPage, ItsHelpNamesItsFlags) {
  const Outcome help = run(words("report --help"), "/");
  EXPECT_EQ(help.code, 0) << help.err;
  for (const char* flag :
       {"--output", "--timeline", "--folder", "gardenhose report study.sqlite"}) {
    EXPECT_NE(help.out.find(flag), std::string::npos) << flag;
  }
}

TEST(ReportPage, HasEveryPointThatWasRunAndTheCommandOfEach) {
  const Sandbox sandbox;
  make_store(sandbox);
  ASSERT_EQ(report_in(sandbox, "--timeline none --output page.html").code, 0);
  const Json study = study_in(sandbox, "page.html");
  EXPECT_EQ(study["states"], (Json{{"done", 4}}));
  EXPECT_EQ(study["timelines"], Json::array());
  for (const Json& column : study["columns"]) {
    if (column["name"] != "command") continue;
    ASSERT_EQ(column["values"].size(), 4u);
    EXPECT_EQ(column["values"][3],
              "gardenhose run --topology=sdp4bit_a100 --model=gpt_125m --scheme=sdp4bit --nodes=2");
  }
}

// Of the point of most tokens a second, and the one that differs from it in the scheme alone.
TEST(ReportPage, ItsTimelinesAreOfTheBestPointUnderEachScheme) {
  const Sandbox sandbox;
  make_store(sandbox);
  ASSERT_EQ(report_in(sandbox).code, 0);
  const auto expected = query(sandbox,
                              "select number from all_points where in_nodes = (select in_nodes "
                              "from all_points order by tokens_per_s desc limit 1)");
  const Json timelines = study_in(sandbox)["timelines"];
  ASSERT_EQ(timelines.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(std::to_string(timelines[i]["number"].get<int>()), expected[i]);
    EXPECT_EQ(timelines[i]["agrees"], true);
    EXPECT_EQ(timelines[i]["operations"], timelines[i]["events"].size());
    EXPECT_EQ(timelines[i]["fused_below_us"], 0);
    double end_us = 0;
    for (const Json& event : timelines[i]["events"]) {
      end_us = std::max(end_us, event[3].get<double>() + event[4].get<double>());
    }
    EXPECT_NEAR(end_us, timelines[i]["step_s"].get<double>() * 1e6, 2);
  }
}

// 200 micro-batches have more operations than a page draws well: what is drawn covers the same time.
TEST(ReportPage, DrawsManyOperationsAsFewerThatCoverTheSameTime) {
  const Sandbox sandbox;
  make_store(sandbox,
             "[run]\ntopology = \"sdp4bit_a100\"\nmodel = \"gpt_125m\"\nnodes = 1\n"
             "accumulation = 200\n");
  ASSERT_EQ(report_in(sandbox).code, 0);
  const Json timeline = study_in(sandbox)["timelines"][0];
  EXPECT_GT(timeline["operations"], 3000);
  EXPECT_LT(timeline["events"].size(), 3000u);
  const double length_us = timeline["fused_below_us"];
  EXPECT_GT(length_us, 0);
  EXPECT_LT(length_us, 0.01 * timeline["step_s"].get<double>() * 1e6);
  double shown_us = 0;
  for (const Json& event : timeline["events"]) shown_us += event[4].get<double>();
  const auto report = query(sandbox,
                            "select report ->> '$.compute_s' + report ->> '$.exposed_comm_s' + "
                            "report ->> '$.optimizer_s' + report ->> '$.other_s' from reports");
  EXPECT_NEAR(shown_us / 1e6, std::stod(report[0]), 0.01 * std::stod(report[0]));
}

TEST(ReportPage, SaysWhenAPointTakesAnotherTimeToday) {
  const Sandbox sandbox;
  make_store(sandbox);
  query(sandbox, "update reports set report = json_set(report, '$.step_time_s', 1.5)");
  const Outcome outcome = report_in(sandbox, "--timeline 0");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("note: point 0: its step time now differs"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(study_in(sandbox)["timelines"][0]["agrees"], false);
}

// Somebody else's store may name files among its inputs: none is written.
TEST(ReportPage, AStoreCannotHaveFilesWritten) {
  const Sandbox sandbox;
  make_store(sandbox);
  query(sandbox, "update points set inputs = json_set(inputs, '$.perfetto', 'stolen.json')");
  const Outcome outcome = report_in(sandbox, "--timeline 0");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(sandbox.names(), (Arguments{"s.html", "s.sqlite", "s.toml"}));
  EXPECT_TRUE(study_in(sandbox)["timelines"][0].contains("problem"));
}

TEST(ReportPage, PathsGoFromTheFolderOfTheSpec) {
  const Sandbox sandbox;
  sandbox.write("mine.toml", text_of(source_directory() / "topologies/sdp4bit_a100.toml"));
  make_store(sandbox, "[run]\ntopology = \"./mine.toml\"\nmodel = \"gpt_125m\"\nnodes = 1\n");
  const std::string here = sandbox.path().string();
  const Outcome found = run({"report", here + "/s.sqlite"}, "/");
  EXPECT_EQ(found.err, "");
  const Outcome elsewhere = run({"report", here + "/s.sqlite", "--folder", "/"}, "/");
  EXPECT_NE(elsewhere.err.find("note: point 0: no timeline: "), std::string::npos) << elsewhere.err;
}

}  // namespace
}  // namespace apps_tests
