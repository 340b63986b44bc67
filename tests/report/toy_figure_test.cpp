// SPDX-License-Identifier: Apache-2.0
// A new figure is one row: JSON and CSV have it without another line of code.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/report/writers.hpp"
#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

FigureValue tokens_per_byte(const Report& report) {
  return report.tokens_per_s * report.time_s / report.memory.total();
}

std::vector<Figure> with_toy() {
  std::vector<Figure> figures = all_figures();
  figures.push_back({"toy_tokens_per_byte", Unit::ratio, tokens_per_byte});
  return figures;
}

TEST(ToyFigure, IsInJsonAndCsv) {
  const std::vector<Report> reports{all_reports().front()};
  const std::vector<Figure> figures = with_toy();
  const double toy = std::get<double>(tokens_per_byte(reports.front()));
  ASSERT_GT(toy, 0);
  EXPECT_EQ(nlohmann::json::parse(to_json(reports, figures)).at("toy_tokens_per_byte"), toy);
  const std::string csv = to_csv(reports, figures), before = to_csv(reports);
  const auto line_end = csv.find('\n');
  EXPECT_EQ(csv.substr(0, line_end), before.substr(0, before.find('\n')) + ",toy_tokens_per_byte");
  EXPECT_NE(csv.find("," + nlohmann::json(toy).dump() + "\n", line_end), std::string::npos);
}

TEST(ToyFigure, IsAbsentWhereItDoesNotExist) {
  std::vector<Figure> figures = with_toy();
  figures.back().when = [](const Report& report) { return report.round.has_value(); };
  const std::vector<Report> reports{all_reports().front()};
  EXPECT_EQ(to_json(reports, figures), to_json(reports));
}

}  // namespace
}  // namespace sim
