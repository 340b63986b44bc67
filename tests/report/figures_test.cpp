// SPDX-License-Identifier: Apache-2.0
// What every row of the table of figures keeps: its name is its own and says its unit, and it is in
// the JSON of the reports that have it.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
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

// What a name ends in, before what is a range's or a precision's. Texts and counts have no unit.
const std::map<Unit, std::regex>& names_by_unit() {
  static const std::map<Unit, std::regex> names{
      {Unit::share, std::regex("(.*_share|mfu|compute_utilisation|goodput)")},
      {Unit::ratio, std::regex("(speedup|compression_ratio_.*)")},
      {Unit::seconds, std::regex("(?!.*_per_s$).*_s")},
      {Unit::days, std::regex(".*_days")},
      {Unit::per_day, std::regex("(?!tokens).*_per_day")},
      {Unit::bytes, std::regex("(.*_bytes|wire_bytes_.*)")},
      {Unit::bytes_per_s, std::regex(".*_Bps")},
      {Unit::bits, std::regex("bits_.*")},
      {Unit::tokens, std::regex("(?!.*per_million).*_tokens")},
      {Unit::tokens_per_s, std::regex("(.*_)?tokens_per_s")},
      {Unit::tokens_per_day, std::regex("tokens_per_day")},
      {Unit::tflops, std::regex("tflops_.*")},
      {Unit::joules, std::regex(".*_j")},
      {Unit::usd, std::regex(".*_usd")},
      {Unit::usd_per_million_tokens, std::regex("(.*_)?usd_per_million_tokens")},
  };
  return names;
}

TEST(Figures, HaveTheUnitThatTheirNamesSay) {
  for (const Figure& figure : all_figures()) {
    const std::string name =
        std::regex_replace(std::string(figure.name), std::regex("_(low|high)$"), "");
    for (const auto& [unit, pattern] : names_by_unit()) {
      EXPECT_EQ(std::regex_match(name, pattern), unit == figure.unit) << figure.name;
    }
  }
}

TEST(Figures, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Figure& figure : all_figures()) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
  }
}

TEST(Figures, HaveValuesOfTheirUnits) {
  std::set<std::string_view> known;
  for (const Report& report : reports_of_all_kinds()) {
    for (const Figure& figure : all_figures()) {
      if (!figure.when(report)) continue;
      const FigureValue value = figure.value(report);
      if (std::holds_alternative<std::monostate>(value)) continue;
      known.insert(figure.name);
      const bool is_integer = std::holds_alternative<std::int64_t>(value);
      const bool is_number = is_integer || std::holds_alternative<double>(value);
      EXPECT_EQ(std::holds_alternative<std::string>(value), figure.unit == Unit::text)
          << figure.name;
      EXPECT_EQ(std::holds_alternative<bool>(value), figure.unit == Unit::truth) << figure.name;
      EXPECT_TRUE(!is_integer || figure.unit == Unit::count) << figure.name;
      EXPECT_EQ(is_number, figure.unit != Unit::text && figure.unit != Unit::truth) << figure.name;
    }
  }
  for (const Figure& figure : all_figures()) {
    EXPECT_TRUE(known.contains(figure.name)) << figure.name;
  }
}

TEST(Figures, AreTheFlatPartOfTheJson) {
  for (const Report& report : reports_of_all_kinds()) {
    std::set<std::string> expected{"schema_version", "bound"};
    for (const Figure& figure : all_figures()) {
      if (figure.when(report)) expected.emplace(figure.name);
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
