// A plan as a table, JSON or CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/plan/plan_report.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/text_table.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDay = 86'400;

std::string name_of(Aim aim) {
  switch (aim) {
    case Aim::cheapest:
      return "cheapest";
    case Aim::fastest:
      return "fastest";
    case Aim::smallest_network:
      break;
  }
  return "smallest-network";
}

Json figures(const PlanRow& row) {
  const sim::StepReport& step = row.step;
  const sim::Parallelism& p = step.parallelism;
  Json json = {{"nodes", row.nodes},
               {"gpus", step.gpus},
               {"nic_bandwidth_Bps", row.nic_bandwidth_Bps},
               {"scheme", step.scheme},
               {"data_parallel", step.data},
               {"tensor_parallel", step.tensor},
               {"pipeline_parallel", step.pipeline},
               {"zero_stage", p.sharding.stage},
               {"hybrid_shard", p.sharding.ranks},
               {"micro_batch", p.micro_batch},
               {"accumulation", p.accumulation},
               {"recompute", sim::name_of(p.recompute, sim::kRecomputes)},
               {"step_tokens", row.step_tokens},
               {"over_critical_batch", row.over_critical_batch},
               {"step_time_s", step.step_time_s},
               {"tokens_per_s", step.tokens_per_s},
               {"training_time_s", row.time_s}};
  json.update(Json{{"price_usd", row.price.total()},
                   {"gpu_price_usd", row.price.gpus},
                   {"network_price_usd", row.price.network},
                   {"power_price_usd", row.price.power},
                   {"energy_j", row.energy_j},
                   {"mfu", step.mfu},
                   {"memory_per_gpu_bytes", step.memory.total()},
                   {"speed_share", row.speed_share > 0 ? Json(row.speed_share) : Json(nullptr)}});
  return json;
}

Json record(const PlanRow& row) {
  Json json = figures(row);
  sim::add_time_parts(row.step.time, json);
  json["bound"] = row.step.bound;
  json["command"] = row.command;
  return json;
}

Json json_of(const PlanOptions& options, const PlanReport& report) {
  const Goal& goal = options.goal;
  const auto limit = [](double value) {
    return value < Goal::kNever ? Json(value) : Json(nullptr);
  };
  Json json = {{"topology", report.topology},
               {"model", report.model},
               {"goal", name_of(goal.aim)},
               {"tokens", goal.tokens},
               {"deadline_s", limit(goal.deadline_s)},
               {"budget_usd", limit(goal.budget_usd)},
               {"share", goal.share > 0 ? Json(goal.share) : Json(nullptr)},
               {"met", report.met},
               {"not_counted", report.not_counted},
               {"search",
                {{"exhaustive", options.exhaustive},
                 {"setups", report.candidates},
                 {"too_large", report.too_large},
                 {"planned", report.counts.planned},
                 {"simulated", report.counts.simulated}}}};
  json["next_dollar"] = Json::array();
  for (const Improvement& one : report.improvements) {
    json["next_dollar"].push_back(
        {{"name", one.name},
         {"sensitivity", one.sensitivity},
         {"saves_usd", one.saves_usd},
         {"costs_usd", one.costs_usd ? Json(*one.costs_usd) : Json(nullptr)}});
  }
  json["plans"] = Json::array();
  for (const PlanRow& row : report.rows) json["plans"].push_back(record(row));
  return json;
}

std::string sharding_text(const sim::Sharding& sharding) {
  return sharding.ranks > 0 ? fmt::format("{}/{}", sharding.stage, sharding.ranks)
                            : fmt::format("{}", sharding.stage);
}

// Years are no more than days here: a plan is for weeks or months.
std::string days_text(double seconds) { return fmt::format("{:.1f}", seconds / kDay); }

std::string split_text(const Price& price) {
  const auto share = [&](double part) {
    return price.total() > 0 ? fmt::format("{:.0f}", 100 * part / price.total()) : "-";
  };
  return fmt::format("{}/{}/{}", share(price.gpus), share(price.network), share(price.power));
}

using Cells = std::vector<std::string>;

Cells cells(std::size_t place, const PlanRow& row) {
  const sim::StepReport& step = row.step;
  const sim::Parallelism& p = step.parallelism;
  return {fmt::format("{}", place),
          fmt::format("{}", row.nodes),
          fmt::format("{:g} Gbps", row.nic_bandwidth_Bps * 8 / 1e9),
          step.scheme,
          sharding_text(p.sharding),
          fmt::format("{}x{}x{}", step.data, step.tensor, step.pipeline),
          fmt::format("{}x{}", p.micro_batch, p.accumulation),
          std::string(sim::name_of(p.recompute, sim::kRecomputes)),
          days_text(row.time_s),
          to_text(sim::Dollars::from_base(row.price.total())),
          split_text(row.price),
          fmt::format("{:.1f}", row.energy_j / 3.6e9),
          fmt::format("{:.1f} %", 100 * step.mfu),
          fmt::format("{:.1f} GB", step.memory.total() / 1e9),
          row.speed_share > 0 ? fmt::format("{:.1f} %", 100 * row.speed_share) : "",
          fmt::format("{:.2f}M{}", row.step_tokens / 1e6, row.over_critical_batch ? " !" : "")};
}

void print_rows(const PlanReport& report, bool shares) {
  std::vector<Cells> lines{{"", "nodes", "a NIC", "scheme", "ZeRO", "DPxTPxPP", "batch",
                            "recompute", "days", "price", "GPU/net/power %", "MWh", "MFU", "memory",
                            "of full speed", "tokens a step"}};
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    lines.push_back(cells(i + 1, report.rows[i]));
  }
  std::vector<std::size_t> widths(lines.front().size());
  for (const Cells& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  constexpr std::size_t kShare = 14;
  for (const Cells& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (i == kShare && !shares) continue;
      text += fmt::format("{:>{}}  ", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
}

std::string usd_text(double usd) {
  return (usd < 0 ? "-" : "") + to_text(sim::Dollars::from_base(std::abs(usd)));
}

// What is worth less than a thousandth of the price is left to --format json.
void print_improvements(const PlanReport& report) {
  const double price = report.rows.front().price.total();
  fmt::print(
      "\nwhat the next dollar should buy, of 1: the throughput that a percent more of each brings, "
      "and\nwhat a tenth more, or less of what takes time, saves of the price\n");
  for (const Improvement& one : report.improvements) {
    if (std::abs(one.sensitivity) < 0.001 || one.saves_usd < price / 1000) continue;
    const std::string costs = one.costs_usd ? ", costs " + usd_text(*one.costs_usd) : "";
    const std::string saves = price > 0 ? "  saves " + usd_text(one.saves_usd) + costs : "";
    fmt::print("  {:<17} {:+6.2f} %{}  ({})\n", one.name, one.sensitivity, saves, one.meaning);
  }
}

std::string limits_text(const Goal& goal) {
  std::string text;
  if (goal.share > 0) {
    text += fmt::format(" with {:g} % of the speed of an unlimited network", 100 * goal.share);
  }
  if (goal.deadline_s < Goal::kNever)
    text += fmt::format(" within {} days", days_text(goal.deadline_s));
  if (goal.budget_usd < Goal::kNever) {
    text += fmt::format(" for at most {}", to_text(sim::Dollars::from_base(goal.budget_usd)));
  }
  return text;
}

void print_notes(const PlanOptions& options, const PlanReport& report) {
  for (const std::string& part : report.not_counted) fmt::print("not counted: {}\n", part);
  const bool marked =
      std::ranges::any_of(report.rows, [](const PlanRow& row) { return row.over_critical_batch; });
  if (marked) {
    fmt::print(
        "!: a step has more than --critical-batch, {:g} tokens: the same loss may take more "
        "tokens\n",
        *options.critical_batch);
  }
  if (report.not_held > 0) {
    fmt::print(
        "left out: {} layouts whose smallest micro-batches are more than a simulation holds\n",
        report.not_held);
  }
  const SearchCounts& counts = report.counts;
  fmt::print(
      "searched: {} setups, {} too large for a GPU's memory; {} schedules planned, {} steps "
      "simulated{}\n",
      report.candidates, report.too_large, counts.planned, counts.simulated,
      options.exhaustive ? " (all)" : "");
}

void print_table(const PlanOptions& options, const PlanReport& report) {
  const std::string limits = limits_text(options.goal);
  fmt::print("{:g} tokens of {} on {}: {}{}\n\n", options.goal.tokens, report.model,
             report.topology, name_of(options.goal.aim), limits);
  if (!report.met) fmt::print("nothing trains{}; what comes nearest:\n\n", limits);
  print_rows(report, options.goal.share > 0);
  fmt::print("\nwhat bounds each, and its step\n");
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const PlanRow& row = report.rows[i];
    fmt::print("{:>2}  {}: {}\n    {}\n", i + 1,
               to_text(sim::Seconds::from_base(row.step.step_time_s)), row.step.bound, row.command);
  }
  print_improvements(report);
  fmt::print("\n");
  print_notes(options, report);
}

}  // namespace

void print(const PlanOptions& options, const PlanReport& report) {
  if (options.format == "table") return print_table(options, report);
  if (options.format == "json") return fmt::print("{}\n", json_of(options, report).dump(1));
  std::vector<Json> records;
  for (const PlanRow& row : report.rows) records.push_back(record(row));
  fmt::print("{}", sim::csv_text(records));
}

}  // namespace apps
