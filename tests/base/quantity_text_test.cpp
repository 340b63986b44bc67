// SPDX-License-Identifier: Apache-2.0
#include "sim/base/quantity_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "sim/base/printable.hpp"

namespace {

using namespace sim;

template <class T>
double base_of(const char* text) {
  const Parsed<T> parsed = parse_quantity<T>(text);
  EXPECT_TRUE(parsed.value) << text << ": " << parsed.problem;
  return parsed.value ? parsed.value->base() : -1;
}

std::int64_t bytes_of(const char* text) {
  const Parsed<Bytes> parsed = parse_quantity<Bytes>(text);
  EXPECT_TRUE(parsed.value) << text << ": " << parsed.problem;
  return parsed.value ? parsed.value->count : -1;
}

TEST(QuantityText, IsTheSameValueAsTheLiteralOfThatUnit) {
  EXPECT_EQ(parse_quantity<Bandwidth>("400 Gbps").value, 400_Gbps);
  EXPECT_EQ(parse_quantity<Bandwidth>("25 GBps").value, 25_GBps);
  EXPECT_EQ(parse_quantity<Seconds>("5 us").value, 5_us);
  EXPECT_EQ(parse_quantity<Seconds>("8.4 us").value, 8.4_us);
  EXPECT_EQ(parse_quantity<FlopRate>("312 TFLOPs").value, 312_TFLOPs);
  EXPECT_EQ(parse_quantity<Bytes>("80 GiB").value, 80_GiB);
}

TEST(QuantityText, EightBitsAreAByte) {
  EXPECT_EQ(base_of<Bandwidth>("400 Gbps"), 50e9);
  EXPECT_EQ(base_of<Bandwidth>("400 GBps"), 400e9);
  EXPECT_EQ(base_of<Bandwidth>("8 bps"), base_of<Bandwidth>("1 Bps"));
}

TEST(QuantityText, PrefixesAreDecimalUnlessTheyEndInI) {
  EXPECT_EQ(bytes_of("40 GB"), 40'000'000'000);
  EXPECT_EQ(bytes_of("1 KiB"), 1024);
  EXPECT_EQ(bytes_of("1 kB"), 1000);
  EXPECT_EQ(bytes_of("2 MiB"), 2 * 1024 * 1024);
  EXPECT_EQ(bytes_of("1 TiB"), 1'099'511'627'776);
  EXPECT_EQ(base_of<Bandwidth>("1 kbps"), 125);
  EXPECT_EQ(base_of<Bandwidth>("2 MBps"), 2e6);
  EXPECT_EQ(base_of<Bandwidth>("3 TBps"), 3e12);
  EXPECT_EQ(base_of<FlopRate>("2 PFLOPs"), 2e15);
}

TEST(QuantityText, ReadsEveryOtherDimension) {
  EXPECT_EQ(base_of<Watts>("400 W"), 400);
  EXPECT_EQ(base_of<Watts>("10.2 kW"), 10'200);
  EXPECT_EQ(base_of<DollarRate>("3.6 USD/h"), 0.001);
  EXPECT_EQ(base_of<Seconds>("3 s"), 3);
  EXPECT_EQ(base_of<Seconds>("3 ms"), 3e-3);
  EXPECT_EQ(base_of<Seconds>("130 ns"), 130 / 1e9);
  EXPECT_EQ(base_of<Seconds>("5 min"), 300);
  EXPECT_EQ(base_of<Seconds>("2 h"), 7200);
  EXPECT_EQ(base_of<Seconds>("30 days"), 2'592'000);
  EXPECT_EQ(base_of<Dollars>("2e6 USD"), 2e6);
  EXPECT_EQ(base_of<Dollars>("1.5 MUSD"), 1.5e6);
  EXPECT_EQ(base_of<EnergyPrice>("0.36 USD/kWh"), 1e-7);
  // 1 Tbps is 125e9 bytes per second.
  EXPECT_EQ(base_of<BandwidthPrice>("450 USD/h/Tbps"), 1e-12);
  EXPECT_EQ(base_of<BandwidthPrice>("0.45 USD/h/Gbps"), 1e-12);
}

TEST(QuantityText, BlanksAroundAndBetweenDoNotMatter) {
  EXPECT_EQ(base_of<Seconds>("5us"), 5 / 1e6);
  EXPECT_EQ(base_of<Seconds>("  5   us "), 5 / 1e6);
  EXPECT_EQ(base_of<Bandwidth>("4e2\tGbps"), 50e9);
}

TEST(QuantityText, BytesAreWhole) {
  // 40.1e9 is no exact product of binary fractions, and still means a whole number of bytes.
  EXPECT_EQ(bytes_of("40.1 GB"), 40'100'000'000);
  EXPECT_EQ(bytes_of("1.5 KiB"), 1536);
  EXPECT_NE(parse_quantity<Bytes>("0.1 KiB").problem.find("whole number of bytes"),
            std::string::npos);
  EXPECT_EQ(bytes_of("8192 TiB"), 1LL << 53);
}

TEST(QuantityText, ZeroIsAQuantity) {
  EXPECT_EQ(base_of<Seconds>("0 us"), 0);
  EXPECT_EQ(bytes_of("0 B"), 0);
}

// The limits are in the first unit of the dimension, whatever its base unit.
TEST(QuantityText, OutOfRangeNamesTheLimit) {
  EXPECT_EQ(parse_quantity<Bytes>("8193 TiB").problem,
            "'8193 TiB' is out of range; write at most 9.007e+15 B");
  EXPECT_EQ(parse_quantity<Bytes>("1e18 B").problem,
            "'1e18 B' is out of range; write at most 9.007e+15 B");
  EXPECT_EQ(parse_quantity<Bandwidth>("1e4 PBps").problem,
            "'1e4 PBps' is out of range; write at most 8e+18 bps");
  EXPECT_EQ(parse_quantity<Bandwidth>("1e-3 bps").problem,
            "'1e-3 bps' is out of range; write at least 0.008 bps");
  EXPECT_EQ(parse_quantity<DollarRate>("1e40 USD/h").problem,
            "'1e40 USD/h' is out of range; write at most 3.6e+33 USD/h");
}

struct Refused {
  const char* text;
  const char* says;
};

TEST(QuantityText, RefusesWhatIsNoTimeAndSaysWhatToWrite) {
  const std::array refused{Refused{"2", "'2' has no unit; write e.g. \"2 us\""},
                           Refused{"", "is not a time"},
                           Refused{"  ", "is not a time"},
                           Refused{"us", "does not begin with a number"},
                           Refused{"-3 us", "is negative"},
                           Refused{"nan us", "does not begin with a number"},
                           Refused{"inf us", "does not begin with a number"},
                           Refused{".5 us", "does not begin with a number"},
                           Refused{"1e999 s", "is out of range"},
                           Refused{"1e16 s", "is out of range; write at most 1e+15 s"},
                           Refused{"1e-400 s", "is out of range"},
                           Refused{"1e-7 ns", "is out of range; write at least 1e-15 s"},
                           Refused{"5 us us", "'us us' is not a unit of a time"},
                           Refused{"5 us;", "'us;' is not a unit of a time"},
                           Refused{"5 GB", "write one of s, ms, us, ns"},
                           Refused{"5 US", "'US' is not a unit; did you mean us?"},
                           Refused{"5 m", "did you mean ms or min?"},
                           Refused{"1,5 us", "is not a unit of a time"},
                           Refused{"0x10 us", "is not a unit of a time"}};
  for (const Refused& entry : refused) {
    const Parsed<Seconds> parsed = parse_quantity<Seconds>(entry.text);
    EXPECT_FALSE(parsed.value) << entry.text;
    EXPECT_NE(parsed.problem.find(entry.says), std::string::npos)
        << entry.text << " says: " << parsed.problem;
  }
}

TEST(QuantityText, AsksWhichOfTwoUnitsThatCapitalsTellApart) {
  EXPECT_EQ(parse_quantity<Bandwidth>("400 gbps").problem,
            "'gbps' is not a unit; did you mean Gbps or GBps?");
}

struct Spelling {
  const char* given;
  const char* canonical;
};

template <class T>
void expect_equal(std::span<const Spelling> spellings) {
  for (const auto& [given, canonical] : spellings) {
    EXPECT_EQ(base_of<T>(given), base_of<T>(canonical)) << given;
  }
}

TEST(QuantityText, ReadsTheUnitsThatPeopleWrite) {
  constexpr Spelling kBandwidths[] = {{"400 Gb/s", "400 Gbps"},
                                      {"400Gbit/s", "400 Gbps"},
                                      {"50 GB/s", "50 GBps"},
                                      {"1.6 Tb/s", "1.6 Tbps"}};
  constexpr Spelling kRates[] = {{"989 TFLOP/s", "989 TFLOPs"}, {"989 TFLOPS", "989 TFLOPs"}};
  constexpr Spelling kTimes[] = {
      {"5 \u00b5s", "5 us"}, {"5 \u03bcs", "5 us"}, {"2 usec", "2 us"},     {"3 msec", "3 ms"},
      {"1 sec", "1 s"},      {"1 second", "1 s"},   {"60 seconds", "60 s"}, {"5 mins", "5 min"},
      {"1 minute", "1 min"}, {"2 hr", "2 h"},       {"1 hour", "1 h"},      {"12 hours", "12 h"},
      {"30d", "30 days"},    {"1 day", "1 days"}};
  expect_equal<Bandwidth>(kBandwidths);
  expect_equal<FlopRate>(kRates);
  expect_equal<Seconds>(kTimes);
}

TEST(QuantityText, ReadsMoneyAsPeopleWriteIt) {
  constexpr Spelling kAmounts[] = {{"$3M", "3 MUSD"},
                                   {"$3 M", "3 MUSD"},
                                   {"3M USD", "3 MUSD"},
                                   {"3 M USD", "3 MUSD"},
                                   {"3M$", "3 MUSD"},
                                   {"US$3M", "3 MUSD"},
                                   {"USD 3M", "3 MUSD"},
                                   {"$3 million", "3 MUSD"},
                                   {"$3,000,000", "3000000 USD"},
                                   {"3,000,000 USD", "3e6 USD"},
                                   {"$2.5k", "2.5 kUSD"},
                                   {"$500K", "500 kUSD"},
                                   {"$1B", "1000 MUSD"},
                                   {"$0.99", "0.99 USD"},
                                   {"3_000 $", "3000 USD"}};
  constexpr Spelling kRates[] = {
      {"$2/h", "2 USD/h"}, {"2 $/h", "2 USD/h"}, {"$2/hour", "2 USD/h"}, {"2 USD/hr", "2 USD/h"}};
  constexpr Spelling kEnergies[] = {{"$0.08/kWh", "0.08 USD/kWh"}, {"80 $/MWh", "80 USD/MWh"}};
  constexpr Spelling kTraffic[] = {{"$0.02/GB", "0.02 USD/GB"}};
  expect_equal<Dollars>(kAmounts);
  expect_equal<DollarRate>(kRates);
  expect_equal<EnergyPrice>(kEnergies);
  expect_equal<BytePrice>(kTraffic);
}

TEST(QuantityText, MoneyNeedsItsUnitAndANumber) {
  constexpr Spelling kRefused[] = {{"3M", "did you mean MUSD?"},
                                   {"3000000", "write e.g. \"3000000 USD\""},
                                   {"$", "does not begin with a number"},
                                   {"$M", "does not begin with a number"},
                                   {"$3m", "did you mean MUSD?"},
                                   {"-$3", "is negative"},
                                   {"$-3", "is negative"},
                                   {"$1,5", "is not a unit"},
                                   {"$3/h", "is not a unit"},
                                   {"$1e400", "is out of range"},
                                   {"€3", "does not begin with a number"}};
  for (const auto& [text, says] : kRefused) {
    const Parsed<Dollars> parsed = parse_quantity<Dollars>(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_NE(parsed.problem.find(says), std::string::npos) << text << ": " << parsed.problem;
  }
  EXPECT_EQ(parse_quantity<DollarRate>("$2").problem, "'USD' is not a unit; did you mean USD/h?");
}

// Networks' speeds are always in bits; memory's and NVLink's are not.
TEST(QuantityText, APrefixAloneIsInBitsOnlyWhereTheExampleIs) {
  EXPECT_EQ(parse_quantity<Bandwidth>("400G", "10 Gbps").value, 400_Gbps);
  EXPECT_EQ(parse_quantity<Bandwidth>("1.6T", "10 Gbps").value, 1600_Gbps);
  EXPECT_FALSE(parse_quantity<Bandwidth>("400", "10 Gbps").value);
  EXPECT_FALSE(parse_quantity<Bandwidth>("3.35T", "3350 GBps").value);
  EXPECT_FALSE(parse_quantity<Bandwidth>("400G").value);
}

TEST(QuantityText, KnowsUnitsThatAreCutShort) {
  const auto time = [](const char* text) { return parse_quantity<Seconds>(text).problem; };
  EXPECT_EQ(time("30 da"), "'da' is not a unit; did you mean days?");
  EXPECT_EQ(parse_quantity<Bandwidth>("200 GB").problem, "'GB' is not a unit; did you mean GBps?");
  EXPECT_EQ(parse_quantity<Bandwidth>("200 G").problem,
            "'G' is not a unit; did you mean Gbps or GBps?");
  EXPECT_EQ(parse_quantity<Dollars>("1 M").problem, "'M' is not a unit; did you mean MUSD?");
  EXPECT_NE(time("2 weeks").find("write one of s, ms"), std::string::npos);
}

TEST(QuantityText, SuggestsTheGivenExample) {
  EXPECT_EQ(parse_quantity<Bytes>("160", "160 MiB").problem,
            "'160' has no unit; write e.g. \"160 MiB\"");
  EXPECT_EQ(parse_quantity<Seconds>("soon", "30 ms").problem,
            "'soon' does not begin with a number; write e.g. \"30 ms\"");
}

TEST(QuantityText, SizesAreNeverBitsNorTimes) {
  EXPECT_FALSE(parse_quantity<Bytes>("80 Gb").value);
  EXPECT_FALSE(parse_quantity<Bytes>("80 GBps").value);
  EXPECT_FALSE(parse_quantity<Bandwidth>("80 GB").value);
}

TEST(QuantityText, PrintsThreeDigitsWithThePrefixThatFits) {
  EXPECT_EQ(to_text(3.4_us), "3.40 us");
  EXPECT_EQ(to_text(25_GBps), "25.0 GBps");
  EXPECT_EQ(to_text(312_TFLOPs), "312 TFLOPs");
  EXPECT_EQ(to_text(100_Gbps), "12.5 GBps");
  EXPECT_EQ(to_text(Bytes{40'000'000'000}), "40.0 GB");
  EXPECT_EQ(to_text(Bytes{999}), "999 B");
  EXPECT_EQ(to_text(0_s), "0.00 s");
  EXPECT_EQ(to_text(130_us), "130 us");
  EXPECT_EQ(to_text(86'400_s), "86400 s");
  EXPECT_EQ(to_text(Seconds::from_base(90e-9)), "90.0 ns");
  EXPECT_EQ(to_text(Watts::from_base(10'200)), "10.2 kW");
  EXPECT_EQ(to_text(DollarRate::from_base(0.001)), "3.60 USD/h");
  EXPECT_EQ(to_text(Flop::from_base(2e18)), "2000 PFLOP");
}

TEST(QuantityText, NeverRoundsUpToFourDigits) {
  EXPECT_EQ(to_text(Bandwidth::from_base(999.6e9)), "1.00 TBps");
  EXPECT_EQ(to_text(Seconds::from_base(0.99996e-3)), "1.00 ms");
  EXPECT_EQ(to_text(Seconds::from_base(9.999e-6)), "10.0 us");
}

TEST(QuantityText, WhatIsPrintedReadsBackWithinItsDigits) {
  for (double base = 1.234e-8; base < 1e4; base *= 7.7) {
    const double read = base_of<Seconds>(to_text(Seconds::from_base(base)).c_str());
    EXPECT_NEAR(read / base, 1, 0.5e-2) << base;
  }
  for (double base = 1.234; base < 1e17; base *= 7.7) {
    const double read = base_of<Bandwidth>(to_text(Bandwidth::from_base(base)).c_str());
    EXPECT_NEAR(read / base, 1, 0.5e-2) << base;
  }
}

TEST(JoinedRange, NamesTheUnitOnceWhereBothHaveIt) {
  EXPECT_EQ(joined_range("18.5 Gbps", "26.4 Gbps"), "18.5-26.4 Gbps");
  EXPECT_EQ(joined_range("6.7 B parameters", "7 B parameters", " to "), "6.7 to 7 B parameters");
  EXPECT_EQ(joined_range("950 Mbps", "1.05 Gbps"), "950 Mbps-1.05 Gbps");
  EXPECT_EQ(joined_range("3", "4"), "3-4");
  EXPECT_EQ(joined_range("nowhere", "26.4 Gbps", " to "), "nowhere to 26.4 Gbps");
}

TEST(JoinedRange, OfTimesOrDollarsHasOneUnit) {
  EXPECT_EQ(joined_range("23.8 h", "1.5 days", " to "), "0.99 to 1.5 days");
  EXPECT_EQ(joined_range("18.0 h", "1.5 days"), "0.75-1.5 days");
  EXPECT_EQ(joined_range("45.0 s", "1.5 min"), "0.75-1.5 min");
  EXPECT_EQ(joined_range("950 us", "1.05 ms"), "0.95-1.05 ms");
  EXPECT_EQ(joined_range("987 kUSD", "1.05 MUSD", " to "), "0.99 to 1.05 MUSD");
  // The ends of a search are far apart, and not every range has an end.
  EXPECT_EQ(joined_range("1.00 us", "10.0 s"), "1.00 us-10.0 s");
  EXPECT_EQ(joined_range("23.8 h", "never"), "23.8 h-never");
}

TEST(Printable, IsOneShortLineOfWholeCharacters) {
  EXPECT_EQ(printable("a\nb\tc"), "a?b?c");
  EXPECT_EQ(printable(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(printable(std::string(61, 'x')), std::string(60, 'x') + "...");
  // The 60th byte is the first of a two-byte character, which is left out whole.
  EXPECT_EQ(printable(std::string(59, 'x') + "µm"), std::string(59, 'x') + "...");
}

// ESC and BEL, C1's CSI in UTF-8, marks of direction, an invisible blank; a byte that an 8-bit
// terminal takes for CSI, an overlong ESC, half a character.
constexpr std::string_view kHostile =
    "\x1b[2J\a\xc2\x9b"
    "31m\u202eexe\u2066\u200b\ufeff|\x9b|\xe0\x80\x9b|\xc3";

TEST(Printable, HasNothingThatATerminalObeysOrHides) {
  EXPECT_EQ(printable_line(kHostile, 100), "?[2J??31m?exe???|\ufffd|\ufffd\ufffd\ufffd|\ufffd");
  EXPECT_EQ(printable_lines("a\tb\r\n\x1b"), "a\tb?\n?");
  const std::string kept = "µ, ü, 日本, \U0001f4a9, 25 °C";
  EXPECT_EQ(printable_lines(kept), kept);
}

TEST(Printable, JsonKeepsItsValues) {
  using Json = nlohmann::json;
  const Json json = {{"a\x1b\u009b", "\u202e\U000e0041\n\t"}, {"µ", {1, 2.5, nullptr}}};
  const std::string text = printable_json(json.dump(1));
  EXPECT_EQ(Json::parse(text), json);
  EXPECT_EQ(printable_lines(text), text) << "nothing is left to hide";
}

}  // namespace
