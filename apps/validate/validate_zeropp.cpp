// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_zeropp.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/validation_text.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/zeropp.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::Column;
using validation::Columns;
using validation::Row;
using validation::SpeedUp;
using validation::ZeroppStudy;

constexpr const char* kTable = "zeropp_throughput";

validation::Errors errors_of(const ZeroppStudy& study, bool speed_ups, Column column) {
  return speed_ups ? speed_up_errors(study.speed_ups, kTable, column, false)
                   : row_errors(study.rows, kTable, validation::Metric::tflops_per_gpu, column);
}

sim::TextTable headed(const char* title) {
  return {.rows = {sim::heading_row(
              {title, "", "published", "blind", "default", "fitted", "off by", "null model"})},
          .labels = 2,
          .align = "<<"};
}

// `text` of a figure.
std::vector<sim::TableCell> row_of(const std::string& row, const std::string& mark,
                                   double published, const Columns& predicted,
                                   const std::function<std::string(double)>& text) {
  const auto off = fmt::format("{:+.0f} %", 100 * (predicted.fitted / published - 1));
  return {"  " + short_name(row),
          mark,
          text(published),
          text(predicted.blind),
          text(predicted.by_default),
          text(predicted.fitted),
          off,
          text(predicted.null_model)};
}

// As the publication counts: with the recomputation.
sim::TextTable rows_of(const ZeroppStudy& study) {
  sim::TextTable table = headed("TFLOPs per GPU");
  for (const Row& row : study.rows) {
    table.rows.push_back(
        row_of(row.measured.row, mark_of(row), row.measured.value, row.predicted,
               [&](double value) { return fmt::format("{:.1f}", value * study.recomputed); }));
  }
  return table;
}

sim::TextTable speed_ups_of(const ZeroppStudy& study) {
  sim::TextTable table = headed("speed-up of ZeRO++");
  for (const SpeedUp& one : study.speed_ups) {
    table.rows.push_back(row_of(one.row, "", one.published, one.predicted,
                                [](double value) { return fmt::format("{:.2f}x", value); }));
  }
  return table;
}

sim::TextTable errors_table(const ZeroppStudy& study) {
  sim::TextTable table;
  table.rows.push_back(
      sim::heading_row({"errors, mean / worst", "blind", "default", "fitted", "null model"}));
  for (const bool speed_ups : {false, true}) {
    table.rows.push_back({speed_ups ? "  speed-up" : "  throughput, rows without *"});
    for (const auto& [name, column] : kPlainColumns) {
      table.rows.back().emplace_back(error_text(errors_of(study, speed_ups, column)));
    }
  }
  return table;
}

void print_table(const ZeroppStudy& study) {
  const std::size_t width = output_width();
  print_styled(to_text(rows_of(study), width));
  print_text(
      "\n"
      "  * the compute efficiency was fitted to this row\n"
      "{}\n",
      kBlindNote);
  print_styled(to_text(speed_ups_of(study), width));
  print_text("\n");
  print_styled(to_text(errors_table(study), width));
  print_text("\nfitted: compute_efficiency {:.4f}\n", *study.fitted.compute_efficiency);
}

std::vector<Json> records_of(const ZeroppStudy& study) {
  std::vector<Json> records;
  for (const Row& row : study.rows) {
    Json record{{"row", row.measured.row},
                {"published_tflops", row.measured.value * study.recomputed}};
    for (const auto& [name, column] : kPlainColumns) {
      record[fmt::format("{}_tflops", name)] = row.predicted.*column * study.recomputed;
    }
    record["used_in_fit"] = row.used_in_fit;
    records.push_back(std::move(record));
  }
  return records;
}

Json json_of(const ZeroppStudy& study) {
  Json json{{"schema_version", 1}, {"study", "zeropp"}};
  json["rows"] = records_of(study);
  for (const SpeedUp& one : study.speed_ups) {
    Json record{{"row", one.row}, {"published", one.published}};
    for (const auto& [name, column] : kPlainColumns) record[name] = one.predicted.*column;
    json["speed_ups"].push_back(std::move(record));
  }
  for (const auto& [name, column] : kPlainColumns) {
    json["errors"]["throughput"][name] = error_object(errors_of(study, false, column));
    json["errors"]["speed_up"][name] = error_object(errors_of(study, true, column));
  }
  json["constants"] = {{"compute_efficiency", *study.fitted.compute_efficiency},
                       {"fitted_on", study.fitted.rows}};
  return json;
}

}  // namespace

void validate_zeropp(const std::string& format, int jobs) {
  const std::filesystem::path folder = data_directory();
  const auto measurements = validation::read_zeropp(folder);
  Progress progress("predicting rows", static_cast<int>(measurements.size()));
  const ZeroppStudy study =
      validation::predict_zeropp(folder, measurements, jobs, [&] { progress.step(); });
  if (format == "table") print_table(study);
  print_records(format, json_of(study), records_of(study));
}

}  // namespace apps
