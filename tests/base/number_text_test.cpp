// SPDX-License-Identifier: Apache-2.0
#include "sim/base/number_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace sim {
namespace {

struct Spelling {
  const char* given;
  double value;
  Counting counting = Counting::small;
};

constexpr Spelling kWhole[] = {{"8", 8},
                               {" 8 ", 8},
                               {"-3", -3},
                               {"1e12", 1e12},
                               {"1E3", 1000},
                               {"15e12", 15e12},
                               {"2T", 2e12},
                               {"1.5T", 1.5e12},
                               {"1.1 T", 1.1e12},
                               {"0.3B", 3e8},
                               {"2 trillion", 2e12},
                               {"7 billion", 7e9},
                               {"1.3 million", 1.3e6},
                               {"20 thousand", 20'000},
                               {"64Ki", 65'536},
                               {"1.5 Ki", 1536},
                               {"4Mi", 4'194'304},
                               {"1Gi", 0x1p30},
                               {"2Ti", 0x1p41},
                               {"2_000_000", 2e6},
                               {"2,000,000", 2e6, Counting::large},
                               {"256,512", 256'512, Counting::large},
                               {"8k", 8000, Counting::large},
                               {"500K", 500'000, Counting::large},
                               {"4M", 4e6, Counting::large},
                               {"2G", 2e9, Counting::large}};

TEST(NumberText, ReadsEverySpellingAsTheSameNumber) {
  for (const auto& [text, value, counting] : kWhole) {
    const Parsed<std::int64_t> count = parse_count(text, counting);
    const Parsed<double> number = parse_number(text, counting);
    ASSERT_TRUE(count.value) << text << ": " << count.problem;
    ASSERT_TRUE(number.value) << text << ": " << number.problem;
    EXPECT_EQ(static_cast<double>(*count.value), value) << text;
    EXPECT_EQ(*number.value, value) << text;
  }
}

TEST(NumberText, ReadsSharesAndRatiosExactly) {
  constexpr Spelling kNumbers[] = {{"2%", 0.02}, {"2 %", 0.02},  {"99.5%", 0.995}, {"101%", 1.01},
                                   {"2:1", 2},   {"3 : 2", 1.5}, {"1:4", 0.25},    {".5", 0.5},
                                   {"0.9", 0.9}, {"1e-3", 1e-3}, {"-0.5", -0.5},   {"1.5T", 1.5e12},
                                   {"0%", 0}};
  for (const auto& [text, value, counting] : kNumbers) {
    const Parsed<double> number = parse_number(text, counting);
    ASSERT_TRUE(number.value) << text << ": " << number.problem;
    EXPECT_EQ(*number.value, value) << text;
  }
}

TEST(NumberText, WholeNumbersBeyondWhatDoublesHoldStayExact) {
  EXPECT_EQ(parse_count("9007199254740993").value, 9'007'199'254'740'993);
  EXPECT_EQ(parse_count(" -9223372036854775808").value, std::numeric_limits<std::int64_t>::min());
}

struct Refused {
  const char* text;
  const char* problem;
};

TEST(NumberText, SaysWhatIsWrongAndWhatToWrite) {
  constexpr Refused kRefused[] = {{"", "'' is not a whole number; write e.g. 8"},
                                  {"T", "'T' is not a whole number; write e.g. 8"},
                                  {"many", "'many' is not a whole number; write e.g. 8"},
                                  {"nan", "'nan' is not a whole number; write e.g. 8"},
                                  {"inf", "'inf' is not a whole number; write e.g. 8"},
                                  {"0x10", "'0x10' is not a whole number; write e.g. 8"},
                                  {"+8", "'+8' is not a whole number; write e.g. 8"},
                                  {"8q", "'8q' is not a whole number; write e.g. 8"},
                                  {"1e3T", "'1e3T' is not a whole number; write e.g. 8"},
                                  {"2t", "'2t' is not a whole number; did you mean 2T?"},
                                  {"64ki", "'64ki' is not a whole number; did you mean 64Ki?"},
                                  {"8K", "'8K' may mean 8000 or 8192; write one of them"},
                                  {"1.5k", "'1.5k' may mean 1500 or 1536; write one of them"},
                                  {"1M", "'1M' may mean 1000000 or 1048576; write one of them"},
                                  {"1.5", "'1.5' is not a whole number; write 1 or 2"},
                                  {"0.0001Ki", "'0.0001Ki' is not a whole number; write 0 or 1"},
                                  {"50%", "'50%' is not a whole number; write e.g. 8"},
                                  {"2:1", "'2:1' is not a whole number; write e.g. 8"},
                                  {"1e400", "'1e400' is out of range; write e.g. 8"},
                                  {"1e19", "'1e19' is out of range; write e.g. 8"},
                                  {"1,2", "'1,2' is not a whole number; write e.g. 8"},
                                  {"256,512", "'256,512' is not a whole number; write e.g. 8"},
                                  {"1,,2", "'1,,2' is not a whole number; write e.g. 8"}};
  for (const auto& [text, problem] : kRefused) {
    const Parsed<std::int64_t> count = parse_count(text);
    EXPECT_FALSE(count.value) << text;
    EXPECT_EQ(count.problem, problem);
  }
}

TEST(NumberText, RefusesWhatIsNoNumberAtAll) {
  constexpr Refused kRefused[] = {
      {"2:0", "'2:0' divides by 0; write e.g. 2:1"},
      {"2:", "'2:' is not a number; write e.g. 0.5 or 50%"},
      {"2:-1", "'2:-1' is not a number; write e.g. 0.5 or 50%"},
      {"2:1:1", "'2:1:1' is not a number; write e.g. 0.5 or 50%"},
      {"2%%", "'2%%' is not a number; write e.g. 0.5 or 50%"},
      {"%", "'%' is not a number; write e.g. 0.5 or 50%"},
      {"1e308:1e-308", "'1e308:1e-308' is out of range; write e.g. 0.5 or 50%"}};
  for (const auto& [text, problem] : kRefused) {
    const Parsed<double> number = parse_number(text);
    EXPECT_FALSE(number.value) << text;
    EXPECT_EQ(number.problem, problem);
  }
}

TEST(NumberText, GroupsOfThousandsHaveThreeDigits) {
  for (const char* text : {"1,5", "1000,000", ",000", "1,0000", "1,000,", "1,,000", "1,000_000"}) {
    EXPECT_FALSE(parse_number(text, Counting::large).value) << text;
  }
}

TEST(NumberText, VeryLongTextIsCutInTheMessage) {
  const std::string digits(100'000, '9');
  EXPECT_LT(parse_count(digits).problem.size(), 200u);
  EXPECT_LT(parse_number(std::string(100'000, 'x')).problem.size(), 200u);
}

}  // namespace
}  // namespace sim
