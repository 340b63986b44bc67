// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<Cell>;

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kKilowattHour = 3.6e6;  // joules

std::string sharding_text(const sim::Sharding& sharding) {
  return sharding.ranks > 0 ? fmt::format("{}/{}", sharding.stage, sharding.ranks)
                            : fmt::format("{}", sharding.stage);
}

std::string batch_text(const sim::Parallelism& p) {
  return fmt::format("{}x{}", p.micro_batch, p.accumulation);
}

std::string recompute_text(const sim::Parallelism& p) {
  return std::string(sim::name_of(p.recompute, sim::kRecomputes));
}

std::vector<std::string> site_names(const sim::RoundReport& round) {
  std::vector<std::string> names;
  for (const sim::SiteReport& site : round.by_site) {
    names.push_back(site.count == 1 ? site.name : fmt::format("{} {}", site.count, site.name));
  }
  return names;
}

Cells setup_cells(const PlanRow& row, const sim::StepReport& step) {
  const sim::Parallelism& p = row.parallelism;
  return {{"nodes", fmt::format("{}", row.nodes)},
          {"per NIC", fmt::format("{:g} Gbps", row.nic_bandwidth_Bps * 8 / 1e9)},
          {"scheme", step.scheme},
          {"ZeRO", sharding_text(p.sharding)},
          {"DPxTPxPP", fmt::format("{}x{}x{}", step.data, step.tensor, step.pipeline)},
          {"batch", batch_text(p)},
          {"recompute", recompute_text(p)}};
}

Cells setup_cells(const PlanRow& row, const sim::RoundReport& round) {
  const sim::Parallelism& p = row.parallelism;
  const bool alone = round.sites == 1;
  return {{"sites", fmt::format("{}", fmt::join(site_names(round), " + "))},
          {"GPUs", fmt::format("{}", round.gpus)},
          {"scheme", alone ? "-" : round.scheme},
          {"steps", alone ? "-" : fmt::format("{}", round.inner_steps)},
          {"inside", round.inner_scheme},
          {"ZeRO", sharding_text(p.sharding)},
          {"TPxPP", fmt::format("{}x{}", p.tensor, p.pipeline)},
          {"batch", batch_text(p)},
          {"recompute", recompute_text(p)}};
}

Cells result_cells(const sim::StepReport& step) {
  return {{"MFU", fmt::format("{:.1f} %", 100 * step.mfu)},
          {"memory", fmt::format("{:.1f} GB", step.memory.total() / 1e9)}};
}

Cells result_cells(const sim::RoundReport& round) {
  return {{"utilisation", fmt::format("{:.1f} %", 100 * round.utilisation)},
          {"memory", fmt::format("{:.1f} GB", round.fullest_site().memory.total() / 1e9)}};
}

std::string energy_text(double joules) {
  const double kilowatt_hours = joules / kKilowattHour;
  return kilowatt_hours >= 1000 ? fmt::format("{:.1f} MWh", kilowatt_hours / 1000)
                                : fmt::format("{:.1f} kWh", kilowatt_hours);
}

std::string share_text(const Price& price, double part) {
  return price.total() > 0 ? fmt::format("{:.0f}", 100 * part / price.total()) : "-";
}

Cell split_cell(const Price& price, const sim::StepReport&) {
  return {"GPU/net/power %",
          fmt::format("{}/{}/{}", share_text(price, price.gpus), share_text(price, price.network),
                      share_text(price, price.power))};
}

Cell split_cell(const Price& price, const sim::RoundReport&) {
  return {
      "GPU/net/power/egress %",
      fmt::format("{}/{}/{}/{}", share_text(price, price.gpus), share_text(price, price.network),
                  share_text(price, price.power), share_text(price, price.egress))};
}

std::string total_text(double usd) { return to_text(sim::Dollars::from_base(usd)); }

std::string range_text(const PlanRow& row, double TimeAndPrice::*figure,
                       std::string (*text)(double), const char* joint = "-") {
  return sim::joined_range(text(row.low.*figure), text(row.high.*figure), joint);
}

std::string setup_text(const PlanRow& row, const sim::StepReport& step) {
  return fmt::format("{} node{} with {} {}", row.nodes, row.nodes == 1 ? "" : "s", step.scheme,
                     row.nodes == 1 ? "takes" : "take");
}

std::string setup_text(const PlanRow&, const sim::RoundReport& round) {
  const auto names = site_names(round);
  const bool alone = round.sites == 1;
  return fmt::format("{}{} {}", fmt::join(names, " + "), alone ? "" : " with " + round.scheme,
                     alone ? "takes" : "take");
}

// What a layout chooses, beside tensor and pipeline parallelism.
void add_layout(const sim::Parallelism& p, Json& json) {
  json.update(Json{{"zero_stage", p.sharding.stage},
                   {"hybrid_shard", p.sharding.ranks},
                   {"micro_batch", p.micro_batch},
                   {"accumulation", p.accumulation},
                   {"recompute", recompute_text(p)}});
}

Json setup_figures(const PlanRow& row, const sim::StepReport& step) {
  Json json = {{"nodes", row.nodes},
               {"gpus", step.gpus},
               {"nic_bandwidth_Bps", row.nic_bandwidth_Bps},
               {"scheme", step.scheme},
               {"data_parallel", step.data},
               {"tensor_parallel", step.tensor},
               {"pipeline_parallel", step.pipeline}};
  add_layout(row.parallelism, json);
  return json;
}

Json setup_figures(const PlanRow& row, const sim::RoundReport& round) {
  Json json = {{"sites", fmt::format("{}", fmt::join(site_names(round), " + "))},
               {"gpus", round.gpus},
               {"scheme", round.scheme},
               {"inner_steps", round.inner_steps},
               {"inner_scheme", round.inner_scheme},
               {"tensor_parallel", row.parallelism.tensor},
               {"pipeline_parallel", row.parallelism.pipeline}};
  add_layout(row.parallelism, json);
  return json;
}

Json result_figures(const PlanRow& row, const sim::StepReport& step) {
  return {{"mfu", step.mfu},
          {"memory_per_gpu_bytes", step.memory.total()},
          {"speed_share", row.speed_share > 0 ? Json(row.speed_share) : Json(nullptr)}};
}

Json result_figures(const PlanRow&, const sim::RoundReport& round) {
  return {{"utilisation", round.utilisation},
          {"memory_per_gpu_bytes", round.fullest_site().memory.total()}};
}

double time_of(const sim::StepReport& step) { return step.step_time_s; }
double time_of(const sim::RoundReport& round) { return round.round_time_s; }

Json time_figures(const sim::StepReport& step) {
  return {{"step_time_s", step.step_time_s}, {"tokens_per_s", step.tokens_per_s}};
}

Json time_figures(const sim::RoundReport& round) {
  return {{"round_time_s", round.round_time_s}, {"tokens_per_s", round.tokens_per_s}};
}

Json price_figures(const Price& price, const sim::StepReport&) {
  return {{"price_usd", price.total()},
          {"gpu_price_usd", price.gpus},
          {"network_price_usd", price.network},
          {"power_price_usd", price.power}};
}

Json price_figures(const Price& price, const sim::RoundReport&) {
  Json json = price_figures(price, sim::StepReport{});
  json["egress_price_usd"] = price.egress;
  return json;
}

template <class Report>
Json range_figures(const PlanRow& row, const Report& report) {
  const auto figure = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  return {{"tokens_per_s_low", figure(report.range->tokens_per_s_low)},
          {"tokens_per_s_high", figure(report.range->tokens_per_s_high)},
          {"training_time_s_low", figure(row.low.time_s)},
          {"training_time_s_high", figure(row.high.time_s)},
          {"price_usd_low", figure(row.low.usd)},
          {"price_usd_high", figure(row.high.usd)}};
}

}  // namespace

std::vector<Cell> cells_of(const PlanRow& row) {
  const auto append = [](Cells& cells, Cells more) {
    for (Cell& cell : more) cells.push_back(std::move(cell));
  };
  const auto all = [&](const auto& report) {
    Cells cells = setup_cells(row, report);
    append(cells, {{"time", long_time_text(row.time_s)},
                   {"likely time", range_text(row, &TimeAndPrice::time_s, long_time_text)},
                   {"price", to_text(sim::Dollars::from_base(row.price.total()))},
                   {"likely price", range_text(row, &TimeAndPrice::usd, total_text)},
                   split_cell(row.price, report),
                   {"energy", energy_text(row.energy_j)}});
    append(cells, result_cells(report));
    if (row.speed_share > 0) {
      cells.push_back({"of full speed", fmt::format("{:.1f} %", 100 * row.speed_share)});
    }
    cells.push_back({"tokens per step", fmt::format("{:.2f}M{}", row.step_tokens / 1e6,
                                                    row.over_critical_batch ? " !" : "")});
    return cells;
  };
  return std::visit(all, row.report);
}

Json record_of(const PlanRow& row) {
  const auto all = [&](const auto& report) {
    Json json = setup_figures(row, report);
    json.update(
        Json{{"step_tokens", row.step_tokens}, {"over_critical_batch", row.over_critical_batch}});
    json.update(time_figures(report));
    json["training_time_s"] = row.time_s;
    json.update(price_figures(row.price, report));
    json.update(range_figures(row, report));
    json["energy_j"] = row.energy_j;
    json.update(result_figures(row, report));
    sim::add_time_parts(report.time, json);
    json["bound"] = bound_of(row);
    json["command"] = row.command;
    return json;
  };
  return std::visit(all, row.report);
}

std::string summary_of(const PlanRow& row) {
  const auto with_range = [&](const std::string& text, double TimeAndPrice::*figure,
                              std::string (*text_of)(double)) {
    return fmt::format("{} (likely {})", text, range_text(row, figure, text_of, " to "));
  };
  std::string text =
      std::visit([&](const auto& report) { return setup_text(row, report); }, row.report);
  text += " " + with_range(long_time_text(row.time_s), &TimeAndPrice::time_s, long_time_text);
  if (row.price.total() <= 0) return text;
  return text + " and " + with_range(total_text(row.price.total()), &TimeAndPrice::usd, total_text);
}

std::string bound_of(const PlanRow& row) {
  return std::visit([](const auto& report) { return report.bound; }, row.report);
}

std::string time_text(const PlanRow& row) {
  const double seconds = std::visit([](const auto& report) { return time_of(report); }, row.report);
  return to_text(sim::Seconds::from_base(seconds));
}

std::string long_time_text(double seconds) {
  if (seconds >= kDay) return fmt::format("{:.1f} days", seconds / kDay);
  if (seconds >= kHour) return fmt::format("{:.1f} h", seconds / kHour);
  if (seconds >= kMinute) return fmt::format("{:.1f} min", seconds / kMinute);
  return to_text(sim::Seconds::from_base(seconds));
}

}  // namespace apps
