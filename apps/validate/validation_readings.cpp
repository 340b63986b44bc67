// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validation_readings.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/validate/validation_text.hpp"
#include "sim/base/text_table.hpp"

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

std::vector<sim::TableCell> row_of(const Row& used, const Row& other) {
  const bool time = used.measured.metric == Metric::gradient_exchange_ms;
  const double published = used.measured.value;
  return {"  " + short_name(used.measured.row) + (time ? ", exchange" : ", throughput"),
          fmt::format("{:.4g} {}", published, time ? "ms" : "TF"),
          off_text(used.predicted.fitted, published), off_text(other.predicted.fitted, published)};
}

}  // namespace

sim::StyledText readings_text(const Validation& v, std::size_t width) {
  sim::TextTable table{
      .rows = {sim::heading_row({"fitted", "published", "float32 alone", "in and out"})}};
  for (std::size_t i = 0; i < v.rows.size(); ++i) {
    const bool differs = v.rows[i].predicted.fitted != v.both_ways[i].predicted.fitted;
    if (differs) table.rows.push_back(row_of(v.rows[i], v.both_ways[i]));
  }
  for (const auto& [name, key, errors] : kReadings) {
    table.rows.push_back({fmt::format("  {}", name), "mean / worst", error_text(errors(v.rows)),
                          error_text(errors(v.both_ways))});
  }
  sim::StyledText text;
  append(text,
         "quantiser rates of table 5, in float32 bytes alone (used above) or in all bytes that a\n"
         "kernel reads and writes\n");
  append(text, to_text(table, width));
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
