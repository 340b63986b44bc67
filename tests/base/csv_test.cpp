// SPDX-License-Identifier: Apache-2.0
#include "sim/base/csv.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/input_errors.hpp"

namespace {

std::vector<std::string> fields_of_line(const std::string& line) {
  const auto rows = sim::parse_csv("a,b,c\n" + line + "\n", "sample.csv");
  return {rows.at(0).text("a"), rows.at(0).text("b"), rows.at(0).text("c")};
}

TEST(Csv, AFieldInQuotesContainsCommas) {
  using Fields = std::vector<std::string>;
  EXPECT_EQ(fields_of_line("1, two ,3"), (Fields{"1", "two", "3"}));
  EXPECT_EQ(fields_of_line("1,\"x,y, z\",3"), (Fields{"1", "x,y, z", "3"}));
  EXPECT_EQ(fields_of_line(" \"x,y\" ,\"\",\"z\""), (Fields{"x,y", "", "z"}));
  EXPECT_EQ(fields_of_line("a \"b\",2,3"), (Fields{"a \"b\"", "2", "3"}));
  EXPECT_EQ(fields_of_line(",,"), (Fields{"", "", ""}));
}

TEST(Csv, AHyphenStandsForWhatIsNotKnown) {
  const auto rows = sim::parse_csv("a,b,c\n-,2.5,x\n", "sample.csv");
  EXPECT_EQ(rows.at(0).known("a"), std::nullopt);
  EXPECT_EQ(rows.at(0).known("b"), 2.5);
  EXPECT_EQ(input_error_of([&] { (void)rows.at(0).known("c"); }),
            "sample.csv:2:1: c: 'x' is not a number above 0");
}

TEST(Csv, BeginsWithItsHeaderWhateverMarkASpreadsheetWrites) {
  const auto rows = sim::parse_csv(
      "\xef\xbb\xbf"
      "a,b\n1,2\n",
      "sample.csv");
  EXPECT_EQ(rows.at(0).number("a"), 1);
}

// The later one would win.
TEST(Csv, AColumnIsGivenOnce) {
  const std::string error =
      input_error_of([] { (void)sim::parse_csv("# sizes\na,b, a\n1,2,3\n", "sample.csv"); });
  EXPECT_EQ(error, "sample.csv:2:1: a: is the name of two columns; keep one");
}

TEST(Csv, AFieldWithoutItsLastQuoteIsTheRestOfTheLine) {
  const std::string error =
      input_error_of([] { (void)sim::parse_csv("a,b,c\n1,\"x,3\n", "sample.csv"); });
  EXPECT_EQ(error, "sample.csv:2:1: 2 fields for 3 columns");
}

// A double beyond the range of an int has no int, and a part of a node is none.
TEST(Csv, AnIntegerIsWholeAndInRange) {
  const auto rows = sim::parse_csv("a,b,c,d\n3e2,1.5,1e300,2147483648\n", "sample.csv");
  EXPECT_EQ(rows.at(0).integer("a"), 300);
  for (const char* column : {"b", "c", "d"}) {
    const std::string error = input_error_of([&] { (void)rows.at(0).integer(column); });
    EXPECT_NE(error.find("is not a whole number from 1 to 2147483647"), std::string::npos) << error;
  }
  EXPECT_EQ(input_error_of([&] { (void)rows.at(0).integer("a", 299); }),
            "sample.csv:2:1: a: 300 is not a whole number from 1 to 299");
  EXPECT_EQ(input_error_of([&] { (void)rows.at(0).number_within("a", 1, 10); }),
            "sample.csv:2:1: a: 300 is out of range; write a number from 1 to 10");
}

}  // namespace
