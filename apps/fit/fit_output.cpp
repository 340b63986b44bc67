// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/fit_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/fit/constants_table.hpp"
#include "apps/fit/diagnosis_output.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/fit/cluster_text.hpp"

namespace apps {
namespace {

namespace fit = sim::fit;
using FitJson = nlohmann::ordered_json;

constexpr KeptReason<fit::Kept> kKeptReasons[] = {
    {fit::Kept::agrees, "agrees", "as in the base, with which the times agree"},
    {fit::Kept::not_alone, "not_alone",
     "as in the base, because the times do not separate it from others"},
    {fit::Kept::unused, "unused", "as in the base, because none of the times depends on it"}};

std::string size_text(double bytes) { return fmt::format("{:.0f} B", bytes); }

sim::TextTable errors_table(const std::vector<FitErrors>& errors) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(sim::heading_row({"errors of the time", "times", "mean", "worst", "at"}));
  for (const FitErrors& one : errors) {
    table.rows.push_back({std::string(one.name), fmt::format("{}", one.errors.count),
                          fmt::format("{:.1f} %", 100 * one.errors.mean),
                          fmt::format("{:+.1f} %", 100 * one.errors.worst),
                          size_text(one.errors.worst_bytes)});
  }
  return table;
}

// Of a constant that was fitted or kept: what the other kind has stays null.
FitJson constant_record(const fit::Constant& constant, double base) {
  return {
      {"key", constant.key}, {"unit", constant.measure == fit::Measure::seconds ? "s" : "share"},
      {"fitted", nullptr},   {"low", nullptr},
      {"high", nullptr},     {"bound", nullptr},
      {"base", base},        {"kept", nullptr}};
}

std::vector<FitJson> constant_records(const fit::Fit& fitted) {
  std::vector<FitJson> records;
  for (const fit::FittedConstant& one : fitted.fitted) {
    FitJson& record = records.emplace_back(constant_record(*one.constant, one.base));
    record["fitted"] = one.value;
    record["bound"] = one.bound;
    if (!one.interval) continue;
    record["low"] = one.interval->low;
    record["high"] = one.interval->high;
  }
  for (const fit::KeptConstant& one : fitted.kept) {
    const auto* reason =
        std::ranges::find(kKeptReasons, one.because, &KeptReason<fit::Kept>::because);
    records.emplace_back(constant_record(*one.constant, one.base))["kept"] = reason->key;
  }
  return records;
}

FitJson head_json(const sim::Cluster& base, const std::vector<fit::Log>& logs,
                  const sim::study::Diagnosis& diagnosis) {
  FitJson json{{"schema_version", 1}, {"base", base.name}};
  for (const fit::Log& log : logs) {
    json["logs"].push_back({{"log", log.name},
                            {"collective", log.collective->name},
                            {"nodes", log.nodes},
                            {"gpus_per_node", log.gpus_per_node},
                            {"times", log.times.size()}});
  }
  json["diagnosis"] = diagnosis_json(diagnosis);
  return json;
}

void print_logs(const sim::Cluster& base, const std::vector<fit::Log>& logs) {
  print_text("{} fitted to\n", base.name);
  for (const fit::Log& log : logs) {
    print_text("  {} time{} of {}\n", log.times.size(), log.times.size() == 1 ? "" : "s",
               log_text(log));
  }
}

FitJson json_of(const FitAnswer& answer) {
  FitJson json = head_json(answer.fit.cluster, answer.logs, answer.diagnosis);
  json["constants"] = constant_records(answer.fit);
  for (const FitErrors& one : answer.errors) {
    json["errors"][std::string(one.key)] = {{"count", one.errors.count},
                                            {"mean", one.errors.mean},
                                            {"worst", one.errors.worst},
                                            {"worst_bytes", one.errors.worst_bytes}};
  }
  json["carries"] = {{"gpus", {answer.carry.fewest_gpus, answer.carry.most_gpus}},
                     {"nodes", {answer.carry.fewest_nodes, answer.carry.most_nodes}},
                     {"error_to_most_gpus", nullptr},
                     {"text", answer.carry.lines}};
  if (answer.carry.to_most_gpus) {
    json["carries"]["error_to_most_gpus"] = answer.carry.to_most_gpus->mean;
  }
  if (!answer.topo.empty()) json["topo"] = answer.topo;
  json["misfits"] = answer.misfits;
  return json;
}

}  // namespace

void print(const std::string& format, const FitAnswer& answer) {
  if (format != "table") {
    return print_records(format, json_of(answer), constant_records(answer.fit));
  }
  print_logs(answer.fit.cluster, answer.logs);
  if (!answer.topo.empty()) print_text("with, from nvidia-smi topo -m,\n");
  for (const std::string& line : answer.topo) print_text("  {}\n", line);
  print_text("\n");
  print(answer.diagnosis);
  const std::size_t width = output_width();
  print_styled(to_text(constants_table(answer.fit, kKeptReasons), width));
  print_text("\n");
  print_styled(to_text(errors_table(answer.errors), width));
  print_text("\n");
  for (const std::string& line : answer.carry.lines) print_text("{}\n", line);
}

void print(const std::string& format, const sim::Cluster& base, const std::vector<fit::Log>& logs,
           const sim::study::Diagnosis& diagnosis) {
  if (format != "table") {
    return print_records(format, head_json(base, logs, diagnosis),
                         diagnosis_json(diagnosis)["parts"]);
  }
  print_logs(base, logs);
  print_text("\n");
  print(diagnosis);
  print_text(
      "No constant is fitted: these are too few sizes. Give four or more, from bytes to GiB.\n");
}

}  // namespace apps
