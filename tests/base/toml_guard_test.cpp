// SPDX-License-Identifier: Apache-2.0
#include "sim/base/toml_guard.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

using namespace sim;

struct Text {
  const char* text;
  std::uint32_t column;  // of the first line, where it is unsafe; 0: it is safe
};

// What the parser would refuse at the same place by chance is undefined behaviour all the same, so
// that only the guard itself can show that it never gets there.
TEST(TomlGuard, StopsWhatTheParserTakesForGranted) {
  const std::array texts{Text{"[%]", 1},
                         Text{"[", 0},
                         Text{"[ \t%]", 1},
                         Text{"[\n]", 1},
                         Text{"[[%]]", 1},
                         Text{"[[a]]", 0},
                         Text{"[\"%\"]", 0},
                         Text{"a = [\n[{}]]", 0},
                         Text{"a = [}", 6},
                         Text{"a = [{}]", 0},
                         Text{"a = {b = [}", 11},
                         Text{"a = }", 0},
                         Text{"1979-05-27T", 1},
                         Text{"a = 1979-05-27 5#", 5},
                         Text{"a=1_9_79-05-_27 5#", 3},
                         Text{"a = [1,1979-05-27]", 8},
                         Text{"a = 07:32:00", 0},
                         Text{"a = \"1979-05-27\" # 1979-05-27", 0},
                         Text{"a = 1979-5-27", 0},
                         Text{"k1979-05-27 = 1", 0},
                         Text{"\xC8\x9E", 1},
                         Text{"a = \"\xC8\x9E\" # \xC8\x9E", 0},
                         Text{"a\xC8\x9E", 2},
                         Text{"a = 0\"\xC8\x9E\"", 6},
                         Text{"a = \"b\"'\xC8\x9E'", 8},
                         Text{"'a'.\"b\" = [\"\", {'c'=''}]", 0},
                         Text{"a = \"\"\"\\ \xC8\x9E\"\"\"", 10},
                         Text{"a = \"\\ \xC8\x9E\"", 0}};
  for (const Text& entry : texts) {
    const std::optional<UnsafeToml> found = find_unsafe_toml(entry.text);
    EXPECT_EQ(found ? found->place.column : 0, entry.column) << entry.text;
    EXPECT_EQ(found ? found->place.line : 1, 1u) << entry.text;
  }
}

TEST(TomlGuard, CountsPartsAndBracketsTogether) {
  const auto nested = [](int brackets, int dots) {
    std::string text = "a = ";
    for (int i = 0; i < brackets; ++i) text += "[";
    text += "{a";
    for (int i = 0; i < dots; ++i) text += ".a";
    return text;
  };
  EXPECT_FALSE(find_unsafe_toml(nested(31, 31)));  // 31 + 1 brackets, 31 dots: 63
  EXPECT_TRUE(find_unsafe_toml(nested(31, 32)));
  EXPECT_TRUE(find_unsafe_toml(nested(32, 31)));
}

}  // namespace
