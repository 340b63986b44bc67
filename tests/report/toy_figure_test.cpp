// SPDX-License-Identifier: Apache-2.0
// A new figure is one row: JSON, CSV and the table have it without another line of code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/writers.hpp"
#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

std::optional<FigureValue> share_of_toys(const Report& report) { return report.step->mfu / 2; }
std::optional<FigureValue> no_toys(const Report&) { return std::nullopt; }

std::vector<Figure> with_toy(std::optional<FigureValue> (*value)(const Report&)) {
  std::vector<Figure> figures(all_figures().begin(), all_figures().end());
  figures.push_back({"toy_share", kSmallPercent, value, "share of toys"});
  return figures;
}

class ToyFigure : public testing::Test {
 protected:
  const std::vector<Report> reports{all_reports().front()};
  const double toy = reports.front().step->mfu / 2;
  const std::vector<Figure> figures = with_toy(share_of_toys);
};

TEST_F(ToyFigure, IsInJson) {
  EXPECT_EQ(nlohmann::json::parse(to_json(reports, figures)).at("toy_share"), toy);
}

TEST_F(ToyFigure, IsAColumnOfCsv) {
  const std::string csv = to_csv(reports, figures), before = to_csv(reports);
  const auto line_end = csv.find('\n');
  EXPECT_EQ(csv.substr(0, line_end), before.substr(0, before.find('\n')) + ",toy_share");
  EXPECT_TRUE(csv.ends_with("," + nlohmann::json(toy).dump() + "\n"));
}

TEST_F(ToyFigure, IsARowOfTheTable) {
  const std::string table = plain_text(to_table(reports, 100, figures));
  const auto row = table.find("\nshare of toys ");
  ASSERT_NE(row, std::string::npos) << table;
  const std::string line = table.substr(row, table.find('\n', row + 1) - row);
  EXPECT_TRUE(line.ends_with(fmt::format(" {:.2f} %", 100 * toy))) << line;
}

TEST_F(ToyFigure, IsNowhereInReportsOfAnotherKind) {
  const std::vector<Figure> without = with_toy(no_toys);
  EXPECT_EQ(to_json(reports, without), to_json(reports));
  EXPECT_EQ(to_csv(reports, without), to_csv(reports));
  EXPECT_EQ(plain_text(to_table(reports, 100, without)), plain_text(to_table(reports, 100)));
}

}  // namespace
}  // namespace sim
