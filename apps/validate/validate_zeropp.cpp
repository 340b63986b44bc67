#include "apps/validate/validate_zeropp.hpp"

#include <fmt/format.h>

#include <utility>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "apps/validate/validation_text.hpp"
#include "sim/report/records.hpp"
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

// As the publication counts: with the recomputation.
std::string rows_text(const ZeroppStudy& study) {
  std::string text =
      fmt::format("{:<30}{:>10}{:>8}{:>9}{:>9}{:>9}{:>8}{:>11}\n", "TFLOPs per GPU", "published",
                  "blind", "default", "fitted", "off by", "null", "model");
  for (const Row& row : study.rows) {
    const double published = row.measured.value;
    text += fmt::format(
        "  {:<26}{:<2}{:>10.0f}{:>8.1f}{:>9.1f}{:>9.1f}{:>+7.0f} %{:>8.1f}\n",
        short_name(row.measured.row), mark_of(row), published * study.recomputed,
        row.predicted.blind * study.recomputed, row.predicted.by_default * study.recomputed,
        row.predicted.fitted * study.recomputed, 100 * (row.predicted.fitted / published - 1),
        row.predicted.null_model * study.recomputed);
  }
  return text + "\n  * the compute efficiency was fitted on this row\n" + kBlindNote;
}

std::string speed_ups_text(const ZeroppStudy& study) {
  std::string text = fmt::format("{:<30}{:>10}{:>8}{:>9}{:>9}{:>9}{:>8}\n", "speed-up of ZeRO++",
                                 "published", "blind", "default", "fitted", "off by", "null");
  for (const SpeedUp& one : study.speed_ups) {
    text += fmt::format("  {:<28}{:>9.2f}x{:>7.2f}x{:>8.2f}x{:>8.2f}x{:>+7.0f} %{:>7.2f}x\n",
                        short_name(one.row), one.published, one.predicted.blind,
                        one.predicted.by_default, one.predicted.fitted,
                        100 * (one.predicted.fitted / one.published - 1), one.predicted.null_model);
  }
  return text;
}

std::string errors_text(const ZeroppStudy& study) {
  std::string text = fmt::format("{:<30}{:>16}{:>16}{:>16}{:>16}\n", "errors, mean / worst",
                                 "blind", "default", "fitted", "null model");
  for (const bool speed_ups : {false, true}) {
    text += fmt::format("  {:<28}", speed_ups ? "speed-up" : "throughput, rows without *");
    for (const auto& [name, column] : kPlainColumns) {
      text += fmt::format("{:>16}", error_text(errors_of(study, speed_ups, column)));
    }
    text += "\n";
  }
  return text;
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

void validate_zeropp(const std::string& format) {
  const std::filesystem::path folder = data_directory();
  const auto measurements = validation::read_zeropp(folder);
  Progress progress("predicting rows", static_cast<int>(measurements.size()));
  const ZeroppStudy study =
      validation::predict_zeropp(folder, measurements, [&] { progress.step(); });
  if (format == "table") {
    print_text("{}\n{}\n{}\nfitted: compute_efficiency {:.4f}\n", rows_text(study),
               speed_ups_text(study), errors_text(study), *study.fitted.compute_efficiency);
  }
  if (format == "csv") print_text("{}", sim::csv_text(records_of(study)));
  if (format == "json") print_json(json_of(study).dump(2) + "\n");
}

}  // namespace apps
