// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "apps/plan/plan_rows.hpp"
#include "apps/plan/plan_upgrades.hpp"
#include "apps/plan/run_line.hpp"
#include "sim/study/plan/take.hpp"

namespace apps {
namespace {

using sim::study::Improvement;
using sim::study::PlanGoal;
using sim::study::PlanReport;
using sim::study::PlanRow;
using sim::study::Searched;
using Json = nlohmann::ordered_json;

// Those of any of them, null where it has none.
void give_all_the_same_keys(Json& records) {
  Json all = Json::object();
  for (const Json& record : records) {
    for (const auto& one : record.items()) all[one.key()] = nullptr;
  }
  for (Json& record : records) {
    Json whole = all;
    whole.update(record);
    record = std::move(whole);
  }
}

}  // namespace

Json json_of(const Places& places, const PlanReport& report) {
  const Searched& searched = report.searched;
  const sim::study::PlanQuestion& question = question_of(places);
  const PlanGoal& goal = question.goal;
  const auto limit = [](double value) {
    return value < PlanGoal::kNever ? Json(value) : Json(nullptr);
  };
  Json json = {{"topology", report.topology},
               {"model", report.model},
               {"goal", sim::name_of(goal.aim, sim::study::kAims)},
               {"tokens", goal.tokens},
               {"deadline_s", limit(goal.deadline_s)},
               {"budget_usd", limit(goal.budget_usd)},
               {"confidence", goal.confidence},
               {"share", goal.share > 0 ? Json(goal.share) : Json(nullptr)},
               {"met", report.met},
               {"not_told_apart", not_told_apart(report, goal)},
               {"beaten", report.beaten},
               {"does_not_fit", report.does_not_fit},
               {"not_counted", report.not_counted},
               {"search",
                {{"exhaustive", question.exhaustive},
                 {"gap", question.listing == sim::study::Listing::setups ? 0 : question.gap},
                 {"setups", searched.setups},
                 {"too_large", searched.too_large},
                 {"planned", searched.planned},
                 {"simulated", searched.simulated},
                 {"rounds", searched.rounds}}}};
  json["not_built"] = Json::array();
  for (const PlanOptions& place : places) {
    for (const std::string& why : place.not_built)
      json["not_built"].push_back(place.job.topology + ": " + why);
  }
  json["compression"] = Json::array();
  for (const sim::study::PlanCompression& one : report.compression) {
    json["compression"].push_back(
        {{"scheme", one.scheme},
         {"baseline", one.plain_scheme},
         {"nic_bandwidth_Bps", one.nics.base()},
         {"speedup", one.speedup},
         {"pays", one.pays},
         {"commands", run_lines(places[report.rows.front().question], one)}});
  }
  json["next_dollar"] = Json::array();
  for (const Improvement& one : report.improvements) {
    json["next_dollar"].push_back(
        {{"name", one.name},
         {"sensitivity", one.sensitivity},
         {"saves_usd", one.saves_usd},
         {"costs_usd", one.costs_usd ? Json(*one.costs_usd) : Json(nullptr)}});
  }
  json["upgrades"] = Json::array();
  for (const Upgrade& one : upgrades_of(places, report)) {
    const auto known = [](const std::optional<double>& value) {
      return value ? Json(*value) : Json(nullptr);
    };
    json["upgrades"].push_back({{"set", one.setting},
                                {"speedup", one.speedup},
                                {"saves_usd", one.saves_usd},
                                {"costs_usd", known(one.costs_usd)},
                                {"payback_s", known(one.payback_s)}});
  }
  json["plans"] = Json::array();
  for (const PlanRow& row : report.rows) {
    const auto chance = [](const std::optional<double>& one) {
      return one ? Json(*one) : Json(nullptr);
    };
    const bool is_taken = &row == &report.rows.front();
    Json& record = json["plans"].emplace_back(record_of(row, bill_of_row(places, row)));
    record.update(
        {{"command", run_line(places[row.question], row.chosen)},
         {"why_not", is_taken ? Json(nullptr) : Json(why_not(row, report.rows.front(), goal))},
         {"topology", row.report.topology},
         {"deadline_probability", chance(row.in_time)},
         {"budget_probability", chance(row.in_budget)},
         {"keeps_limits", row.keeps_limits}});
  }
  if (places.front().among_both) give_all_the_same_keys(json["plans"]);
  return json;
}

}  // namespace apps
