// SPDX-License-Identifier: Apache-2.0
// What check writes: cases of JUnit by distinct names.
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/apps/checks.hpp"

namespace apps_tests {
namespace {

using OrderedJson = nlohmann::ordered_json;

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

}  // namespace
}  // namespace apps_tests
