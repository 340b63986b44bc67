#include "apps/validate/validation_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/validate/validation_readings.hpp"
#include "apps/validate/validation_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

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

std::string cells(double published, const Columns& predicted, const char* unit) {
  std::string text = fmt::format("{:>8.4g}{}", published, unit);
  for (const auto& [name, column] : kColumns) {
    const double value = predicted.*column;
    text += fmt::format("  {:>7.4g}{} {:>+5.0f} %", value, unit, 100 * (value / published - 1));
  }
  return text + "\n";
}

std::string heading(const std::string& title) {
  return fmt::format("{:<32}{:>9}  {:>15}  {:>15}  {:>15}  {:>15}  {:>15}\n", title, "published",
                     "blind", "default", "fitted", "null model", "null, refitted");
}

std::string rows_of(const std::vector<Row>& rows, const char* table, Metric metric) {
  std::string text;
  for (const Row& row : rows) {
    if (row.measured.metric != metric || table_of(row.measured.row) != table) continue;
    text += fmt::format("  {:<28}{:<2}", short_name(row.measured.row), mark_of(row)) +
            cells(row.measured.value, row.predicted, " ");
  }
  return text;
}

std::string speed_ups_of(const std::vector<SpeedUp>& all, const char* table) {
  std::string text;
  for (const SpeedUp& one : all) {
    if (table_of(one.row) != table) continue;
    text += fmt::format("  {:<28}{:<2}", short_name(one.row), mark_of(one)) +
            cells(one.published, one.predicted, "x");
  }
  return text;
}

template <class Text>
std::string summary_line(const char* title, Text text) {
  std::string line = fmt::format("  {:<42}", title);
  for (const auto& [name, column] : kColumns) line += fmt::format("{:>16}", text(column));
  return line + "\n";
}

std::string summary(const Validation& v) {
  std::string text = fmt::format("{:<44}{:>16}{:>16}{:>16}{:>16}{:>16}\n", "errors, mean / worst",
                                 "blind", "default", "fitted", "null model", "null, refitted");
  const auto throughput = [&](const char* table, Metric metric) {
    return
        [&, table, metric](Column c) { return error_text(row_errors(v.rows, table, metric, c)); };
  };
  const auto speed_up = [&](bool without) {
    return [&, without](Column c) {
      return error_text(speed_up_errors(v.speed_ups, kThroughputTable, c, without));
    };
  };
  const auto wins = [&](auto count) {
    return [&, count](Column c) { return count(ranking(v.rows, c)); };
  };
  text += summary_line("table 2, throughput, rows without *",
                       throughput(kThroughputTable, Metric::tflops_per_gpu));
  text += summary_line("table 2, speed-up, all models", speed_up(false));
  text += summary_line("table 2, speed-up, models without *", speed_up(true));
  text += summary_line("table 4, gradient exchange",
                       throughput(kGradientTable, Metric::gradient_exchange_ms));
  text += summary_line("table 4, throughput", throughput(kGradientTable, Metric::tflops_per_gpu));
  text += fmt::format("  {:<42}{:>16}{:>16}{:>16}{:>16}{:>16}\n",
                      "table 2, throughput, one model left out", "-", "-", error_text(v.left_out),
                      "-", "-");
  text += summary_line("fastest scheme is the measured one", wins([](const Ranking& r) {
                         return fmt::format("{} of {}", r.best_right, r.groups);
                       }));
  text += summary_line("faster of two schemes is the measured one", wins([](const Ranking& r) {
                         return fmt::format("{} of {}", r.pairs_right, r.pairs);
                       }));
  return text;
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

std::string fitted_text(const Validation& v) {
  std::string text = "fitted constants\n";
  for (const auto& [cluster, fitted] : v.constants) {
    const auto found = v.refitted.find(cluster);
    const auto now = found == v.refitted.end() ? constants_of({}) : constants_of(found->second);
    const auto used = constants_of(fitted);
    for (std::size_t i = 0; i < used.size(); ++i) {
      text += fmt::format("  {:<14}{:<24}{:>12}{}\n", cluster, used[i].first, used[i].second,
                          now.empty() ? "" : "   fitted now: " + now[i].second);
    }
    text += fmt::format("  {:<14}on {}\n", "", fmt::join(fitted.rows, ", "));
  }
  return text;
}

nlohmann::ordered_json to_object(const Columns& predicted) {
  nlohmann::ordered_json object;
  for (const auto& [name, column] : kColumns) object[name] = predicted.*column;
  return object;
}

template <class ErrorsOf>
nlohmann::ordered_json by_column(ErrorsOf errors) {
  nlohmann::ordered_json object;
  for (const auto& [name, column] : kColumns) object[name] = error_object(errors(column));
  return object;
}

}  // namespace

std::string to_table(const Validation& v) {
  std::string text = heading("table 2, TFLOPs per GPU");
  text += rows_of(v.rows, kThroughputTable, Metric::tflops_per_gpu);
  text += "\n" + heading("table 2, speed-up over sharded");
  text += speed_ups_of(v.speed_ups, kThroughputTable);
  text += "\n" + heading("table 4, gradient exchange, ms");
  text += rows_of(v.rows, kGradientTable, Metric::gradient_exchange_ms);
  text += "\n" + heading("table 4, TFLOPs per GPU");
  text += rows_of(v.rows, kGradientTable, Metric::tflops_per_gpu);
  text += "  * a constant was fitted on this row, or on a row of this model\n";
  text += std::string(kBlindNote) + "\n";
  return text + summary(v) + "\n" + readings_text(v) + "\n" + fitted_text(v);
}

std::string to_csv(const Validation& v) {
  std::string text = "row,what,published,blind,default,fitted,null_model,null_refit,used_in_fit\n";
  const auto add = [&](const std::string& row, const char* what, double published,
                       const Columns& predicted, bool used) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", row, what, published, predicted.blind,
                        predicted.by_default, predicted.fitted, predicted.null_model,
                        predicted.null_refit, used);
  };
  for (const Row& row : v.rows) {
    const bool time = row.measured.metric == Metric::gradient_exchange_ms;
    add(row.measured.row, time ? "gradient_exchange_ms" : "tflops_per_gpu", row.measured.value,
        row.predicted, row.used_in_fit);
  }
  for (const SpeedUp& one : v.speed_ups) {
    add(one.row, "speedup", one.published, one.predicted, one.used_in_fit);
  }
  return text;
}

std::string to_json(const Validation& v) {
  nlohmann::ordered_json json{{"schema_version", 1}, {"study", v.study}};
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
  return json.dump(2) + "\n";
}

std::string to_table(const std::vector<Constant>& constants) {
  std::string text = fmt::format(
      "Numbers that move a row, and the change of the mean error (in percentage points) when each\n"
      "is 10 % lower or higher and nothing is fitted again.\n\n{:<28}{:<32}{:>16}{:>8}{:>8}\n",
      "file", "key", "value", "-10 %", "+10 %");
  for (const Constant& one : constants) {
    text += fmt::format("{:<28}{:<32}{:>16}{:>+8.2f}{:>+8.2f}\n    {}{}\n", one.file, one.key,
                        one.value, 100 * one.lower, 100 * one.upper, one.fitted ? "FITTED. " : "",
                        one.source);
  }
  return text;
}

std::string to_csv(const std::vector<Constant>& constants) {
  std::string text = "file,key,value,fitted,lower_pp,upper_pp,source\n";
  for (const Constant& one : constants) {
    std::string source;
    for (const char c : one.source) source += c == '"' ? std::string("\"\"") : std::string(1, c);
    text += fmt::format("{},{},{},{},{},{},\"{}\"\n", one.file, one.key, one.value, one.fitted,
                        100 * one.lower, 100 * one.upper, source);
  }
  return text;
}

std::string to_json(const std::vector<Constant>& constants) {
  nlohmann::ordered_json json{{"schema_version", 1}, {"constants", nlohmann::json::array()}};
  for (const Constant& one : constants) {
    json["constants"].push_back({{"file", one.file},
                                 {"key", one.key},
                                 {"value", one.value},
                                 {"fitted", one.fitted},
                                 {"source", one.source},
                                 {"error_change_lower", one.lower},
                                 {"error_change_upper", one.upper}});
  }
  return json.dump(2) + "\n";
}

}  // namespace apps
