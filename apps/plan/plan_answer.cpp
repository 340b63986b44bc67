// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/plan/plan_prices.hpp"
#include "apps/plan/plan_rows.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/study/plan/take.hpp"
#include "sim/study/search/verdict.hpp"

namespace apps {
namespace {

using sim::long_time_text;
using sim::study::PlanGoal;
using sim::study::PlanReport;
using sim::study::PlanRow;

constexpr const char* kNotOfLoss =
    "not considered: how inner steps and codec errors affect the loss; the schemes or --set fix "
    "both";

// Schemes with and without compression, on one cluster.
bool has_both_kinds(const PlanOptions& place) {
  const auto compresses = [](const sim::study::Setup& one) { return one.scheme.compresses(); };
  const auto& setups = place.question.job.setups;
  return !place.is_wide_area && std::ranges::any_of(setups, compresses) &&
         !std::ranges::all_of(setups, compresses);
}

// "sdp4bit is 1.2 % slower than sharded at 400 Gbps, 9.1 % faster at 200 Gbps: it pays at 200 Gbps and below"
std::string network_that_pays(const std::vector<sim::study::PlanCompression>& tries) {
  const bool is_one_layout =
      tries.front().compressed.parallelism == tries.front().plain.parallelism;
  std::string text = is_one_layout ? "in this layout " : "each in its own layout, ";
  for (const auto& one : tries) {
    const bool is_first = &one == &tries.front();
    const double percent = 100 * (one.speedup - 1);
    const bool is_named = is_first || one.scheme != (&one - 1)->scheme;
    text += fmt::format("{}{}{:.1f} % {}{} at {}", is_first ? "" : ", ",
                        is_named ? one.scheme + " is " : "", std::abs(percent),
                        percent < 0 ? "slower" : "faster",
                        is_first ? " than " + one.plain_scheme : "", gbps_text(one.nics));
  }
  const bool first_pays = tries.front().pays;
  if (tries.back().pays == first_pays) {
    return text + fmt::format(": it pays with {} of these, as far as predictions can tell",
                              first_pays ? "all" : "none");
  }
  const auto& last = first_pays ? tries[tries.size() - 2] : tries.back();
  return text + fmt::format(
                    ": of these, it pays at {} and below, as far as predictions can tell "
                    "(differences of {:.1f} % and more)",
                    gbps_text(last.nics), 100 * (sim::study::least_win() - 1));
}

// "to buy: 2.45 MUSD (nodes 2.10 MUSD, network 346 kUSD), and 217 kUSD for the power of 4 years; trains ..."
std::string to_buy_text(const PlanRow& row, const sim::NetworkParts& parts, double tokens) {
  const auto usd = [](double amount) { return to_text(sim::Dollars::from_base(amount)); };
  return fmt::format(
      "to buy: {} (nodes {}, network {}), and {} for the power of {:g} years; trains {:.3g} tokens "
      "a day",
      usd(row.price.gpus + row.price.network), usd(row.price.gpus), usd(row.price.network),
      usd(row.price.power), parts.years, tokens * sim::kDay_s / row.time_s);
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
  const auto missed = std::ranges::find(report.rows, false, &PlanRow::keeps_limits);
  if (report.met && missed != report.rows.end() && missed != report.rows.begin() + 1) {
    lines.push_back(fmt::format("near miss: {}: {}", summary_of(*missed, rows_of(places)),
                                why_not(*missed, taken, goal)));
  }
  const auto compresses = [](const PlanRow& row) { return row.simplicity.compresses; };
  const auto other = std::ranges::find_if(report.rows, [&](const PlanRow& row) {
    return compresses(row) != compresses(taken) && is_same_hardware(row, taken);
  });
  if (!report.compression.empty()) {
    lines.push_back("compression: " + network_that_pays(report.compression));
  } else if (other != report.rows.end()) {
    lines.push_back("compression: " + compression_text(compresses(taken) ? taken : *other,
                                                       compresses(taken) ? *other : taken));
  } else if (has_both_kinds(places[taken.question])) {
    lines.push_back(fmt::format(
        "compression: {}; no plan {} it on the same hardware is listed, as others beat it",
        compresses(taken) ? "it pays" : "it does not pay", compresses(taken) ? "without" : "with"));
  }
  if (const auto& goodput = taken.report.goodput; goodput && goodput->target) {
    lines.push_back(fmt::format("with failures: {} and {}, {} interruptions",
                                long_time_text(goodput->target->days * sim::kDay_s),
                                sim::total_text(goodput->target->usd, goodput->target->usd),
                                sim::number_text(goodput->interruptions, 0)));
  }
  if (const double more = taken.batch_excess; more > 0) {
    lines.push_back(
        fmt::format("batch: {:.4g}M tokens a step, {:.1f} % more than --batch-tokens, so that all "
                    "replicas have as "
                    "many sequences",
                    taken.step_tokens / 1e6, 100 * more));
  }
  if (report.beaten > 0) {
    lines.push_back(
        fmt::format("not listed (--all): {} more {} of hardware and compression, {}", report.beaten,
                    report.beaten == 1 ? "choice" : "choices",
                    goal.aim == sim::study::Aim::smallest_network
                        ? "with faster NICs"
                        : "beaten by a plan that is faster and as cheap, or cheaper and as fast"));
  }
  for (const PlanOptions& place : places) {
    for (const std::string& why : place.not_built)
      lines.push_back(fmt::format("cannot be built: {}: {}", place.job.topology, why));
  }
  for (const std::string& topology : report.does_not_fit) {
    lines.push_back(fmt::format("does not fit: {} in the memory of {}", report.model, topology));
  }
  if (question_of(places).buy) {
    lines.push_back(to_buy_text(taken, *question_of(places).buy, question_of(places).goal.tokens));
  } else if (taken.price.gpus > 0) {
    lines.push_back("prices of a GPU hour: " + prices_text(places));
  }
  if (!report.not_counted.empty()) {
    lines.push_back("not in the price: " + sim::joined(report.not_counted, "; "));
  }
  if (places.front().assumes_attention) {
    lines.push_back(fmt::format("assumed: --attention {} for all plans", kPlanAttention));
  }
  for (const PlanOptions& place : places) {
    if (!place.nodes_of_file) continue;
    lines.push_back(fmt::format("assumed: {} has {} node{} in its file, and more are joined alike",
                                place.job.topology, *place.nodes_of_file,
                                *place.nodes_of_file == 1 ? "" : "s"));
  }
  if (std::ranges::any_of(places, &PlanOptions::is_wide_area)) lines.emplace_back(kNotOfLoss);
  return lines;
}

}  // namespace

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

std::string answer_of(const Places& places, const PlanReport& report) {
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
  return answer;
}

}  // namespace apps
