// SPDX-License-Identifier: Apache-2.0
// Tables as text: how wide they are, what pages repeat, and that no line ends in blanks.
#include "sim/base/text_table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace sim {
namespace {

std::string text_of(const TextTable& table, std::size_t width) {
  return plain_text(to_text(table, width));
}

std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Four columns of 3 characters behind labels of 4: 4 + n (2 + 3) characters for n of them.
TextTable four_columns() {
  return {.rows = {heading_row({"", "a", "bb", "ccc", "d"}),
                   {{"a heading that is wider than the table's labels", Style::heading}},
                   {"  up", "1", "2", "3", "4"},
                   {"down", "123", "123", "-", "123"}},
          .column = "scheme"};
}

TEST(TextTable, StandsSideBySideWhereItFits) {
  const std::string wide =
      "        a   bb  ccc    d\n"
      "a heading that is wider than the table's labels\n"
      "  up    1    2    3    4\n"
      "down  123  123    -  123\n";
  EXPECT_EQ(text_of(four_columns(), 24), wide);
  EXPECT_EQ(text_of(four_columns(), 1000), wide);
}

TEST(TextTable, HasPagesThatRepeatTheLabelsWhereItDoesNotFit) {
  const std::string pages =
      "schemes 1 to 3 of 4\n"
      "        a   bb  ccc\n"
      "a heading that is wider than the table's labels\n"
      "  up    1    2    3\n"
      "down  123  123    -\n"
      "\n"
      "scheme 4 of 4\n"
      "        d\n"
      "a heading that is wider than the table's labels\n"
      "  up    4\n"
      "down  123\n";
  EXPECT_EQ(text_of(four_columns(), 23), pages);
  EXPECT_EQ(text_of(four_columns(), 19), pages);
}

TEST(TextTable, HasAtLeastOneColumnOnAPage) {
  const std::string narrow = text_of(four_columns(), 0);
  EXPECT_EQ(narrow, text_of(four_columns(), 13)) << "two columns take 14";
  for (const char* heading : {"scheme 1 of 4\n", "\n\nscheme 2 of 4\n", "\n\nscheme 4 of 4\n"}) {
    EXPECT_NE(narrow.find(heading), std::string::npos) << narrow;
  }
}

TEST(TextTable, NeverEndsALineInBlanks) {
  TextTable table{.rows = {{"label", "", "left", ""}, {"", "", "", ""}, {"x"}, {}, {"y", "1"}},
                  .labels = 2,
                  .align = "<><<"};
  for (std::size_t width = 0; width < 30; ++width) {
    for (const std::string& line : text_lines(text_of(table, width))) {
      EXPECT_TRUE(line.empty() || line.back() != ' ') << width << ": '" << line << "'";
    }
  }
}

TEST(TextTable, CountsCharactersRatherThanBytes) {
  const TextTable table{.rows = {{"\xc3\xa4\xc3\xb6", "\xc3\xbc", "1"}, {"abc", "abc", "abc"}}};
  EXPECT_EQ(text_of(table, 13), "\xc3\xa4\xc3\xb6     \xc3\xbc    1\nabc  abc  abc\n");
}

TEST(TextTable, MarksCellsAndNoBlanks) {
  const TextTable table{.rows = {{"label", {"bad", Style::bad}, {"good", Style::good}}}};
  const StyledText text = to_text(table, 80);
  ASSERT_EQ(text.size(), 5u);
  EXPECT_EQ(text[1].text, "bad");
  EXPECT_EQ(text[1].style, Style::bad);
  EXPECT_EQ(text[2].text, "  ");
  EXPECT_EQ(text[2].style, Style::plain);
  EXPECT_EQ(text[3].style, Style::good);
}

}  // namespace
}  // namespace sim
