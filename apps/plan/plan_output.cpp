// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "apps/data_files.hpp"
#include "apps/plan/plan_answer.hpp"
#include "apps/plan/plan_json.hpp"
#include "apps/plan/plan_rows.hpp"
#include "apps/plan/plan_upgrades.hpp"
#include "apps/plan/run_line.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/text_table.hpp"
#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"
#include "sim/study/plan/take.hpp"
#include "sim/study/search/verdict.hpp"
#include "sim/topology/ranks.hpp"

namespace apps {
namespace {

using sim::long_time_text;
using sim::study::Improvement;
using sim::study::PlanGoal;
using sim::study::PlanReport;
using sim::study::PlanRow;
using sim::study::Searched;
using Json = nlohmann::ordered_json;

bool has_sites(const Places& places) {
  return std::ranges::any_of(places, &PlanOptions::is_wide_area);
}

void print_rows(const Places& places, const PlanReport& report) {
  sim::TextTable table{.align = ">"};
  table.rows.push_back(sim::heading_row({""}));
  for (const Cell& cell :
       cells_of(report.rows.front(), rows_of(places), bill_of_row(places, report.rows.front()))) {
    table.rows.front().emplace_back(cell.heading, sim::Style::heading);
  }
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(fmt::format("{:>2}", i + 1));
    for (Cell& cell :
         cells_of(report.rows[i], rows_of(places), bill_of_row(places, report.rows[i])))
      row.emplace_back(std::move(cell.text));
  }
  print_styled(to_text(table, output_width()));
}

void print_upgrades(const Places& places, const PlanReport& report) {
  const std::vector<Upgrade> upgrades = upgrades_of(places, report);
  if (!upgrades.empty()) print_text("\nupgrades of plan 1, at the price of its hours\n");
  for (const Upgrade& one : upgrades) print_text("  {}\n", text_of(one));
}

std::string usd_text(double usd) {
  return (usd < 0 ? "-" : "") + to_text(sim::Dollars::from_base(std::abs(usd)));
}

// What is worth less than a thousandth of the price is left to --format json.
void print_improvements(const Places& places, const PlanReport& report) {
  const double price = question_of(places).buy ? 0 : report.rows.front().price.total();
  print_text(
      "\n"
      "where to spend the next dollar, for plan 1: the gain in throughput from a 1 % increase in\n"
      "each item, and the saving from a 10 % increase (a 10 % decrease for times)\n");
  for (const Improvement& one : report.improvements) {
    if (std::abs(one.sensitivity) < 0.001 || one.saves_usd < price / 1000) continue;
    const std::string costs = one.costs_usd ? ", costs " + usd_text(*one.costs_usd) : "";
    const std::string saves = price > 0 ? "  saves " + usd_text(one.saves_usd) + costs : "";
    print_text("  {:<17} {:+6.2f} %{}  ({})\n", one.name, one.sensitivity, saves, one.meaning);
  }
}

// What becomes of --algorithm and --protocol, over all plans.
std::set<std::string> asked_lines(const PlanReport& report) {
  std::set<std::string> lines;
  for (const PlanRow& row : report.rows) {
    for (const auto& [key, source] : row.report.sources) {
      const bool of_asked =
          key.ends_with("collectives.algorithm") || key.ends_with("collectives.protocol");
      if (of_asked) lines.insert(fmt::format("{} {}", key, source));
    }
  }
  return lines;
}

// Where nobody has asked for failures: how many a plan's time is silent about.
void print_expected_interruptions(const PlanOptions& options, const PlanRow& row) {
  if (options.is_wide_area || row.report.goodput) return;
  constexpr const char* kUsual = "llama3_h100";
  const sim::Reliability usual = sim::read_reliability(data_file(Kind::reliability, kUsual));
  const sim::Cluster& given = options.question.job.cluster();
  const double expected = sim::expected_interruptions(
      usual, part_of(given, row.chosen.nodes, given.gpus_per_node), row.time_s);
  const sim::CountRange range = sim::likely_count(expected, usual.failures.spread);
  print_text(
      "not counted: {:.3g} interruptions in {} of plan 1, likely {:.0f} to {:.0f}, at the rates of "
      "{}; --reliability {} adds what they cost\n",
      expected, long_time_text(row.time_s), range.low, range.high, kUsual, kUsual);
}

void print_notes(const Places& places, const PlanReport& report) {
  print_styled({{sim::kRangeNote, sim::Style::note}});
  for (const std::string& topology : report.state_on_hosts) {
    print_text(
        "nothing fits{} with the optimizer's state on the GPUs: all plans keep it on the hosts "
        "(--optimizer-state host)\n",
        places.size() > 1 ? " on " + topology : "");
  }
  const std::size_t alike = not_told_apart(report, question_of(places).goal);
  if (alike > 1) {
    const bool by_time = question_of(places).goal.aim == sim::study::Aim::fastest;
    print_text(
        "{} of these plans {} as far as predictions can tell: differences below {:.1f} % are not "
        "told "
        "apart\n",
        alike, by_time ? "are as fast" : "cost the same", 100 * (sim::study::least_win() - 1));
  }
  print_expected_interruptions(places[report.rows.front().question], report.rows.front());
  for (const std::string& line : asked_lines(report)) print_text("{}\n", line);
  const bool marked =
      std::ranges::any_of(report.rows, [](const PlanRow& row) { return row.over_critical_batch; });
  if (marked) {
    print_text(
        "!: the step exceeds --critical-batch, {:g} tokens: reaching the same loss may take more "
        "tokens\n",
        *question_of(places).critical_batch);
  }
  const Searched& searched = report.searched;
  if (searched.not_held > 0) {
    print_text("left out: {} layouts with more micro-batches than a simulation can hold\n",
               searched.not_held);
  }
  print_text(
      "searched: {} setups, {} of those examined too large for a GPU's memory; {} schedules "
      "planned, {} {}steps simulated{}{}\n",
      searched.setups, searched.too_large, searched.planned, searched.simulated,
      has_sites(places) ? "inner " : "",
      has_sites(places) ? fmt::format(" for {} rounds", searched.rounds) : "",
      question_of(places).exhaustive ? " (all)" : "");
}

// With the last NICs that were tried, those of the answer.
void print_compression(const Places& places, const PlanReport& report) {
  if (report.compression.size() < 2) return;
  const sim::study::PlanCompression& last = report.compression.back();
  print_text("\ncompression at {}\n", sim::gbps_text(last.nics));
  for (const std::string& line : run_lines(places[report.rows.front().question], last)) {
    print_text("    {}\n", line);
  }
}

void print_table(const Places& places, const PlanReport& report) {
  const std::string limits = limits_text(question_of(places));
  const std::string_view aim = sim::name_of(question_of(places).goal.aim, sim::study::kAims);
  print_answer(answer_of(places, report));
  print_text("{:g} tokens of {} on {}: {}{}\n\n", question_of(places).goal.tokens, report.model,
             report.topology, aim, limits);
  print_rows(places, report);
  print_text(
      "\n"
      "bottleneck of each plan, and the command that simulates its {}\n",
      places.front().among_both ? "step or round"
      : has_sites(places)       ? "round"
                                : "step");
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const PlanRow& row = report.rows[i];
    const std::string lost =
        i == 0 ? ""
               : "; against plan 1: " + why_not(row, report.rows.front(), question_of(places).goal);
    print_text("{:>2}  {}: {}{}\n    {}\n", i + 1,
               to_text(sim::Seconds::from_base(row.report.time_s)), row.report.bound, lost,
               run_line(places[row.question], row.chosen));
  }
  print_compression(places, report);
  print_improvements(places, report);
  print_upgrades(places, report);
  print_text("\n");
  print_notes(places, report);
}

}  // namespace

void print(const Places& places, const PlanReport& report) {
  const std::string& format = places.front().format;
  if (format == "table") return print_table(places, report);
  const Json json = json_of(places, report);
  print_records(format, json, json["plans"].get<std::vector<Json>>());
}

}  // namespace apps
