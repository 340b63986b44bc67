// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/dispatch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/base/csv.hpp"
#include "sim/base/names.hpp"
#include "sim/base/parallel.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/fit/alpha_beta.hpp"
#include "sim/program/lone_groups.hpp"
#include "sim/workload/routing.hpp"

namespace sim::validation {
namespace {

// The GPUs of a row and what runs over them.
using ExchangeMachine = std::tuple<std::string, int, int, const CollectiveAlgorithm*>;
ExchangeMachine exchange_machine(const ExchangeRow& row) {
  return {row.cluster, row.nodes, row.gpus, row.algorithm};
}

// FP8 with a scale in FP32 for 128 values.
double bytes_of_value(const std::string& type) { return type == "fp8" ? 1 + 4.0 / 128 : 2; }

Spread spread_of(const CsvRow& line, const ExchangeRow& row) {
  const int top_k = line.integer("top_k");
  const Routed routed =
      route(parse_routing(line.text("routing"), line.place_of("routing")), line.integer("experts"),
            top_k, row.ranks(), row.nodes, row.tokens * row.ranks());
  return {.to_ranks = row.algorithm->once_to_each_rank ? routed.to_ranks : top_k,
          .to_nodes = routed.to_nodes,
          .row_bytes = line.number("row_bytes"),
          .row_values = line.number("row_bytes") / bytes_of_value(row.type),
          .sums = row.operation == "combine"};
}

ExchangeRow exchange_row(const CsvRow& line) {
  ExchangeRow row{.table = line.text("table"),
                  .algorithm = algorithm_named(line.text("algorithm"), line.place_of("algorithm"),
                                               CollectiveKind::all_to_all),
                  .cluster = line.text("topology"),
                  .nodes = line.integer("nodes"),
                  .gpus = line.integer("gpus"),
                  .operation = line.text("operation"),
                  .type = line.text("type"),
                  .tokens = line.number("tokens"),
                  .multiprocessors = static_cast<int>(line.known("sms").value_or(0)),
                  .spread = {},
                  .measured_s = line.number("seconds"),
                  .role = chosen(line.place_of("role"), line.text("role"), kExchangeRoles)};
  if (row.algorithm == nullptr) line.fail("algorithm: is auto; name one");
  row.spread = spread_of(line, row);
  return row;
}

LoneGroups groups_of(const Topology& topology, const ExchangeRow& row) {
  std::vector<int> ranks(static_cast<std::size_t>(row.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return {topology, {ranks}, {{CollectiveKind::all_to_all, row.algorithm}}, Detail::folded};
}

void fit_exchange_laws(std::vector<ExchangeRow>& rows) {
  using Of = std::tuple<std::string, std::string, bool>;
  const auto law_of = [](const ExchangeRow& row) {
    return Of{row.table, row.operation, row.nodes > 1};
  };
  std::map<Of, std::vector<fit::TimedBytes>> timed;
  for (const ExchangeRow& row : rows) {
    // Of the rack, all types: it has one law.
    const bool fits = row.role == ExchangeRole::fit || (row.table == "rack" && row.gpus == 8);
    if (fits) timed[law_of(row)].push_back({row.sent_bytes(), row.measured_s});
  }
  std::map<Of, fit::AlphaBeta> laws;
  for (const auto& [of, law_rows] : timed) laws[of] = fit::fit_alpha_beta(law_rows);
  for (ExchangeRow& row : rows) {
    const auto law = laws.find(law_of(row));
    if (law != laws.end()) row.by_bytes_s = law->second.seconds(row.sent_bytes());
  }
}

}  // namespace

Order ExchangeRow::order() const {
  return {.collective = CollectiveKind::all_to_all,
          .bytes = tokens * spread.to_ranks * spread.row_bytes,
          .algorithm = algorithm,
          .spread = spread,
          .multiprocessors = multiprocessors};
}

double ExchangeRow::sent_bytes() const {
  if (nodes == 1) return order().bytes * (gpus - 1) / gpus;
  const bool once = algorithm->once_to_each_rank;
  const double rows = once ? spread.to_nodes : spread.to_ranks;
  return tokens * rows * spread.row_bytes * (nodes - 1) / nodes;
}

std::vector<ExchangeRow> read_exchanges(const std::filesystem::path& folder) {
  std::vector<ExchangeRow> rows;
  for (const CsvRow& line : read_csv(folder / "traces" / "published" / "expert_exchanges.csv")) {
    rows.push_back(exchange_row(line));
  }
  return rows;
}

void predict_exchanges(const std::filesystem::path& folder, std::vector<ExchangeRow>& rows,
                       int jobs, const Tick& tick) {
  fit_exchange_laws(rows);
  std::map<ExchangeMachine, Topology> topologies;
  std::map<ExchangeMachine, LoneGroups> machines;
  for (const ExchangeRow& row : rows) {
    if (machines.contains(exchange_machine(row))) continue;
    const Cluster cluster = read_cluster(folder / "topologies" / (row.cluster + ".toml"));
    const Topology& topology =
        topologies.emplace(exchange_machine(row), part_of(cluster, row.nodes, row.gpus))
            .first->second;
    machines.emplace(exchange_machine(row), groups_of(topology, row));
  }
  const std::vector<double> times = in_parallel(jobs, rows.size(), [&](std::size_t i) {
    tick();
    const auto alone =
        machines.at(exchange_machine(rows[i])).run(rows[i].order(), rows[i].operation);
    return simulate_to_end(alone.collective.schedule, alone.wiring, rows[i].table).makespan_s;
  });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].simulated_s = times[i];
}

void ExchangeErrors::add(double predicted, double measured) {
  const double error = predicted / measured - 1;
  ++count;
  mean += (std::abs(error) - mean) / count;
  bias += (error - bias) / count;
  rms = std::sqrt(rms * rms + (error * error - rms * rms) / count);
}

std::vector<ExchangeGroup> exchange_groups(const std::vector<ExchangeRow>& rows) {
  std::vector<ExchangeGroup> groups;
  for (const ExchangeRow& row : rows) {
    if (row.role == ExchangeRole::pair) continue;
    const auto is_of = [&](const ExchangeGroup& group) {
      return group.table == row.table && group.operation == row.operation &&
             group.ranks == row.ranks() && group.role == row.role;
    };
    auto group = std::ranges::find_if(groups, is_of);
    if (group == groups.end()) {
      group =
          groups.insert(groups.end(), {row.table, row.operation, row.ranks(), row.role, {}, {}});
    }
    group->simulated.add(row.simulated_s, row.measured_s);
    if (row.by_bytes_s > 0) group->by_bytes.add(row.by_bytes_s, row.measured_s);
  }
  return groups;
}

std::vector<TypePair> type_pairs(const std::vector<ExchangeRow>& rows) {
  using Of = std::tuple<std::string, int, int, double, int>;
  const auto of = [](const ExchangeRow& row) {
    return Of{row.table, row.nodes, row.gpus, row.tokens, row.multiprocessors};
  };
  std::map<Of, const ExchangeRow*> bf16;
  for (const ExchangeRow& row : rows) {
    if (row.operation == "dispatch" && row.type == "bf16") bf16[of(row)] = &row;
  }
  std::vector<TypePair> pairs;
  for (const ExchangeRow& row : rows) {
    if (row.operation != "dispatch" || row.type != "fp8") continue;
    if (const auto other = bf16.find(of(row)); other != bf16.end()) {
      pairs.push_back({other->second, &row});
    }
  }
  return pairs;
}

std::vector<PairGroup> pair_groups(const std::vector<TypePair>& pairs) {
  std::vector<PairGroup> groups;
  PairGroup libraries{.table = "libraries"};
  const auto add = [](const TypePair& pair, PairGroup& group) {
    const double measured = pair.ratio(&ExchangeRow::measured_s);
    const double simulated = pair.ratio(&ExchangeRow::simulated_s);
    group.simulated.add(simulated, measured);
    group.by_bytes.add(pair.ratio_of_bytes(), measured);
    group.faster += simulated < 1 ? 1 : 0;
    group.measured_faster += measured < 1 ? 1 : 0;
  };
  for (const TypePair& pair : pairs) {
    const bool rack = pair.fp8->table == "rack";
    if (pair.used_in_fit() && !rack) continue;
    auto group = std::ranges::find(groups, pair.fp8->table, &PairGroup::table);
    if (group == groups.end()) group = groups.insert(groups.end(), {.table = pair.fp8->table});
    add(pair, *group);
    if (!rack) add(pair, libraries);
  }
  groups.push_back(libraries);
  return groups;
}

}  // namespace sim::validation
