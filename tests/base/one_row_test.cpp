// SPDX-License-Identifier: Apache-2.0
// A new key takes one row: the reader, the writer, settings, the list of keys and the suggestions
// have it from there.
#include <gtest/gtest.h>

#include <array>

#include "sim/base/fields.hpp"
#include "tests/input_errors.hpp"

namespace {

using namespace sim;

struct Lamp {
  int bulbs = 1;
  Watts power = Watts::from_base(5);  // the new one
};

constexpr std::array kOldRows{
    field<&Lamp::bulbs>("bulbs", from_to(1, 9), kUsualValue, "Bulbs."),
};
constexpr std::array kNewRows{
    kOldRows[0],
    field<&Lamp::power>("power", kAboveZero, kUsualValue, "Power of a bulb."),
};
using LampRows = std::span<const Field<Lamp>>;

Lamp read_lamp(LampRows rows, const std::string& text, std::span<const Setting> settings = {}) {
  TomlReader reader(parse_toml(text, "lamp.toml", settings));
  Lamp lamp;
  read_fields(reader, "lamp", rows, lamp);
  reader.finish();
  return lamp;
}

std::string lamp_error_of(LampRows rows, const std::string& text,
                          std::vector<Setting> settings = {}) {
  return input_error_of([&] { static_cast<void>(read_lamp(rows, text, settings)); });
}

constexpr const char* kLampText = "[lamp]\nbulbs = 2\npower = \"7 W\"\n";

TEST(OneRow, IsReadAndWritten) {
  EXPECT_EQ(lamp_error_of(kOldRows, kLampText),
            "lamp.toml:3:1: power: unknown key; known here: bulbs");
  const Lamp lamp = read_lamp(kNewRows, kLampText);
  EXPECT_EQ(lamp.power, Watts::from_base(7));
  EXPECT_EQ("[lamp]\n" + written_fields(kNewRows, lamp, Lamp()), kLampText);
}

TEST(OneRow, IsSet) {
  const std::vector<Setting> set{{"lamp.power", "9 W"}};
  EXPECT_EQ(read_lamp(kNewRows, "[lamp]\nbulbs = 2\n", set).power, Watts::from_base(9));
  EXPECT_EQ(lamp_error_of(kNewRows, "[lamp]\nbulbs = 2\n", {{"lamp.power", "9"}}),
            "`set` lamp.power: '9' has no unit; write e.g. \"9 W\"");
}

TEST(OneRow, IsListed) {
  const KeyTable table = KeyTable().add("lamp", kNewRows, Lamp());
  const TomlKey* row = row_of(table.keys(), "lamp.power");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->value, "power above 0");
  EXPECT_EQ(row->usual, "5 W");
  EXPECT_EQ(row->meaning, "Power of a bulb.");
}

// A row with a function of its own, of a key without a member.
TEST(OneRow, WithoutAMemberIsNeededAndNotWritten) {
  constexpr std::array kRows{
      Field<Lamp>{.name = "pair",
                  .value = field_values::words<bool>,
                  .read = [](TomlReader& reader, std::string_view key, const Field<Lamp>&,
                             Lamp& lamp) { lamp.bulbs = reader.boolean(key) ? 2 : 1; }}};
  EXPECT_EQ(read_lamp(kRows, "[lamp]\npair = true\n").bulbs, 2);
  EXPECT_EQ(lamp_error_of(kRows, "[lamp]\n"), "lamp.toml:1:2: [lamp]: missing key pair; add it");
  EXPECT_EQ(written_fields(kRows, Lamp{2}, Lamp()), "");
}

TEST(OneRow, IsSuggested) {
  EXPECT_EQ(lamp_error_of(kNewRows, "[lamp]\npowr = \"7 W\"\n"),
            "lamp.toml:2:1: powr: unknown key; did you mean power?");
}

}  // namespace
