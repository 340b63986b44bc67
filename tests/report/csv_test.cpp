// SPDX-License-Identifier: Apache-2.0
// CSV as RFC 4180 has it: one header, a row a scheme, as many fields in each.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"
#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Quoted fields may hold commas, line ends and doubled quotes.
Rows parse_csv(const std::string& text) {
  Rows rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = rows.back().back();
    const char letter = text[i];
    if (quoted && letter == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (letter == '\n' && !quoted) {
      rows.push_back({""});
    } else {
      field += letter;
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(rows.back(), std::vector<std::string>{""}) << "the last line ends";
  rows.pop_back();
  return rows;
}

TEST(Csv, HasOneHeaderAndARowASchemeWithAsManyFields) {
  const auto reports = all_reports();
  const Rows rows = parse_csv(to_csv(reports));
  ASSERT_EQ(rows.size(), 1 + reports.size());
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows.front().size());
  const std::set<std::string> names(rows.front().begin(), rows.front().end());
  EXPECT_EQ(names.size(), rows.front().size()) << "a name is twice in the header";
}

TEST(Csv, HasTheFieldsOfTheJson) {
  auto reports = all_reports();
  reports.back().baseline = "sharded";  // a comparison in one row adds no field to it alone
  reports.back().speedup = 1.5;
  const auto json = nlohmann::json::parse(to_json(reports));
  const Rows rows = parse_csv(to_csv(reports));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
      const std::string& name = rows.front()[column];
      const std::string& field = rows[i + 1][column];
      ASSERT_TRUE(json[i].contains(name)) << name;
      const auto& value = json[i][name];
      if (value.is_number()) {
        EXPECT_EQ(std::stod(field), value.get<double>()) << name;
      } else if (value.is_string()) {
        EXPECT_EQ(field, value.get<std::string>()) << name;
      } else {
        EXPECT_EQ(field, value.is_null() ? "" : value.dump()) << name;
      }
    }
  }
}

TEST(Csv, QuotesWhatItGivesAMeaning) {
  Report report = all_reports().front();
  report.topology = "a,\"b\"\nc";
  const Rows rows = parse_csv(to_csv({&report, 1}));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].size(), rows[0].size());
  EXPECT_EQ(rows[1].front(), report.topology);
}

// A message begins with the flag that it is about, a name with whatever its author likes.
TEST(Csv, HasNothingThatASpreadsheetComputes) {
  const nlohmann::ordered_json record = {{"a", "=1+1"},     {"b", "+cmd|'/C calc'!A0"},
                                         {"c", "--tp: 3"},  {"d", "@SUM(A1)"},
                                         {"=e,", "-1.5e3"}, {"f", "+2"},
                                         {"g", -1},         {"h", "a=b"}};
  const Rows rows = parse_csv(csv_text({record}));
  EXPECT_EQ(rows[0][4], "'=e,");
  EXPECT_EQ(rows[1], (std::vector<std::string>{"'=1+1", "'+cmd|'/C calc'!A0", "'--tp: 3",
                                               "'@SUM(A1)", "-1.5e3", "+2", "-1", "a=b"}));
}

}  // namespace
}  // namespace sim
