// SPDX-License-Identifier: Apache-2.0
// What every row of the table of figures keeps: its name is its own and says its unit, and it is in
// the JSON of the reports that have it.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/report/writers.hpp"
#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

// Steps, a step whose optional parts are all there, and a round likewise.
std::vector<Report> reports_of_all_kinds() {
  std::vector<Report> reports = all_reports();
  Report step = reports.front();
  step.node_placement = "packed";
  step.baseline = "sharded";
  step.verdict = Verdict::win;
  step.speedup_range = {1, 2};
  step.range = LikelyRange{1, 2, 3, 4};
  step.flags = step.baseline_flags = "--zero 3";
  step.break_even = {.pays_at_Bps = 1e9, .loses_at_Bps = 2e9};
  step.goodput = GoodputFigures{.target = TokenTarget{}};
  Report round = reports.front();
  round.step.reset();
  round.round = RoundFigures{};
  round.membership = MembershipFigures{.undone_share = 0.1, .saved_share = 0.2};
  round.membership->target = TokenTarget{};
  reports.push_back(step);
  reports.push_back(round);
  return reports;
}

// What a name says, but for the end of a range, by the symbol of its unit. Without one, a name says
// the unit in full, or the figure is a text or a count.
const std::map<std::string_view, std::regex>& names_by_symbol() {
  static const std::map<std::string_view, std::regex> names{
      {"%", std::regex("(.*_share|mfu|compute_utilisation|goodput)")},
      {"×", std::regex("(speedup|compression_ratio_.*)")},
      {"s", std::regex("(?!.*_per_s$).*_s")},
      {"days", std::regex(".*_days")},
      {"B", std::regex("(.*_bytes|wire_bytes_.*)")},
      {"B/s", std::regex(".*_Bps")},
      {"tokens/s", std::regex("(.*_)?tokens_per_s")},
      {"J", std::regex(".*_j")},
      {"USD", std::regex("(.*_usd|(.*_)?usd_per_.*)")},
  };
  return names;
}

TEST(Figures, HaveTheUnitThatTheirNamesSay) {
  for (const Figure& figure : all_figures()) {
    const std::string name =
        std::regex_replace(std::string(figure.name), std::regex("_(low|high)$"), "");
    for (const auto& [symbol, pattern] : names_by_symbol()) {
      EXPECT_EQ(std::regex_match(name, pattern), symbol == figure.unit.symbol) << figure.name;
    }
  }
}

// More seconds, bytes, joules and dollars are worse, as are fewer tokens and lower shares and ratios.
// Ends of a range go with the figure itself.
TEST(Figures, GetWorseInTheDirectionOfTheirUnit) {
  const std::map<std::string_view, Worse> by_symbol{
      {"s", Worse::more},   {"days", Worse::more},     {"B", Worse::more}, {"J", Worse::more},
      {"USD", Worse::more}, {"tokens/s", Worse::less}, {"%", Worse::less}, {"×", Worse::less}};
  int directed = 0;
  for (const Figure& figure : all_figures()) {
    if (figure.worse == Worse::neither) continue;
    ++directed;
    if (const auto expected = by_symbol.find(figure.unit.symbol); expected != by_symbol.end()) {
      EXPECT_EQ(figure.worse, expected->second) << figure.name;
    }
    EXPECT_FALSE(figure.name.ends_with("_low") || figure.name.ends_with("_high")) << figure.name;
  }
  EXPECT_GT(directed, 0);
}

TEST(Figures, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Figure& figure : all_figures()) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
  }
}

bool is_of(FigureKind kind, const FigureValue& value) {
  switch (kind) {
    case FigureKind::number:
      return std::holds_alternative<double>(value);
    case FigureKind::count:
      return std::holds_alternative<std::int64_t>(value);
    case FigureKind::text:
      return std::holds_alternative<std::string>(value);
    case FigureKind::truth:
      return std::holds_alternative<bool>(value);
  }
  return false;
}

template <class Of>
void expect_kinds(std::span<const FigureOf<Of>> figures, const std::vector<Of>& all) {
  std::set<std::string_view> known;
  for (const Of& of : all) {
    for (const FigureOf<Of>& figure : figures) {
      const FigureValue value = figure.value(of).value_or(nullptr);
      if (std::holds_alternative<std::nullptr_t>(value)) continue;
      known.insert(figure.name);
      EXPECT_TRUE(is_of(figure.unit.kind, value)) << figure.name;
    }
  }
  for (const FigureOf<Of>& figure : figures) {
    EXPECT_TRUE(known.contains(figure.name)) << figure.name << " is in none of them";
  }
}

TEST(Figures, AreOfTheKindThatTheirRowsSay) {
  expect_kinds(all_figures(), reports_of_all_kinds());
  expect_kinds(site_figures(), std::vector<SiteReport>(1));
  expect_kinds(sensitivity_figures(), std::vector<Sensitivity>(1));
  expect_kinds(link_figures(), std::vector<LinkUse>(1));
  expect_kinds(pareto_figures(), std::vector<ParetoPlace>{{.error = 0.1}});
}

TEST(Figures, AreTheFlatPartOfTheJson) {
  for (const Report& report : reports_of_all_kinds()) {
    std::set<std::string> expected{"schema_version", "bound"};
    for (const Figure& figure : all_figures()) {
      if (figure.value(report)) expected.emplace(figure.name);
    }
    std::set<std::string> flat;
    const auto json = nlohmann::json::parse(to_json({&report, 1}));
    for (const auto& [name, value] : json.items()) {
      if (!value.is_structured()) flat.insert(name);
    }
    EXPECT_EQ(flat, expected) << report.scheme;
  }
}

TEST(Figures, AreNullWhereTheyAreInfinite) {
  Report report = all_reports().front();
  report.time_s = std::numeric_limits<double>::infinity();
  nlohmann::ordered_json record;
  add_figures(all_figures(), report, record);
  EXPECT_TRUE(record.at("step_time_s").is_null());
}

}  // namespace
}  // namespace sim
