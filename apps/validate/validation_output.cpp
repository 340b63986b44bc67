// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validation_output.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "apps/validate/validation_readings.hpp"
#include "apps/validate/validation_text.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/text_table.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;
using sim::validation::Column;
using sim::validation::Columns;
using sim::validation::Constant;
using sim::validation::Errors;
using sim::validation::Metric;
using sim::validation::Ranking;
using sim::validation::Row;
using sim::validation::SpeedUp;
using sim::validation::table_of;

constexpr const char* kThroughputTable = "sdp4bit_throughput";
constexpr const char* kGradientTable = "sdp4bit_gradient_comm";
constexpr std::array<std::pair<const char*, Column>, 5> kColumns{
    {{"blind", &Columns::blind},
     {"default", &Columns::by_default},
     {"fitted", &Columns::fitted},
     {"null_model", &Columns::null_model},
     {"null_refit", &Columns::null_refit}}};

void add_cells(double published, const Columns& predicted, const char* unit,
               std::vector<sim::TableCell>& row) {
  row.emplace_back(fmt::format("{:.4g}{}", published, unit));
  for (const auto& [name, column] : kColumns) {
    row.emplace_back(off_text(predicted.*column, published, unit));
  }
}

sim::TextTable headed(const std::string& title) {
  return {.rows = {sim::heading_row({title, "", "published", "blind", "default", "fitted",
                                     "null model", "null, refitted"})},
          .labels = 3,
          .align = "<<"};
}

sim::TextTable rows_of(const std::string& title, const std::vector<Row>& rows, const char* table,
                       Metric metric) {
  sim::TextTable text = headed(title);
  for (const Row& row : rows) {
    if (row.measured.metric != metric || table_of(row.measured.row) != table) continue;
    text.rows.push_back({"  " + short_name(row.measured.row), mark_of(row)});
    add_cells(row.measured.value, row.predicted, "", text.rows.back());
  }
  return text;
}

sim::TextTable speed_ups_of(const std::string& title, const std::vector<SpeedUp>& all,
                            const char* table) {
  sim::TextTable text = headed(title);
  for (const SpeedUp& one : all) {
    if (table_of(one.row) != table) continue;
    text.rows.push_back({"  " + short_name(one.row), mark_of(one)});
    add_cells(one.published, one.predicted, "x", text.rows.back());
  }
  return text;
}

template <class Text>
std::vector<sim::TableCell> summary_row(const char* title, Text text) {
  std::vector<sim::TableCell> row{title};
  for (const auto& [name, column] : kColumns) row.emplace_back(text(column));
  return row;
}

sim::TextTable summary(const Validation& v) {
  sim::TextTable table{.rows = {sim::heading_row({"errors, mean / worst", "blind", "default",
                                                  "fitted", "null model", "null, refitted"})}};
  const auto add = [&](const char* title, auto text) {
    table.rows.push_back(summary_row(title, text));
  };
  const auto throughput = [&](const char* name, Metric metric) {
    return [&, name, metric](Column c) { return error_text(row_errors(v.rows, name, metric, c)); };
  };
  const auto speed_up = [&](bool without) {
    return [&, without](Column c) {
      return error_text(speed_up_errors(v.speed_ups, kThroughputTable, c, without));
    };
  };
  const auto wins = [&](auto count) {
    return [&, count](Column c) { return count(ranking(v.rows, c)); };
  };
  add("  table 2, throughput, rows without *",
      throughput(kThroughputTable, Metric::tflops_per_gpu));
  add("  table 2, speed-up, all models", speed_up(false));
  add("  table 2, speed-up, models without *", speed_up(true));
  add("  table 4, gradient exchange", throughput(kGradientTable, Metric::gradient_exchange_ms));
  add("  table 4, throughput", throughput(kGradientTable, Metric::tflops_per_gpu));
  table.rows.push_back(
      {"  table 2, throughput, leaving one model out", "-", "-", error_text(v.left_out), "-", "-"});
  add("  measured fastest scheme predicted",
      wins([](const Ranking& r) { return fmt::format("{} of {}", r.best_right, r.groups); }));
  add("  measured faster of two predicted",
      wins([](const Ranking& r) { return fmt::format("{} of {}", r.pairs_right, r.pairs); }));
  return table;
}

std::vector<std::pair<std::string, std::string>> constants_of(const sim::Fitted& fitted) {
  std::vector<std::pair<std::string, std::string>> constants;
  if (fitted.network_efficiency) {
    constants.emplace_back("network_efficiency", fmt::format("{:.4f}", *fitted.network_efficiency));
  }
  if (fitted.communicator_bandwidth) {
    constants.emplace_back("communicator_bandwidth",
                           fmt::format("{:.4g} GBps", fitted.communicator_bandwidth->base() / 1e9));
  }
  if (fitted.compute_efficiency) {
    constants.emplace_back("compute_efficiency", fmt::format("{:.4f}", *fitted.compute_efficiency));
  }
  return constants;
}

sim::TextTable fitted_table(const Validation& v) {
  const bool refitted = !v.refitted.empty();
  sim::TextTable table{.align = "<<"};
  table.rows.push_back(
      sim::heading_row({"fitted constants", "", "value", refitted ? "fitted now" : ""}));
  for (const auto& [cluster, fitted] : v.constants) {
    const auto found = v.refitted.find(cluster);
    const auto now = found == v.refitted.end() ? constants_of({}) : constants_of(found->second);
    const auto used = constants_of(fitted);
    for (std::size_t i = 0; i < used.size(); ++i) {
      table.rows.push_back(
          {"  " + cluster, used[i].first, used[i].second, now.empty() ? "" : now[i].second});
    }
    table.rows.push_back({fmt::format("    fitted to {}", sim::joined(fitted.rows))});
  }
  return table;
}

Json to_object(const Columns& predicted) {
  Json object;
  for (const auto& [name, column] : kColumns) object[name] = predicted.*column;
  return object;
}

template <class ErrorsOf>
Json by_column(ErrorsOf errors) {
  Json object;
  for (const auto& [name, column] : kColumns) object[name] = error_object(errors(column));
  return object;
}

}  // namespace

sim::StyledText to_table(const Validation& v, std::size_t width) {
  sim::StyledText text;
  const auto add = [&](const sim::TextTable& table, std::string_view below) {
    append(text, to_text(table, width));
    append(text, below);
  };
  add(rows_of("table 2, TFLOPs per GPU", v.rows, kThroughputTable, Metric::tflops_per_gpu), "\n");
  add(speed_ups_of("table 2, speed-up over sharded", v.speed_ups, kThroughputTable), "\n");
  add(rows_of("table 4, gradient exchange, ms", v.rows, kGradientTable,
              Metric::gradient_exchange_ms),
      "\n");
  add(rows_of("table 4, TFLOPs per GPU", v.rows, kGradientTable, Metric::tflops_per_gpu), "\n");
  append(text, "  * a constant was fitted to this row, or to a row of this model\n");
  append(text, std::string(kBlindNote) + "\n");
  add(summary(v), "\n");
  append(text, readings_text(v, width));
  append(text, "\n");
  add(fitted_table(v), "");
  return text;
}

std::vector<Json> records_of(const Validation& v) {
  std::vector<Json> records;
  const auto add = [&](const std::string& row, const char* what, double published,
                       const Columns& predicted, bool used) {
    Json record{{"row", row}, {"what", what}, {"published", published}};
    record.update(to_object(predicted));
    record["used_in_fit"] = used;
    records.push_back(std::move(record));
  };
  for (const Row& row : v.rows) {
    const bool time = row.measured.metric == Metric::gradient_exchange_ms;
    add(row.measured.row, time ? "gradient_exchange_ms" : "tflops_per_gpu", row.measured.value,
        row.predicted, row.used_in_fit);
  }
  for (const SpeedUp& one : v.speed_ups) {
    add(one.row, "speedup", one.published, one.predicted, one.used_in_fit);
  }
  return records;
}

Json json_of(const Validation& v) {
  Json json{{"schema_version", 1}, {"study", v.study}};
  for (const Row& row : v.rows) {
    const bool time = row.measured.metric == Metric::gradient_exchange_ms;
    json["rows"].push_back({{"row", row.measured.row},
                            {"what", time ? "gradient_exchange_ms" : "tflops_per_gpu"},
                            {"published", row.measured.value},
                            {"predicted", to_object(row.predicted)},
                            {"used_in_fit", row.used_in_fit}});
  }
  for (const SpeedUp& one : v.speed_ups) {
    json["speedups"].push_back({{"row", one.row},
                                {"published", one.published},
                                {"predicted", to_object(one.predicted)},
                                {"used_in_fit", one.used_in_fit}});
  }
  auto& errors = json["errors"];
  errors["throughput"] = by_column(
      [&](Column c) { return row_errors(v.rows, kThroughputTable, Metric::tflops_per_gpu, c); });
  errors["speedup"] =
      by_column([&](Column c) { return speed_up_errors(v.speed_ups, kThroughputTable, c, false); });
  errors["speedup_of_models_not_fitted"] =
      by_column([&](Column c) { return speed_up_errors(v.speed_ups, kThroughputTable, c, true); });
  errors["gradient_exchange"] = by_column([&](Column c) {
    return row_errors(v.rows, kGradientTable, Metric::gradient_exchange_ms, c);
  });
  errors["throughput_one_model_left_out"] = error_object(v.left_out);
  json["readings_of_table_5"] = readings_object(v);
  for (const auto& [name, column] : kColumns) {
    const Ranking r = ranking(v.rows, column);
    json["ranking"][name] = {{"best_right", r.best_right},
                             {"groups", r.groups},
                             {"pairs_right", r.pairs_right},
                             {"pairs", r.pairs}};
  }
  for (const auto& [cluster, fitted] : v.constants) {
    for (const auto& [name, value] : constants_of(fitted)) json["constants"][cluster][name] = value;
    json["constants"][cluster]["fitted_on"] = fitted.rows;
  }
  for (const auto& [cluster, fitted] : v.refitted) {
    for (const auto& [name, value] : constants_of(fitted)) json["refitted"][cluster][name] = value;
  }
  return json;
}

sim::StyledText to_table(const std::vector<Constant>& constants, std::size_t width) {
  sim::TextTable table{.align = "<<"};
  table.rows.push_back(sim::heading_row({"file", "key", "value", "-10 %", "+10 %"}));
  for (const Constant& one : constants) {
    table.rows.push_back({one.file, one.key, one.value, fmt::format("{:+.2f}", 100 * one.lower),
                          fmt::format("{:+.2f}", 100 * one.upper)});
    table.rows.push_back({fmt::format("    {}{}", one.fitted ? "FITTED. " : "", one.source)});
  }
  sim::StyledText text;
  append(text,
         "Numbers that affect a row, and the change in the mean error (in percentage points) when\n"
         "each is 10 % lower or higher, without refitting.\n\n");
  append(text, to_text(table, width));
  return text;
}

std::vector<Json> records_of(const std::vector<Constant>& constants) {
  std::vector<Json> records;
  for (const Constant& one : constants) {
    records.push_back({{"file", one.file},
                       {"key", one.key},
                       {"value", one.value},
                       {"fitted", one.fitted},
                       {"lower_pp", 100 * one.lower},
                       {"upper_pp", 100 * one.upper},
                       {"source", one.source}});
  }
  return records;
}

Json json_of(const std::vector<Constant>& constants) {
  Json json{{"schema_version", 1}, {"constants", Json::array()}};
  for (const Constant& one : constants) {
    json["constants"].push_back({{"file", one.file},
                                 {"key", one.key},
                                 {"value", one.value},
                                 {"fitted", one.fitted},
                                 {"source", one.source},
                                 {"error_change_lower", one.lower},
                                 {"error_change_upper", one.upper}});
  }
  return json;
}

}  // namespace apps
