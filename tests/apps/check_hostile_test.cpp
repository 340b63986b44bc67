// SPDX-License-Identifier: Apache-2.0
// check, where the baseline, the results or the flags are hostile, and where names are.
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/apps/checks.hpp"

namespace apps_tests {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Damaging = std::function<void(OrderedJson& baseline)>;

TEST(CheckHostile, BaselineWithOneDamagedValueIsRefused) {
  const Sandbox sandbox;
  write_study(sandbox);
  const OrderedJson baseline = OrderedJson::parse(text_of(sandbox.path() / "s.baseline.json"));
  const Damaging damages[] = {
      [](OrderedJson& b) { b = OrderedJson::array(); },
      [](OrderedJson& b) { b = 5; },
      [](OrderedJson& b) { b["gardenhose_baseline"] = 2; },
      [](OrderedJson& b) { b["gardenhose_baseline"] = "1"; },
      [](OrderedJson& b) { b.erase("gardenhose_baseline"); },
      [](OrderedJson& b) { b["more"] = 1; },
      [](OrderedJson& b) { b["version"] = 1; },
      [](OrderedJson& b) { b["files"] = OrderedJson::array(); },
      [](OrderedJson& b) { b["files"]["a"] = 1; },
      [](OrderedJson& b) { b["tolerances"] = nullptr; },
      [](OrderedJson& b) { b["tolerances"]["all"] = 1; },
      [](OrderedJson& b) { b["tolerances"]["all"] = "on"; },
      [](OrderedJson& b) { b["tolerances"]["all"]["relative"] = -1; },
      [](OrderedJson& b) { b["tolerances"]["all"].erase("absolute"); },
      [](OrderedJson& b) { b["tolerances"]["all"]["relativ"] = 1; },
      [](OrderedJson& b) { b["tolerances"]["step_tim_s"] = "off"; },
      [](OrderedJson& b) { b["require"] = "mfu>=0"; },
      [](OrderedJson& b) { b["require"] = {1}; },
      [](OrderedJson& b) { b["require"] = {"mfu=>0"}; },
      [](OrderedJson& b) { b["require"] = {std::string(100'000, 'x') + ">=1"}; },
      [](OrderedJson& b) { b["require"] = {"mfu>=0 @ " + std::string(100'000, 'x') + "=1"}; },
      [](OrderedJson& b) { b["require"] = {"mfu>=0\n"}; },
      [](OrderedJson& b) { b["require"] = {"nosuch>=0"}; },
      [](OrderedJson& b) { b["usual"] = OrderedJson::array(); },
      [](OrderedJson& b) { b["usual"].erase("setup"); },
      [](OrderedJson& b) { b["usual"]["more"] = OrderedJson::object(); },
      [](OrderedJson& b) { b["usual"]["setup"]["gpus"] = 4; },
      [](OrderedJson& b) { b["points"] = OrderedJson::object(); },
      [](OrderedJson& b) { b["points"][0] = 1; },
      [](OrderedJson& b) { b["points"][1] = b["points"][0]; },
      [](OrderedJson& b) { b["points"][0].erase("state"); },
      [](OrderedJson& b) { b["points"][0]["state"] = OrderedJson::array(); },
      [](OrderedJson& b) { b["points"][0]["inputs"] = "a"; },
      [](OrderedJson& b) { b["points"][0]["inputs"]["nodes"] = OrderedJson::array({1}); },
      [](OrderedJson& b) { b["points"][0]["inputs"]["nodes"] = nullptr; },
      [](OrderedJson& b) { b["points"][0]["metrics"] = nullptr; },
      [](OrderedJson& b) { b["points"][0]["metrics"]["mfu"] = "0.1"; },
      [](OrderedJson& b) { b["points"][0]["setup"]["gpus"] = 4; },
      [](OrderedJson& b) { b["points"][0]["sources"]["gpu"] = OrderedJson::object(); },
  };
  for (const Damaging& damage : damages) {
    OrderedJson damaged = baseline;
    damage(damaged);
    SCOPED_TRACE(damaged.dump().substr(0, 300));
    sandbox.write("bad.json", damaged.dump());
    expect_refused(check_in(sandbox, "--baseline bad.json"), "bad.json");
  }
}

TEST(CheckHostile, AToleranceThatAllowsEverythingIsRefused) {
  const Sandbox sandbox;
  write_study(sandbox);
  const Outcome forgotten = check_in(sandbox, "--update --tolerance mfu=2");
  expect_refused(forgotten, "--tolerance");
  EXPECT_NE(forgotten.err.find("write mfu=2% for a relative tolerance"), std::string::npos)
      << forgotten.err;
  const Outcome meant = check_in(sandbox, "--update --tolerance all=off --tolerance mfu=2%");
  EXPECT_NE(meant.out.find("tolerance: mfu 2 %, all others off\n"), std::string::npos) << meant.out;
}

TEST(CheckHostile, BaselineThatIsNoneIsRefusedAndStays) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string text = text_of(sandbox.path() / "s.baseline.json");
  std::string binary;
  for (int c = 0; c < 256; ++c) binary += static_cast<char>(c);
  for (const std::string& hostile :
       {std::string(), text.substr(0, text.size() / 2), binary, "<<<<<<< ours\n" + text, text + "x",
        std::string(1 << 20, '['), "{\"points\": " + std::string(1 << 20, '['),
        replaced_in(text, "\"points\":", "\"points\": [], \"points\":"),
        replaced_in(text, "\"mfu\":0.", "\"mfu\": 1e999, \"x\": 0."),
        replaced_in(text, "\"mfu\":0.", "\"mfu\": NaN, \"x\": 0.")}) {
    sandbox.write("bad.json", hostile);
    for (const char* flags : {"--baseline bad.json", "--baseline bad.json --update"}) {
      expect_refused(check_in(sandbox, flags), "bad.json");
    }
    EXPECT_EQ(text_of(sandbox.path() / "bad.json"), hostile);
  }
}

TEST(CheckHostile, FlagsAreRefusedWhereTheyWereGiven) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::vector<std::string> before = sandbox.names();
  struct Refusal {
    const char* flags;
    const char* place;
  };
  for (const auto& [flags, place] : {
           Refusal{"--tolerance step_time_s", "--tolerance"},
           {"--tolerance =1%", "--tolerance"},
           {"--tolerance step_time_s=", "--tolerance"},
           {"--tolerance step_time_s=-1%", "--tolerance"},
           {"--tolerance step_time_s=nan", "--tolerance"},
           {"--tolerance step_time_s=1e999", "--tolerance"},
           {"--tolerance step_time_s=1%,2%", "--tolerance"},
           {"--tolerance step_time_s=1,2", "--tolerance"},
           {"--tolerance step_time_s=1s", "--tolerance"},
           {"--tolerance step_tim_s=1%", "--tolerance"},
           {"--require speedup", "--require"},
           {"--require speedup=>1", "--require"},
           {"--require speedup==1", "--require"},
           {"--require speedup>=x", "--require"},
           {"--require speedup>=nan", "--require"},
           {"--require speedup>=1e999", "--require"},
           {"--require >=1", "--require"},
           {"--require nosuch>=1", "--require"},
           {"--require all>=1", "--require"},
           {"--require scheme>=1", "--require"},
           {"--require step_time_s<=50%", "--require"},
           {"--require step_time_s<=2GB", "--require"},
           {"--require mfu>=0@", "--require"},
           {"--require mfu>=0@scheme", "--require"},
           {"--require mfu>=0@schem=sdp4bit", "--require"},
           {"--require mfu>=0@scheme=sdp5bit", "--require"},
           {"--require codec_error.none<1", "--require"},
           {"--require speedup>=1", "--require"},  // without a twin
           {"--baseline none.json --require mfu>=0", "none.json"},
           {"--annotations yes", "--annotations"},
           {"--update --strict", "--update"},
           {"--update --junit x.xml", "--update"},
           {"-j 0", "-j"},
           {"--baseline none.json", "none.json"},
           {"--baseline /no/such/folder/b.json --update", "/no/such/folder/b.json"},
           {"--junit /no/such/folder/c.xml", "/no/such/folder/c.xml"},
           {"--markdown .", "."},
           {"--nodes 2", "--nodes"},
       }) {
    SCOPED_TRACE(flags);
    expect_refused(check_in(sandbox, flags), place);
  }
  expect_refused(run({"check"}, sandbox.path()), "gardenhose check");
  expect_refused(run(words("check r.json -j 2"), sandbox.path()), "-j");
  expect_refused(run({"check", "-"}, sandbox.path()), "--baseline");
  expect_refused(run(words("check none.toml --update"), sandbox.path()), "none.toml");
  expect_refused(run(words("check none.sqlite --update"), sandbox.path()), "none.sqlite");
  expect_refused(run(words("check none.json --baseline s.baseline.json"), sandbox.path()),
                 "none.json");
  EXPECT_EQ(sandbox.names(), before) << "something was written";
}

TEST(CheckHostile, ResultsThatRunDoesNotPrintAreRefused) {
  const Sandbox sandbox;
  const Outcome outcome =
      run(words("run --topology sdp4bit_a100 --model gpt_125m --nodes 1 --format json"),
          sandbox.path());
  const OrderedJson report = OrderedJson::parse(outcome.out);
  const Damaging damages[] = {
      [](OrderedJson& r) { r = 1; },
      [](OrderedJson& r) { r = OrderedJson::array(); },
      [](OrderedJson& r) { r = OrderedJson::array({1}); },
      [](OrderedJson& r) { r.erase("scheme"); },
      [](OrderedJson& r) { r["model"] = 1; },
      [](OrderedJson& r) { r["model"] = "a\nb"; },
      [](OrderedJson& r) { r.erase("step_time_s"); },
      [](OrderedJson& r) { r["step_time_s"] = "1"; },
      [](OrderedJson& r) { r["fits_memory"] = "yes"; },
      [](OrderedJson& r) { r.erase("fits_memory"); },
      [](OrderedJson& r) { r["sources"] = "a"; },
      [](OrderedJson& r) { r["codec_error"] = OrderedJson::array(); },
  };
  for (const Damaging& damage : damages) {
    OrderedJson damaged = report;
    damage(damaged);
    SCOPED_TRACE(damaged.dump().substr(0, 300));
    sandbox.write("r.json", damaged.dump());
    expect_refused(run(words("check r.json --update"), sandbox.path()), "r.json");
  }
  EXPECT_EQ(sandbox.names(), Arguments{"r.json"});
}

TEST(CheckHostile, AStoreWithOpenPointsIsRefused) {
  const Sandbox sandbox;
  ASSERT_NO_FATAL_FAILURE(interrupt(sandbox, "sweep s.toml -j 1"));
  expect_refused(run(words("check s.sqlite --update"), sandbox.path()), "s.sqlite");
}

// Texts of a baseline may hold anything; what is made of them is text, XML and a table all the same.
TEST(CheckHostile, NamesAreEscapedWhereTheyAreShown) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string hostile =
      "<a&b>\"'|`x``|\n\t\x1b[31m\x7f\x01\xc2\x9b]]>\xef\xbf\xbf --> \xf0\x9f\x92\xa9";
  edit(sandbox, [&](OrderedJson& baseline) {
    baseline["points"][0]["inputs"]["model"] = hostile;
    baseline["points"][1]["metrics"][hostile] = 1;
    baseline["points"][1]["sources"][hostile] = hostile;
    baseline["points"][0]["state"] = hostile;
    baseline["version"] = "<script>|`";
  });
  const Outcome outcome = check_in(sandbox, "--junit c.xml --markdown c.md");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  expect_valid_junit(sandbox, "c.xml");
  const std::string xml = text_of(sandbox.path() / "c.xml");
  const std::string markdown = text_of(sandbox.path() / "c.md");
  EXPECT_EQ(xml.find("<a&b>"), std::string::npos);
  expect_says(xml, {"&lt;a&amp;b&gt;", "\xf0\x9f\x92\xa9"});
  expect_says(markdown, {"<a&b>\"'\\|`x``\\|??", "\xf0\x9f\x92\xa9"});
  for (const std::string& text : {outcome.out, xml, markdown}) {
    for (const char c : text) {
      EXPECT_TRUE(c == '\n' || std::iscntrl(static_cast<unsigned char>(c)) == 0) << text;
    }
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << "a control character too";
  }
  // Six bars that nothing escapes in each row, besides those within code.
  for (const std::string& line : lines_of(markdown)) {
    if (!line.starts_with("| ")) continue;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    EXPECT_EQ(bars, 7U) << line;
  }
}

// A file's name is bytes: what is not UTF-8 in it is replaced.
TEST(CheckHostile, NamesOfFilesNeedNotBeUtf8) {
  const Sandbox sandbox;
  write_study(sandbox);
  const std::string name = "\xff\xfe<&>.toml";
  std::filesystem::rename(sandbox.path() / "s.toml", sandbox.path() / name);
  sandbox.write("table.json", slower_table(1.03));
  const Outcome outcome = run(
      {"check", name, "--baseline", "s.baseline.json", "--junit", "c.xml", "--markdown", "c.md"},
      sandbox.path());
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  expect_valid_junit(sandbox, "c.xml");
  expect_says(text_of(sandbox.path() / "c.md"), {"\xef\xbf\xbd\xef\xbf\xbd<&>.toml`"});
}

// What the page of a job holds is 1 MiB.
TEST(CheckHostile, TheSummaryOfManyDifferencesIsShort) {
  const Sandbox sandbox;
  write_study(sandbox);
  edit(sandbox, [&](OrderedJson& baseline) {
    for (int i = 0; i < 5000; ++i) {
      const std::string name = std::to_string(i) + std::string(1000, 'x');
      baseline["points"][0]["metrics"][name] = 1;
      baseline["points"][0]["setup"][name] = name;
    }
  });
  EXPECT_EQ(check_in(sandbox, "--markdown c.md --junit c.xml").code, 0) << "nothing is worse";
  const std::string markdown = text_of(sandbox.path() / "c.md");
  EXPECT_LT(markdown.size(), 1'000'000u);
  expect_says(markdown, {"... and 4500 more", "... and 4900 more"});
  expect_valid_junit(sandbox, "c.xml");
}

}  // namespace
}  // namespace apps_tests
