#include "apps/validate/validation_readings.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/validate/validation_text.hpp"

namespace apps {
namespace {

using sim::validation::Columns;
using sim::validation::Errors;
using sim::validation::Metric;
using sim::validation::Row;

struct Reading {
  const char* name;
  const char* key;
  Errors (*errors)(const std::vector<Row>& rows);
};

Errors of_rows(const std::vector<Row>& rows, const char* table, Metric metric) {
  return row_errors(rows, table, metric, &Columns::fitted);
}

constexpr std::array<Reading, 4> kReadings{
    {{"table 2, throughput, rows without *", "throughput",
      [](const std::vector<Row>& rows) {
        return of_rows(rows, "sdp4bit_throughput", Metric::tflops_per_gpu);
      }},
     {"table 2, speed-up, all models", "speedup",
      [](const std::vector<Row>& rows) {
        return speed_up_errors(sim::validation::speed_ups(rows), "sdp4bit_throughput",
                               &Columns::fitted, false);
      }},
     {"table 4, gradient exchange", "gradient_exchange",
      [](const std::vector<Row>& rows) {
        return of_rows(rows, "sdp4bit_gradient_comm", Metric::gradient_exchange_ms);
      }},
     {"table 4, throughput", "gradient_comm_throughput", [](const std::vector<Row>& rows) {
        return of_rows(rows, "sdp4bit_gradient_comm", Metric::tflops_per_gpu);
      }}}};

std::string row_text(const Row& used, const Row& other) {
  const bool time = used.measured.metric == Metric::gradient_exchange_ms;
  const double published = used.measured.value;
  std::string text = fmt::format(
      "  {:<42}{:>16}", short_name(used.measured.row) + (time ? ", exchange" : ", throughput"),
      fmt::format("{:.4g} {}", published, time ? "ms" : "TF"));
  for (const Row* row : {&used, &other}) {
    const double value = row->predicted.fitted;
    text += fmt::format("{:>16}",
                        fmt::format("{:.4g} {:+.0f} %", value, 100 * (value / published - 1)));
  }
  return text + "\n";
}

}  // namespace

std::string readings_text(const Validation& v) {
  std::string text = fmt::format(
      "the quantisers' rates of table 5, in bytes of float32 alone (used above) or of all bytes\n"
      "that a kernel reads and writes\n{:<44}{:>16}{:>16}{:>16}\n",
      "fitted", "published", "float32 alone", "in and out");
  for (std::size_t i = 0; i < v.rows.size(); ++i) {
    const bool differs = v.rows[i].predicted.fitted != v.both_ways[i].predicted.fitted;
    if (differs) text += row_text(v.rows[i], v.both_ways[i]);
  }
  for (const auto& [name, key, errors] : kReadings) {
    text += fmt::format("  {:<42}{:>16}{:>16}{:>16}\n", name, "mean / worst",
                        error_text(errors(v.rows)), error_text(errors(v.both_ways)));
  }
  return text;
}

nlohmann::ordered_json readings_object(const Validation& v) {
  nlohmann::ordered_json object;
  for (const auto& [name, key, errors] : kReadings) {
    object[key] = {{"float32_alone", error_object(errors(v.rows))},
                   {"in_and_out", error_object(errors(v.both_ways))}};
  }
  return object;
}

}  // namespace apps
