// SPDX-License-Identifier: Apache-2.0
#include "sim/base/toml_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/input_errors.hpp"

namespace {

using namespace sim;

enum class Color { red, green };
constexpr std::array kColors{EnumName<Color>{"red", Color::red},
                             EnumName<Color>{"green", Color::green}};

struct Paint {
  std::string name;
  std::int64_t coats = 0;
  double gloss = 0;
  Seconds drying;
  Color color = Color::red;
  bool lead = false;
  std::vector<std::int64_t> layers;
};

Paint read_paint(const std::string& text, std::vector<Setting> settings = {}) {
  TomlReader reader(parse_toml(text, "x.toml", settings));
  Paint paint;
  paint.name = reader.text("name");
  paint.coats = reader.integer("paint.coats", {1, 5});
  paint.gloss = reader.number("paint.gloss", kShare);
  paint.drying = reader.quantity<Seconds>("paint.drying");
  paint.color = reader.one_of<Color>("paint.color", kColors);
  paint.lead = reader.boolean("paint.lead");
  if (reader.has("paint.layers")) paint.layers = reader.integers("paint.layers", {0, 9});
  reader.finish();
  return paint;
}

std::string error_of(const std::string& text, std::vector<Setting> settings = {}) {
  std::string error = input_error_of([&] { static_cast<void>(read_paint(text, settings)); });
  expect_located(error, "x.toml");
  return error;
}

constexpr const char* kGood =
    "name = \"wall\"\n[paint]\ncoats = 2\ngloss = 0.5\ndrying = \"3 s\"\ncolor = \"green\"\nlead = "
    "false\n";

TEST(TomlReader, ReadsEveryType) {
  const Paint paint = read_paint(std::string(kGood) + "layers = [1, 0]\n");
  EXPECT_EQ(paint.name, "wall");
  EXPECT_EQ(paint.coats, 2);
  EXPECT_EQ(paint.gloss, 0.5);
  EXPECT_EQ(paint.drying, 3_s);
  EXPECT_EQ(paint.color, Color::green);
  EXPECT_FALSE(paint.lead);
  EXPECT_EQ(paint.layers, (std::vector<std::int64_t>{1, 0}));
  EXPECT_TRUE(read_paint(kGood).layers.empty());
}

TEST(TomlReader, NamesAllProblemsOfAFileInItsOrder) {
  EXPECT_EQ(error_of("nam = \"wall\"\n[paint]\ncoats = 9\ngloss = nan\ndrying = 3\ncolor = "
                     "\"blue\"\nlayers = [10]\n"),
            "x.toml:1:1: missing key name; add it before the first table\n"
            "x.toml:1:1: nam: unknown key; did you mean name?\n"
            "x.toml:2:2: [paint]: missing key lead; add it\n"
            "x.toml:3:1: coats: 9 is out of range; write a whole number from 1 to 5\n"
            "x.toml:4:1: gloss: nan is out of range; write a number above 0 and at most 1\n"
            "x.toml:5:1: drying: '3' has no unit; write e.g. \"3 us\"\n"
            "x.toml:6:1: color: 'blue' is not one of: red, green\n"
            "x.toml:7:1: layers: 10 is out of range; write a whole number from 0 to 9");
}

TEST(TomlReader, ReportsAnAbsentTableOnce) {
  EXPECT_EQ(error_of("name = \"wall\"\n"),
            "x.toml:1:1: missing table [paint]; add it with coats, gloss, drying, color, lead");
}

TEST(TomlReader, ReportsAnUnknownTableOnce) {
  EXPECT_EQ(error_of(std::string(kGood) + "[pain]\na = 1\nb = 2\n[pain.t]\nc = 1\n"),
            "x.toml:8:2: pain: unknown table; did you mean [paint]?");
  EXPECT_EQ(error_of(std::string(kGood) + "[window]\na = 1\n"),
            "x.toml:8:2: window: unknown table; remove it");
}

// A dotted key in quotes opens no table that could be unknown.
TEST(TomlReader, ReportsAnUnknownKeyInQuotes) {
  for (const char* key : {"pain.lead", "window.a.b", "paint.leda", "name.first"}) {
    const std::string text = "\"" + std::string(key) + "\" = 1\n" + kGood;
    const std::string error = error_of(text);
    EXPECT_TRUE(error.starts_with("x.toml:1:1: ")) << error;
    EXPECT_NE(error.find(": unknown key; "), std::string::npos) << error;
  }
}

TEST(TomlReader, ReadsNumbersAsPeopleWriteThem) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kGood;
    const auto at = text.find(from);
    return text.replace(at, text.find('\n', at) - at, to);
  };
  for (const char* coats : {"coats = 3.0", "coats = 3e0", "coats = \"3\"", "coats = \" 3 \""}) {
    EXPECT_EQ(read_paint(with("coats = ", coats)).coats, 3) << coats;
  }
  for (const char* gloss : {"gloss = \"25%\"", "gloss = \"1:4\"", "gloss = \"0.25\""}) {
    EXPECT_EQ(read_paint(with("gloss = ", gloss)).gloss, 0.25) << gloss;
  }
}

struct Wrong {
  const char* line;  // added to, or in place of, the line of kGood with the same key
  const char* says;
};

TEST(TomlReader, RefusesEveryOtherType) {
  const std::array wrong{
      Wrong{"coats = 2.5", "coats: is a number with a fraction; write a whole number"},
      Wrong{"coats = \"2.5\"", "coats: '2.5' is not a whole number; write 2 or 3"},
      Wrong{"coats = \"two\"", "coats: 'two' is not a whole number; write e.g. 8"},
      Wrong{"coats = \"8K\"", "coats: '8K' may mean 8000 or 8192; write one of them"},
      Wrong{"coats = 1e30", "coats: is a number with a fraction; write a whole number"},
      Wrong{"coats = true", "coats: is a boolean; write a whole number"},
      Wrong{"coats = [2]", "coats: is a list; write a whole number"},
      Wrong{"coats = 07:32:00", "coats: is a time; write a whole number"},
      Wrong{"gloss = \"half\"", "gloss: 'half' is not a number; write e.g. 0.5"},
      Wrong{"gloss = \"101 %\"", "gloss: 1.01 is out of range"},
      Wrong{"gloss = true", "gloss: is a boolean; write a number without quotes"},
      Wrong{"gloss = 0", "gloss: 0 is out of range"},
      Wrong{"gloss = -0.0", "gloss: -0 is out of range"},
      Wrong{"gloss = 1.0000001", "gloss: 1.0000001 is out of range"},
      Wrong{"gloss = inf", "gloss: inf is out of range"},
      Wrong{"drying = \"-3 s\"", "drying: '-3 s' is negative"},
      Wrong{"drying = \"0 s\"", "drying: is 0; write more than 0"},
      Wrong{"drying = true", "drying: 'true' does not begin with a number"},
      Wrong{"drying = [\"3 s\"]", "drying: '' is not a time"},
      Wrong{"color = 1", "color: is a whole number; write a string in quotes"},
      Wrong{"color = \"\"", "color: is empty"},
      Wrong{"color = \"a\\nb\"", "color: 'a?b' is not one of: red, green"},
      Wrong{"lead = 0", "lead: is a whole number; write true or false"},
      Wrong{"layers = 1", "layers: is not a list of whole numbers"},
      Wrong{"layers = [1.5]", "layers: is not a list of whole numbers"},
      Wrong{"layers = [[1]]", "layers: is not a list of whole numbers"},
      Wrong{"layers = [{a = 1}]", "layers: is not a list of whole numbers"},
      Wrong{"coats.a = 2", "coats: is a table; write a value"}};
  for (const Wrong& entry : wrong) {
    const std::string line = entry.line;
    const std::string key = line.substr(0, line.find_first_of(" ."));
    std::string text;
    for (const std::string& good : lines_of(kGood)) {
      if (!good.starts_with(key + " ")) text += good + "\n";
    }
    const std::string error = error_of(text + line + "\n");
    EXPECT_NE(error.find(entry.says), std::string::npos) << line << " says: " << error;
  }
}

TEST(TomlReader, LocatesWhatASettingBrokeAtTheSetting) {
  EXPECT_EQ(error_of(kGood, {{"paint.drying", "3"}}),
            "`set` paint.drying: '3' has no unit; write e.g. \"3 us\"");
  EXPECT_EQ(error_of(kGood, {{"paint.dryng", "3 s"}}),
            "`set` paint.dryng: unknown key; did you mean drying?");
  EXPECT_EQ(error_of(kGood, {{"drying", "3 s"}}),
            "`set` drying: unknown key; did you mean paint.drying?");
  EXPECT_EQ(error_of(kGood, {{"panit.drying", "3 s"}}),
            "`set` panit: unknown table; did you mean [paint]?");
}

TEST(TomlReader, TakesWhatASettingMended) {
  EXPECT_EQ(read_paint(kGood, {{"paint.drying", "9 s"}}).drying, 9_s);
  EXPECT_EQ(read_paint(kGood, {{"paint.color", "red"}}).color, Color::red);
}

TEST(TomlReader, SaysWhyAKeyDoesNotApply) {
  TomlReader reader(parse_toml("a = 1\n", "x.toml"));
  reader.inapplicable("a", "does not apply here; remove it");
  reader.inapplicable("b", "is not there, so nothing is wrong with it");
  EXPECT_EQ(input_error_of([&] { reader.finish(); }),
            "x.toml:1:1: a: does not apply here; remove it");
}

TEST(TomlReader, StopsAfterAHundredLines) {
  std::string text = kGood;
  for (int i = 0; i < 20'000; ++i) text += "key_" + std::to_string(i) + " = 1\n";
  const std::vector<std::string> lines = lines_of(error_of(text));
  ASSERT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines.back(), "x.toml: more than 100 problems; the rest are omitted");
}

}  // namespace
