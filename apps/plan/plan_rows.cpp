// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_rows.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/records.hpp"
#include "sim/topology/ranks.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace apps {
namespace {

using sim::long_time_text;
using sim::total_text;
using sim::study::PlanRow;
using sim::study::Price;
using Json = nlohmann::ordered_json;
using Cells = std::vector<Cell>;

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

// "east + 2 west"
std::string site_names(const sim::RoundFigures& round) {
  std::vector<std::string> names;
  for (const sim::SiteReport& site : round.by_site) {
    names.push_back(site.count == 1 ? site.name : fmt::format("{} {}", site.count, site.name));
  }
  return sim::joined(names, " + ");
}

std::string nic_text(const PlanRow& row) {
  return sim::gbps_text(sim::Bandwidth::from_base(row.nic_bandwidth_Bps));
}

std::string nodes_text(const PlanRow& row) {
  return fmt::format("{} node{}", row.chosen.nodes, row.chosen.nodes == 1 ? "" : "s");
}

// Where the row trains, of clusters or of sites.
Cells place_cells(const PlanRow& row) {
  const sim::Report& report = row.report;
  if (!report.round) {
    return {{"nodes", fmt::format("{}", row.chosen.nodes)},
            {"per NIC", nic_text(row)},
            {"scheme", report.scheme}};
  }
  const bool alone = report.round->sites == 1;
  return {{"sites", site_names(*report.round)},
          {"GPUs", fmt::format("{}", report.gpus)},
          {"scheme", alone ? "-" : report.scheme},
          {"steps", alone ? "-" : fmt::format("{}", report.round->inner_steps)},
          {"inside", report.round->inner_scheme}};
}

// Of either.
Cells place_cells_of_both(const PlanRow& row) {
  const sim::Report& report = row.report;
  const bool alone = !report.round || report.round->sites == 1;
  return {{"on", report.round ? site_names(*report.round) : nodes_text(row)},
          {"GPUs", fmt::format("{}", report.gpus)},
          {"between sites", alone ? "-" : report.scheme},
          {"inside", report.round ? report.round->inner_scheme : report.scheme}};
}

Cells layout_cells(const sim::Report& report, const RowsOf& rows) {
  const sim::Parallelism& p = report.parallelism;
  std::string split = fmt::format("{}x{}", p.tensor, p.pipeline);
  if (p.context > 1) split += fmt::format(" CP{}", p.context);
  if (p.expert > 1) split += fmt::format(" EP{}", p.expert);
  if (p.expert_tensor > 0) split += fmt::format(" ETP{}", p.expert_tensor);
  return {{"ZeRO", sharding_text(p.sharding)},
          report.round || rows.both
              ? Cell{"TPxPP", split}
              : Cell{"DPxTPxPP", fmt::format("{}x{}", report.step->data, split)},
          {"batch", batch_text(p)},
          {"recompute", recompute_text(p)}};
}

Cells result_cells(const sim::Report& report, const RowsOf& rows) {
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  Cells cells;
  if (!rows.both) {
    cells.push_back(report.round ? Cell{"utilisation", percent(report.round->utilisation)}
                                 : Cell{"MFU", percent(report.step->mfu)});
  }
  cells.push_back({"memory", fmt::format("{:.1f} GB", report.memory.total() / 1e9)});
  return cells;
}

std::string energy_text(double joules) {
  const double kilowatt_hours = joules / kKilowattHour;
  return kilowatt_hours >= 1000 ? fmt::format("{:.1f} MWh", kilowatt_hours / 1000)
                                : fmt::format("{:.1f} kWh", kilowatt_hours);
}

std::string share_text(const Price& price, double part) {
  return price.total() > 0 ? fmt::format("{:.0f}", 100 * part / price.total()) : "-";
}

Cell split_cell(const PlanRow& row, const RowsOf& rows) {
  const Price& price = row.price;
  std::string heading = "GPU/net/power";
  std::string split = fmt::format("{}/{}/{}", share_text(price, price.gpus),
                                  share_text(price, price.network), share_text(price, price.power));
  const auto add = [&](const char* part, double usd) {
    heading += std::string("/") + part;
    split += "/" + share_text(price, usd);
  };
  if (row.report.round || rows.both) add("egress", price.egress);
  if (price.storage > 0) add("storage", price.storage);
  if (price.idle > 0) add("idle", price.idle);
  return {heading + " %", split};
}

// In the unit of the figure whose range it is.
std::string time_range(const PlanRow& row, const char* joint = "-") {
  return sim::joined_range(long_time_text(row.low.time_s, row.time_s),
                           long_time_text(row.high.time_s, row.time_s), joint);
}
std::string price_range(const PlanRow& row, const char* joint = "-") {
  const double usd = row.price.total();
  if (row.low.usd == row.high.usd) return "-";
  return sim::joined_range(total_text(row.low.usd, usd), total_text(row.high.usd, usd), joint);
}

// "4 nodes with qwd take"
std::string setup_text(const PlanRow& row, const RowsOf& rows) {
  const sim::Report& report = row.report;
  const bool alone = (report.round ? report.round->sites : row.chosen.nodes) == 1;
  std::string text = report.round ? site_names(*report.round) : nodes_text(row);
  text += fmt::format(" ({} GPUs)", report.gpus);
  if (rows.topologies) text += " of " + report.topology;
  if (rows.nics && !report.round) text += " at " + nic_text(row);
  if (!report.round || !alone) text += " with " + report.scheme;
  return text + (alone ? " takes" : " take");
}

// Of the whole training, while parts fail.
Cells goodput_cells(const sim::GoodputFigures& goodput) {
  Cells cells{{"goodput", fmt::format("{:.1f} %", 100 * goodput.shares.goodput)},
              {"interruptions", sim::number_text(goodput.interruptions, 0)}};
  if (const auto& target = goodput.target) {
    cells.push_back({"time with failures", long_time_text(target->days * sim::kDay_s)});
    cells.push_back({"price with failures", sim::total_text(target->usd, target->usd)});
  }
  return cells;
}

// Of the whole training, by sites that come and go.
Cells membership_cells(const sim::MembershipFigures& months) {
  return {{"sites in a round", fmt::format("{:.1f} of {}", months.members, months.sites)},
          {"tokens/s kept", fmt::format("{:.0f}", months.tokens_per_s)},
          {"of all sites'", fmt::format("{:.1f} %", 100 * months.kept_share)}};
}

Json setup_figures(const PlanRow& row) {
  const sim::Report& report = row.report;
  Json json = Json::object();
  if (report.round) {
    json["sites"] = site_names(*report.round);
  } else {
    json["nodes"] = row.chosen.nodes;
  }
  sim::add_figures({"gpus"}, report, json);
  if (!report.round) json["nic_bandwidth_Bps"] = row.nic_bandwidth_Bps;
  sim::add_figures({"scheme", "inner_steps", "inner_scheme", "data_parallel"}, report, json);
  sim::add_figures(sim::layout_figures(), report, json);
  sim::add_figures({"recompute"}, report, json);
  return json;
}

void add_result(const PlanRow& row, Json& json) {
  if (row.report.round) json["utilisation"] = row.report.round->utilisation;
  sim::add_figures({"mfu", "memory_per_gpu_bytes", "optimizer_state"}, row.report, json);
  if (!row.report.round) json["speed_share"] = row.speed_share > 0 ? Json(row.speed_share) : Json();
}

void add_price(const PlanRow& row, Json& json) {
  const Price& price = row.price;
  json.update(Json{{"price_usd", price.total()},
                   {"gpu_price_usd", price.gpus},
                   {"network_price_usd", price.network},
                   {"power_price_usd", price.power}});
  if (row.report.round) json["egress_price_usd"] = price.egress;
  json["storage_price_usd"] = price.storage;
  json["idle_price_usd"] = price.idle;
}

void add_range(const PlanRow& row, Json& json) {
  sim::add_figures({"tokens_per_s_low", "tokens_per_s_high"}, row.report, json);
  json.update(Json{{"training_time_s_low", row.low.time_s},
                   {"training_time_s_high", row.high.time_s},
                   {"price_usd_low", row.low.usd},
                   {"price_usd_high", row.high.usd}});
}

}  // namespace

RowsOf rows_of(const Places& places) {
  return {.topologies = places.size() > 1,
          .both = places.front().among_both,
          .nics = question_of(places).nic_bandwidths.size() > 1};
}

RowBill bill_of_row(const Places& places, const PlanRow& row) {
  const PlanOptions& options = places[row.question];
  if (!options.parts) return std::nullopt;
  const sim::Cluster& given = options.question.job.cluster();
  const auto nics = sim::Bandwidth::from_base(row.nic_bandwidth_Bps);
  return bill_of(bought_with_nics(part_of(given, row.chosen.nodes, given.gpus_per_node), nics),
                 *options.parts);
}

std::vector<Cell> cells_of(const PlanRow& row, const RowsOf& rows, const RowBill& bill) {
  Cells cells;
  const auto append = [&](const Cells& more) {
    cells.insert(cells.end(), more.begin(), more.end());
  };
  if (rows.topologies) append({{"topology", row.report.topology}});
  append(rows.both ? place_cells_of_both(row) : place_cells(row));
  append(layout_cells(row.report, rows));
  append({{"time", long_time_text(row.time_s)},
          {"likely time", time_range(row)},
          {"price", to_text(sim::Dollars::from_base(row.price.total()))},
          {"likely price", price_range(row)},
          split_cell(row, rows),
          {"energy", energy_text(row.energy_j)}});
  if (row.report.goodput) append(goodput_cells(*row.report.goodput));
  if (row.report.membership) append(membership_cells(*row.report.membership));
  if (bill) {
    const bool all = bill->nodes_alone().price.base() > 0;
    append({{all ? "cost to buy" : "network cost", to_text(bill->price())},
            {all ? "power" : "network power", to_text(bill->power())}});
  }
  append(result_cells(row.report, rows));
  const auto add_chance = [&](const char* heading, const std::optional<double>& chance) {
    if (chance) cells.push_back({heading, fmt::format("{:.0f} %", 100 * *chance)});
  };
  add_chance("P(in time)", row.in_time);
  add_chance("P(in budget)", row.in_budget);
  if (row.speed_share > 0) {
    cells.push_back({"of full speed", fmt::format("{:.1f} %", 100 * row.speed_share)});
  }
  const std::string more =
      row.batch_excess > 0 ? fmt::format(" (+{:.1f} %)", 100 * row.batch_excess) : "";
  cells.push_back({"tokens per step", fmt::format("{:.2f}M{}{}", row.step_tokens / 1e6, more,
                                                  row.over_critical_batch ? " !" : "")});
  return cells;
}

Json record_of(const PlanRow& row, const RowBill& bill) {
  const sim::Report& report = row.report;
  Json json = setup_figures(row);
  json["step_tokens"] = row.step_tokens;
  json["over_critical_batch"] = row.over_critical_batch;
  sim::add_figures({report.round ? "round_time_s" : "step_time_s", "tokens_per_s"}, report, json);
  json["training_time_s"] = row.time_s;
  add_price(row, json);
  if (bill) {
    const sim::PricedPart nodes = bill->nodes_alone();
    json["network_cost_usd"] = (bill->price() - nodes.price).base();
    json["network_power_w"] = (bill->power() - nodes.power).base();
    json["node_cost_usd"] = nodes.price.base();
    json["node_power_w"] = nodes.power.base();
  }
  add_range(row, json);
  sim::add_figures(sim::month_figures(), report, json);
  json["energy_j"] = row.energy_j;
  add_result(row, json);
  sim::add_figures(sim::time_part_figures(), report, json);
  json["bound"] = report.bound;
  sim::add_figures(sim::later_layout_figures(), report, json);
  return json;
}

std::string summary_of(const PlanRow& row, const RowsOf& rows) {
  const double usd = row.price.total();
  const std::string time = fmt::format("{} {} (likely {})", setup_text(row, rows),
                                       long_time_text(row.time_s), time_range(row, " to "));
  if (usd <= 0) return time;
  const std::string price = time + " and " + total_text(usd, usd);
  if (row.low.usd == row.high.usd) return price;  // to buy
  return fmt::format("{} (likely {})", price, price_range(row, " to "));
}

}  // namespace apps
