// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "apps/data_files.hpp"
#include "apps/plan/plan_json.hpp"
#include "apps/plan/plan_rows.hpp"
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
using Places = std::vector<PlanOptions>;  // by topology

RowsOf rows_of(const Places& places) {
  return {.topologies = places.size() > 1,
          .both = places.front().among_both,
          .nics = question_of(places).nic_bandwidths.size() > 1};
}

bool has_sites(const Places& places) {
  return std::ranges::any_of(places, &PlanOptions::is_wide_area);
}

constexpr const char* kNotOfLoss =
    "not considered: how inner steps and codec errors affect the loss; the schemes or --set fix "
    "both";

// "NVIDIA H100 80GB HBM3 4.916 USD (end of 2024)", of an hour of each GPU that there is to choose.
std::string prices_text(const Places& places) {
  std::vector<std::string> prices;
  for (const PlanOptions& place : places) {
    const bool is_given = std::ranges::any_of(place.job.settings, [](const std::string& setting) {
      return setting.starts_with("gpu.price=");
    });
    for (const sim::Site& site : place.question.job.topology.sites) {
      const sim::Gpu& gpu = site.cluster.gpu;
      std::string text = fmt::format("{} {:.4g} USD", gpu.name, gpu.price.base() * 3600);
      if (!gpu.price_as_of.empty() && !is_given) text += " (" + gpu.price_as_of + ")";
      if (std::ranges::count(prices, text) == 0) prices.push_back(std::move(text));
    }
  }
  return sim::joined(prices, ", ");
}

// Schemes with and without compression, on one cluster.
bool has_both_kinds(const PlanOptions& place) {
  const auto compresses = [](const sim::study::Setup& one) { return one.scheme.compresses(); };
  const auto& setups = place.question.job.setups;
  return !place.is_wide_area && std::ranges::any_of(setups, compresses) &&
         !std::ranges::all_of(setups, compresses);
}

// What the first plan is up against: the next one, compression, and what is not listed.
std::vector<std::string> rivals(const Places& places, const PlanReport& report) {
  std::vector<std::string> lines;
  const PlanRow& taken = report.rows.front();
  const PlanGoal& goal = question_of(places).goal;
  if (report.rows.size() > 1) {
    const PlanRow& next = report.rows[1];
    lines.push_back(
        fmt::format("next: {}: {}", summary_of(next, rows_of(places)), why_not(next, taken, goal)));
  }
  const auto compresses = [](const PlanRow& row) { return row.simplicity.compresses; };
  const auto other = std::ranges::find_if(report.rows, [&](const PlanRow& row) {
    return compresses(row) != compresses(taken) && is_same_hardware(row, taken);
  });
  if (other != report.rows.end()) {
    lines.push_back("compression: " + compression_text(compresses(taken) ? taken : *other,
                                                       compresses(taken) ? *other : taken));
  }
  if (other == report.rows.end() && has_both_kinds(places[taken.question])) {
    lines.push_back(fmt::format(
        "compression: {}; no plan {} it on the same hardware is listed, as others "
        "beat it",
        compresses(taken) ? "it pays" : "it does not pay", compresses(taken) ? "without" : "with"));
  }
  if (report.beaten > 0) {
    lines.push_back(
        fmt::format("not listed (--all): {} more {} of hardware and compression, {}", report.beaten,
                    report.beaten == 1 ? "choice" : "choices",
                    goal.aim == sim::study::Aim::smallest_network
                        ? "with faster NICs"
                        : "beaten by a plan that is faster and as cheap, or cheaper and as fast"));
  }
  for (const std::string& topology : report.does_not_fit) {
    lines.push_back(fmt::format("does not fit: {} in the memory of {}", report.model, topology));
  }
  if (taken.price.gpus > 0) lines.push_back("prices of a GPU hour: " + prices_text(places));
  for (const PlanOptions& place : places) {
    if (!place.nodes_of_file) continue;
    lines.push_back(fmt::format("assumed: {} has {} node{} in its file, and more are joined alike",
                                place.job.topology, *place.nodes_of_file,
                                *place.nodes_of_file == 1 ? "" : "s"));
  }
  if (taken.simplicity.sites > 1) lines.emplace_back(kNotOfLoss);
  return lines;
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

std::string usd_text(double usd) {
  return (usd < 0 ? "-" : "") + to_text(sim::Dollars::from_base(std::abs(usd)));
}

// What is worth less than a thousandth of the price is left to --format json.
void print_improvements(const PlanReport& report) {
  const double price = report.rows.front().price.total();
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

std::string limits_text(const sim::study::PlanQuestion& question) {
  const PlanGoal& goal = question.goal;
  std::string text;
  if (goal.share > 0) {
    text += fmt::format(" with {:g} % of the speed of an unlimited network", 100 * goal.share);
  }
  const bool has_deadline = goal.deadline_s < PlanGoal::kNever;
  const bool has_budget = goal.budget_usd < PlanGoal::kNever;
  if (has_deadline) text += fmt::format(" within {}", long_time_text(goal.deadline_s));
  if (has_budget) {
    text += fmt::format(" for at most {}", to_text(sim::Dollars::from_base(goal.budget_usd)));
  }
  if ((has_deadline || has_budget) && question.listing != sim::study::Listing::setups) {
    text += fmt::format(" with a probability of {:g} %", 100 * goal.confidence);
  }
  return text;
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
  for (const std::string& part : report.not_counted) print_text("not counted: {}\n", part);
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
  if (has_sites(places)) print_text("{}\n", kNotOfLoss);
  print_text(
      "searched: {} setups, {} of those examined too large for a GPU's memory; {} schedules "
      "planned, {} {}steps simulated{}{}\n",
      searched.setups, searched.too_large, searched.planned, searched.simulated,
      has_sites(places) ? "inner " : "",
      has_sites(places) ? fmt::format(" for {} rounds", searched.rounds) : "",
      question_of(places).exhaustive ? " (all)" : "");
}

void print_table(const Places& places, const PlanReport& report) {
  const std::string limits = limits_text(question_of(places));
  const std::string_view aim = sim::name_of(question_of(places).goal.aim, sim::study::kAims);
  std::string answer = (report.met ? fmt::format("{}{}: ", aim, limits)
                                   : fmt::format("no plan trains{}; the closest: ", limits)) +
                       summary_of(report.rows.front(), rows_of(places));
  if (!report.met) {
    answer += ": " + why_not(report.rows.front(), report.rows.front(), question_of(places).goal);
  }
  if (question_of(places).listing != sim::study::Listing::setups) {
    for (const std::string& line : rivals(places, report)) answer += "\n" + line;
  }
  print_answer(answer);
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
  print_improvements(report);
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
