// SPDX-License-Identifier: Apache-2.0
// What check writes: baselines of a line for each point, cases of JUnit by distinct names, and
// annotations of GitHub; and what it says of a speed-up's reference.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/apps/checks.hpp"

namespace apps_tests {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kSixPoints = R"([grid]
scheme = ["sharded", "sdp4bit", "zeropp"]
nodes = [1, 2]
[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
calibration = "./table.json"
baseline = "twin"
)";

void write_six(const Sandbox& sandbox) {
  sandbox.write("s.toml", kSixPoints);
  sandbox.write("table.json", slower_table(1));
  ASSERT_EQ(check_in(sandbox, "--update").code, 0);
}

std::vector<std::string> baseline_lines(const Sandbox& sandbox) {
  return lines_of(text_of(sandbox.path() / "s.baseline.json"));
}

std::vector<std::string> annotations_in(const Outcome& outcome, const std::string& kind) {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(outcome.out)) {
    if (line.starts_with("::" + kind + " ")) found.push_back(line);
  }
  return found;
}

TEST(CheckBaseline, APointIsALine) {
  const Sandbox sandbox;
  write_six(sandbox);
  const std::vector<std::string> before = baseline_lines(sandbox);
  const auto inputs = [](const std::string& line) { return line.starts_with("  {\"inputs\":"); };
  EXPECT_EQ(std::ranges::count_if(before, inputs), 6);
  const OrderedJson baseline = OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"));
  EXPECT_EQ(before.size(), 6 + baseline["files"].size() + baseline["tolerances"].size() + 14);
  edit(sandbox, [](OrderedJson& all) { all["points"][3]["metrics"]["mfu"] = 0.5; });
  ASSERT_EQ(check_in(sandbox, "--update").code, 0) << "writes what it wrote";
  EXPECT_EQ(baseline_lines(sandbox), before);
}

// The codec is one of sdp4bit and of zeropp.
TEST(CheckBaseline, AChangeOfPointsChangesTheirLines) {
  const Sandbox sandbox;
  write_six(sandbox);
  const std::vector<std::string> before = baseline_lines(sandbox);
  sandbox.write("table.json", slower_table(1.03));
  ASSERT_EQ(check_in(sandbox, "--update").code, 0);
  const std::vector<std::string> after = baseline_lines(sandbox);
  ASSERT_EQ(after.size(), before.size());
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] != before[i]) changed.push_back(after[i]);
  }
  ASSERT_EQ(changed.size(), 5u);
  expect_says(changed[0], {"  \"table.json\": "});
  expect_says(changed[1], {"\"scheme\":\"sdp4bit\",\"nodes\":1"});
  expect_says(changed[2], {"\"scheme\":\"sdp4bit\",\"nodes\":2"});
  expect_says(changed[3], {"\"scheme\":\"zeropp\",\"nodes\":1"});
  expect_says(changed[4], {"\"scheme\":\"zeropp\",\"nodes\":2"});
}

// The texts that most points have stand once, and every point has them again when it is read.
TEST(CheckBaseline, SaysWhatIsUsualOnce) {
  const Sandbox sandbox;
  write_six(sandbox);
  const OrderedJson baseline = OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"));
  EXPECT_EQ(baseline["usual"]["setup"]["model"], "gpt_125m");
  for (const OrderedJson& point : baseline["points"]) {
    EXPECT_FALSE(point["setup"].contains("model"));
    EXPECT_EQ(point["setup"].contains("scheme"), true) << "no scheme has most points";
  }
  edit(sandbox, [](OrderedJson& b) { b["points"][2]["setup"]["model"] = nullptr; });
  expect_says(check_in(sandbox).out, {"model was nothing, is 'gpt_125m' (1 point, nothing moved"});
  edit(sandbox, [](OrderedJson& b) { b["usual"]["setup"]["model"] = "gpt_13b"; });
  expect_says(check_in(sandbox).out, {"model was 'gpt_13b', is 'gpt_125m' (5 points,"});
}

// As versions wrote it that had no "usual".
TEST(CheckBaseline, OlderOnesAreRead) {
  const Sandbox sandbox;
  write_six(sandbox);
  const std::string now = text_of(sandbox.path() / "s.baseline.json");
  edit(sandbox, [](OrderedJson& b) {
    for (OrderedJson& point : b["points"]) {
      for (const char* part : {"setup", "sources"}) {
        OrderedJson whole = b["usual"][part];
        for (const auto& [name, text] : point[part].items()) {
          if (text.is_null()) {
            whole.erase(name);
          } else {
            whole[name] = text;
          }
        }
        point[part] = whole;
      }
    }
    b.erase("usual");
  });
  ASSERT_GT(baseline_lines(sandbox).size(), 500u) << "a line for each value";
  const Outcome outcome = check_in(sandbox, "--strict");
  EXPECT_EQ(outcome.out, "s.toml against s.baseline.json: 6 points: 6 as before; passed\n");
  ASSERT_EQ(check_in(sandbox, "--update").code, 0);
  EXPECT_EQ(text_of(sandbox.path() / "s.baseline.json"), now);
}

TEST(CheckBaseline, KeepsTheFiguresThatAreCompared) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string flags = "--update --tolerance all=off --tolerance codec_s=2%";
  ASSERT_EQ(check_in(sandbox, flags).code, 0);
  for (const OrderedJson& point :
       OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"))["points"]) {
    std::set<std::string> names;
    for (const auto& [name, value] : point["metrics"].items()) names.insert(name);
    EXPECT_EQ(names, (std::set<std::string>{"codec_s", "step_time_s", "tokens_per_s"}));
  }
  const Outcome outcome = check_in(sandbox);
  EXPECT_EQ(outcome.out, "s.toml against s.baseline.json: 2 points: 2 as before; passed\n");
  const Outcome left_out = check_in(sandbox, "--tolerance mfu=1%");
  expect_refused(left_out, "--tolerance");
  expect_says(left_out.err, {"s.baseline.json lacks 'mfu', which was off; add --update"});
  EXPECT_EQ(check_in(sandbox, "--update --tolerance mfu=1%").code, 0);
  EXPECT_EQ(check_in(sandbox, "--tolerance mfu=2%").code, 0);
  sandbox.write("table.json", slower_table(1.2));
  EXPECT_EQ(check_in(sandbox).code, 1);
}

TEST(CheckBaseline, AKilledUpdateLeavesTheOldOne) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string baseline = text_of(sandbox.path() / "s.baseline.json");
  const std::vector<std::string> names = sandbox.names();
  sandbox.write("s.toml", replaced_in(kLongSweep, "[400, 401, 402]", "[4000]"));
  Program update(words("check s.toml -j 1 --update"), sandbox.path());
  ASSERT_TRUE(comes_true([&] { return !children_of(update.id()).empty(); }));
  kill(update.id(), SIGKILL);
  EXPECT_EQ(update.wait().signal, SIGKILL);
  EXPECT_EQ(text_of(sandbox.path() / "s.baseline.json"), baseline);
  EXPECT_EQ(sandbox.names(), names);
}

// Points of a baseline may differ in what no label shows: in the type of a value, behind the letters
// that are shown.
TEST(CheckJunit, NoTwoCasesHaveOneName) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string stem(5000, 'x');
  edit(sandbox, [&](OrderedJson& baseline) {
    const OrderedJson point = baseline["points"][0];
    for (const OrderedJson& nodes :
         {OrderedJson("1"), OrderedJson(stem + "1"), OrderedJson(stem + "2"), OrderedJson("a\tb"),
          OrderedJson("a\nb"), OrderedJson("2"), OrderedJson(2)}) {
      OrderedJson other = point;
      other["inputs"]["nodes"] = nodes;
      baseline["points"].push_back(other);
    }
  });
  const auto names = [&] {
    EXPECT_EQ(check_in(sandbox, "--junit c.xml").code, 1);
    expect_valid_junit(sandbox, "c.xml");
    // Two names are alike as they stand in XML where they are alike.
    const std::string xml = text_of(sandbox.path() / "c.xml");
    const std::regex one_case(R"-(<testcase classname="s\.toml" name="([^"]*)")-");
    std::vector<std::string> all;
    for (std::sregex_iterator one(xml.begin(), xml.end(), one_case), end; one != end; ++one) {
      all.push_back((*one)[1]);
    }
    return all;
  };
  const std::vector<std::string> first = names();
  ASSERT_EQ(first.size(), 9u);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  EXPECT_EQ(first[1],
            "calibration=./table.json model=gpt_125m nodes=1 scheme=sdp4bit topology=sdp4bit_a100")
      << "others keep theirs";
  EXPECT_NE(first[0].find("&quot;nodes&quot;:1"), std::string::npos) << first[0];
  EXPECT_NE(first[2].find("&quot;nodes&quot;:&quot;1&quot;"), std::string::npos) << first[2];
  EXPECT_EQ(names(), first);
}

// file and line are those of the point in the baseline; what else GitHub would read is escaped.
TEST(CheckAnnotations, AreOfTheLineOfThePoint) {
  const Sandbox sandbox;
  write_six(sandbox);
  sandbox.write("table.json", slower_table(1.03));
  const Outcome outcome = check_in(sandbox, "--annotations on --tolerance exposed_comm_s=off");
  const std::vector<std::string> errors = annotations_in(outcome, "error");
  ASSERT_EQ(errors.size(), 4u) << "of sdp4bit and zeropp: " << outcome.out;
  const std::vector<std::string> lines = baseline_lines(sandbox);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const std::string start = "::error file=s.baseline.json,line=";
    ASSERT_TRUE(errors[i].starts_with(start)) << errors[i];
    const char* const scheme = i < 2 ? "sdp4bit" : "zeropp";
    const auto number = std::stoul(errors[i].substr(start.size()));
    ASSERT_LE(number, lines.size());
    expect_says(lines[number - 1],
                {fmt::format("\"scheme\":\"{}\",\"nodes\":{}", scheme, 1 + i % 2)});
    expect_says(errors[i],
                {fmt::format(",title=scheme={} nodes={}::step_time_s: ", scheme, 1 + i % 2),
                 " %25) worse%0A"});
  }
  EXPECT_TRUE(annotations_in(outcome, "warning").empty());
}

TEST(CheckAnnotations, AreOffUnlessGithubRunsIt) {
  const Sandbox sandbox;
  write_study(sandbox);
  sandbox.write("table.json", slower_table(1.03));
  const auto shows = [&](const char* flags) {
    return !annotations_in(check_in(sandbox, flags), "error").empty();
  };
  EXPECT_FALSE(shows(""));
  EXPECT_FALSE(shows("--annotations auto"));
  EXPECT_TRUE(shows("--annotations on"));
  setenv("GITHUB_ACTIONS", "true", 1);
  EXPECT_TRUE(shows(""));
  EXPECT_FALSE(shows("--annotations off"));
  setenv("GITHUB_ACTIONS", "false", 1);
  EXPECT_FALSE(shows(""));
  unsetenv("GITHUB_ACTIONS");
}

TEST(CheckAnnotations, AreEscapedAndWarnOfWhatPasses) {
  const Sandbox sandbox;
  write_study(sandbox);
  edit(sandbox, [](OrderedJson& baseline) {
    baseline["points"][0]["inputs"]["model"] = "50%,a:b\r\n::error::c";
    baseline["points"][1]["metrics"]["x%\r\n::error::d"] = 1;
  });
  const Outcome outcome = check_in(sandbox, "--annotations on");
  const std::vector<std::string> errors = annotations_in(outcome, "error");
  ASSERT_EQ(errors.size(), 2u) << "one gone, one new: " << outcome.out;
  expect_says(errors[1], {"file=s.toml,line=1,title=", "model=50%25%2Ca%3Ab??%3A%3Aerror%3A%3Ac"});
  const std::vector<std::string> warnings = annotations_in(outcome, "warning");
  ASSERT_EQ(warnings.size(), 1u);
  expect_says(warnings[0], {"::x%25??::error::d: 1 -> - moved"});
}

// Of a kind GitHub shows ten.
TEST(CheckAnnotations, AreTenOfAKind) {
  const Sandbox sandbox;
  write_study(sandbox);
  const auto count = [&](int more) {
    edit(sandbox, [&](OrderedJson& baseline) {
      const OrderedJson point = baseline["points"][0];
      for (int i = 0; i < more; ++i) {
        baseline["points"].push_back(point);
        baseline["points"].back()["inputs"]["nodes"] = 10 + baseline["points"].size();
      }
    });
    return annotations_in(check_in(sandbox, "--annotations on"), "error");
  };
  EXPECT_EQ(count(10).size(), 10u);
  const std::vector<std::string> eleven = count(1);
  ASSERT_EQ(eleven.size(), 10u);
  expect_says(eleven.back(), {"::2 more points; the log names all"});
}

// step_time of the reference is that of the scheme times its speed-up.
TEST(CheckReference, SaysWhetherItMovedOrTheScheme) {
  const Sandbox sandbox;
  write_study(sandbox, "baseline = \"twin\"\n");
  const OrderedJson baseline = OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"));
  const auto said = [&](double speedup, double step) {
    OrderedJson changed = baseline;
    OrderedJson& metrics = changed["points"][1]["metrics"];
    metrics["speedup"] = metrics["speedup"].get<double>() * speedup;
    metrics["step_time_s"] = metrics["step_time_s"].get<double>() * step;
    sandbox.write("s.baseline.json", changed.dump());
    return check_in(sandbox, "--tolerance all=off --tolerance speedup=0.1%").out;
  };
  const OrderedJson& metrics = baseline["points"][1]["metrics"];
  const std::string over =
      fmt::format("    over sharded at {:.4g} s a step",
                  metrics["speedup"].get<double>() * metrics["step_time_s"].get<double>());
  expect_says(said(1.25, 1), {over + ": the reference moved -20 %, not the scheme\n"});
  expect_says(said(1.25, 0.8), {over + ", as before\n"});
  expect_says(said(1.25, 2), {over + ": the reference moved -60 %, the scheme -50 %\n"});
  EXPECT_EQ(said(1, 2).find("over sharded"), std::string::npos) << "of speed-ups that moved alone";
}

}  // namespace
}  // namespace apps_tests
