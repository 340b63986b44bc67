// SPDX-License-Identifier: Apache-2.0
#include "sim/base/fields.hpp"

#include <gtest/gtest.h>

#include "tests/base/toy_fields.hpp"
#include "tests/input_errors.hpp"

namespace {

using namespace toys;

const std::string kLeastToy = "[toy]\nname = \"T\"\nrate = \"2 GBps\"\n";

std::string toy_error_of(const std::string& lines) {
  return input_error_of([&] { static_cast<void>(read_toy(kLeastToy + lines)); });
}

TEST(Fields, ReadEachKindOfValue) {
  const Toy toy = read_toy(kLeastToy +
                           "wheels = 3\ngrip = 0.25\nloud = true\nmemory = \"4 KiB\"\n"
                           "most_rate = \"5 GBps\"\nengine = \"diesel\"\ncolour = \"red\"\n"
                           "seats = [2, 0]\nfast_efficiency = 0.9\nfast_latency = \"3 us\"\n");
  EXPECT_EQ(toy.name, "T");
  EXPECT_EQ(toy.wheels, 3);
  EXPECT_EQ(toy.grip, 0.25);
  EXPECT_TRUE(toy.loud);
  EXPECT_EQ(toy.rate, 2_GBps);
  EXPECT_EQ(toy.memory, 4_KiB);
  EXPECT_EQ(toy.most_rate, 5_GBps);
  EXPECT_EQ(toy.engine, &kDiesel);
  EXPECT_EQ(toy.colour, Colour::red);
  EXPECT_EQ(toy.seats, (std::vector{2, 0}));
  EXPECT_EQ(toy.fast, (Pace{3_us, 0.9}));
}

TEST(Fields, LeaveWhatIsUsualWithoutTheirKeys) {
  Toy usual;
  usual.name = "T";
  usual.rate = usual.most_rate = 2_GBps;
  EXPECT_EQ(read_toy(kLeastToy), usual) << "most_rate is filled from rate";
}

TEST(Fields, AreWrittenAsTheyAreRead) {
  const std::vector<std::string> texts = {"",
                                          "wheels = 8\n",
                                          "grip = 0.1\nloud = true\n",
                                          "memory = \"7 B\"\n",
                                          "most_rate = \"17 GBps\"\n",
                                          "engine = \"diesel\"\ncolour = \"red\"\n",
                                          "loud = true\nseats = [9]\n",
                                          "loud = true\n[toy.paint]\ncoats = 1\n",
                                          "fast_efficiency = 0.3\nfast_latency = \"0 s\"\n",
                                          "fast_efficiency = 1\nfast_latency = \"3.3 ns\"\n"};
  for (const std::string& text : texts) {
    const Toy toy = read_toy(kLeastToy + text);
    const std::string written = written_fields(kToyFields, toy, Toy(), "toy");
    EXPECT_EQ(read_toy(written), toy) << written;
  }
}

TEST(Fields, WriteNothingThatIsUsualButWhatIsWrittenOut) {
  EXPECT_EQ(written_fields(kToyFields, read_toy(kLeastToy), Toy(), "toy"),
            "\n" + kLeastToy + "[toy.paint]\nmaker = \"any\"\n");
}

TEST(Fields, OfInnerTablesAreWrittenAfterTheOthers) {
  const std::string inner = "[toy.paint]\nmaker = \"M\"\ncoats = 3\n";
  const Toy toy = read_toy(kLeastToy + "loud = true\n" + inner);
  EXPECT_EQ(toy.paint, (Paint{"M", 3}));
  EXPECT_TRUE(written_fields(kToyFields, toy, Toy(), "toy").ends_with(inner));
  EXPECT_EQ(written_fields(kPaintRows, toy, Toy(), "toy"), "\n" + inner);
}

TEST(Fields, WriteQuantitiesExactly) {
  for (const double base : {1e-9, 1.0 / 3, 0.1 + 0.2, 3.4e-6, 86400.0 * 7}) {
    Toy toy = read_toy(kLeastToy);
    toy.most_rate = Bandwidth::from_base(1e10 * (1 + base));
    toy.fast = {Seconds::from_base(base), 1};
    const Toy read = read_toy(written_fields(kToyFields, toy, Toy(), "toy"));
    EXPECT_EQ(read, toy) << base;
  }
}

TEST(Fields, GiveOneLocatedMessageForABadValue) {
  struct Bad {
    const char* line;
    const char* message;
  };
  constexpr Bad kBad[] = {
      {"wheels = 9", "wheels: 9 is out of range; write a whole number from 1 to 8"},
      {"wheels = \"9\"", "wheels: 9 is out of range; write a whole number from 1 to 8"},
      {"grip = 0", "grip: 0 is out of range; write a number above 0 and at most 1"},
      {"loud = 1", "loud: is a whole number; write true or false"},
      {"memory = 7", "memory: '7' has no unit; write e.g. \"7 GB\""},
      {"memory = \"0 B\"", "memory: is 0; write more than 0"},
      {"engine = \"steem\"", "engine: 'steem' is not one of: steam, diesel; did you mean steam?"},
      {"engine = \"x\"", "engine: 'x' is not one of: steam, diesel; a motor is diesel"},
      {"whels = 3", "whels: unknown key; did you mean wheels?"},
      {"most_rate = \"1 GBps\"", "most_rate: is below the rate; write more"},
  };
  for (const Bad& bad : kBad) {
    EXPECT_EQ(toy_error_of(std::string(bad.line) + "\n"),
              std::string("x.toml:4:1: ") + bad.message);
  }
}

TEST(Fields, AreWrongWhereTheyDoNotApply) {
  EXPECT_EQ(toy_error_of("engine = \"steam\"\ncolour = \"red\"\n"),
            "x.toml:5:1: colour: does not apply with engine steam; remove it");
  EXPECT_EQ(toy_error_of("seats = [1]\n"), "x.toml:4:1: seats: goes with loud = true");
}

TEST(Fields, AreNotReadWhereTheyAreWrongAlready) {
  TomlReader reader(parse_toml(kLeastToy + "wheels = 9\n", "x.toml"));
  reader.inapplicable("toy.wheels", "is refused");
  Toy toy;
  read_fields(reader, "toy", kToyFields, toy);
  EXPECT_EQ(input_error_of([&] { reader.finish(); }), "x.toml:4:1: wheels: is refused");
}

TEST(Fields, AreReadThoughTheirChooserIsWrong) {
  EXPECT_EQ(toy_error_of("loud = 1\nseats = [10]\n"),
            "x.toml:4:1: loud: is a whole number; write true or false\n"
            "x.toml:5:1: seats: 10 is out of range; write a whole number from 0 to 9");
}

TEST(Fields, AreMissedWhereTheyAreNeeded) {
  const std::string none =
      input_error_of([] { static_cast<void>(read_toy("[toy]\nwheels = 3\n")); });
  EXPECT_EQ(none,
            "x.toml:1:2: [toy]: missing key name; add it\n"
            "x.toml:1:2: [toy]: missing key rate; add it");
  EXPECT_EQ(toy_error_of("fast_latency = \"1 us\"\n"),
            "x.toml:1:2: [toy]: missing key fast_efficiency; add it");
  EXPECT_EQ(toy_error_of("fast_efficiency = 1\n"),
            "x.toml:1:2: [toy]: missing key fast_latency; add it");
}

TEST(Fields, NeedNoPartnerWhereTheStructHasAValue) {
  TomlReader reader(parse_toml(kLeastToy + "fast_latency = \"1 us\"\n", "x.toml"));
  Toy toy;
  toy.fast = Pace{9_us, 0.7};
  read_fields(reader, "toy", kToyFields, toy);
  reader.finish();
  EXPECT_EQ(toy.fast, (Pace{1_us, 0.7}));
}

TEST(Fields, LeaveRulesSilentAboutWrongValues) {
  EXPECT_EQ(
      input_error_of([] {
        static_cast<void>(read_toy("[toy]\nname = \"T\"\nrate = 3\nmost_rate = \"1 GBps\"\n"));
      }),
      "x.toml:3:1: rate: '3' has no unit; write e.g. \"3 GBps\"");
  EXPECT_EQ(input_error_of([] {
              static_cast<void>(read_toy("[toy]\nname = \"T\"\nmost_rate = \"1 GBps\"\n"));
            }),
            "x.toml:1:2: [toy]: missing key rate; add it");
}

TEST(Fields, AreAListOfKeys) {
  const auto shown = [&](std::string_view key) {
    const TomlKey* row = row_of(toy_keys(), key);
    return row == nullptr ? "" : std::string(row->value) + "|" + std::string(row->usual);
  };
  EXPECT_EQ(toy_keys().size(), std::size(kToyFields));
  EXPECT_EQ(shown("toy.name"), "string|");
  EXPECT_EQ(shown("toy.wheels"), "whole number from 1 to 8|4");
  EXPECT_EQ(shown("toy.grip"), "number above 0 and at most 1|0.5");
  EXPECT_EQ(shown("toy.loud"), "true or false|false");
  EXPECT_EQ(shown("toy.memory"), "size above 0|none");
  EXPECT_EQ(shown("toy.engine"), "one of steam, diesel|steam");
  EXPECT_EQ(shown("toy.colour"), "one of red, green|green");
  EXPECT_EQ(shown("toy.seats"), "list of whole numbers|none");
  EXPECT_EQ(shown("toy.fast_latency"), "time|none");
}

}  // namespace
