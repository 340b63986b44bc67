// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/validation_text.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/host.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::HeldOut;
using validation::HostHalf;
using validation::HostStudy;

struct Way {
  const char* name;   // in JSON
  const char* title;  // in tables
  validation::Errors HostHalf::*errors;
};
constexpr std::array kWays{
    Way{"simulated", "simulated with its host", &HostHalf::simulated},
    Way{"serial", "longer of the issue and the serial sum", &HostHalf::serial},
    Way{"without_host", "simulated without a host", &HostHalf::without_host}};

std::string error_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

struct IssueTimes {
  double least_s = 0, most_s = 0, mean_s = 0;
};
IssueTimes issue_times(const HostStudy& study, double HostHalf::*issue) {
  IssueTimes times{.least_s = study.halves.front().*issue, .most_s = study.halves.front().*issue};
  for (const HostHalf& half : study.halves) {
    times.least_s = std::min(times.least_s, half.*issue);
    times.most_s = std::max(times.most_s, half.*issue);
    times.mean_s += half.*issue / static_cast<double>(study.halves.size());
  }
  return times;
}

void print_table(const HostStudy& study) {
  sim::TextTable table{
      .rows = {sim::heading_row({"steps of small layers on 2 to 8 A100", "mean error", "worst half",
                                 "all rows, worst row"})}};
  for (const Way& way : kWays) {
    const HeldOut errors = held_out(study, way.errors);
    table.rows.push_back({std::string("  ") + way.title, error_percent(errors.mean),
                          error_percent(errors.worst_half),
                          error_percent((study.all.*way.errors).worst)});
  }
  print_styled(to_text(table, output_width()));
  const IssueTimes times = issue_times(study, &HostHalf::issue_s);
  print_text(
      "\n"
      "  Errors are means over the halves that were left out of the fit, of {} seeded halves.\n"
      "  Fitted: {:.0f} us to issue a kernel ({:.0f} to {:.0f} us over the halves, {:.1f} us on "
      "all\n"
      "  rows); the serial sum has its own. The compute efficiency is the default of the GPU.\n",
      validation::kHostHalves, times.mean_s * 1e6, times.least_s * 1e6, times.most_s * 1e6,
      study.all.issue_s * 1e6);
}

std::vector<Json> records_of(const HostStudy& study) {
  std::vector<Json> records;
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    const validation::HostStepRow& row = study.rows[i];
    records.push_back({{"row", row.row},
                       {"published_s", row.published_s},
                       {"simulated_s", left_out_s(study, i)},
                       {"serial_s", row.serial(study.all.serial_issue_s)},
                       {"without_host_s", row.without_host()},
                       {"kernels", row.launches}});
  }
  return records;
}

Json json_of(const HostStudy& study) {
  Json json{{"schema_version", 1}, {"study", "host"}};
  json["rows"] = records_of(study);
  for (const Way& way : kWays) {
    const HeldOut errors = held_out(study, way.errors);
    json["errors"][way.name] = {{"mean", errors.mean},
                                {"worst_half", errors.worst_half},
                                {"all_rows", error_object(study.all.*way.errors)}};
  }
  const IssueTimes times = issue_times(study, &HostHalf::issue_s);
  json["constants"] = {{"issue_s", study.all.issue_s},
                       {"issue_s_of_halves", {times.least_s, times.most_s}},
                       {"serial_issue_s", study.all.serial_issue_s}};
  return json;
}

}  // namespace

void validate_host(const std::string& format, int jobs) {
  const std::filesystem::path folder = data_directory();
  std::vector<validation::HostStepRow> rows = validation::read_host_steps(folder);
  Progress progress("predicting rows", static_cast<int>(rows.size()));
  const HostStudy study =
      validation::predict_host(folder, std::move(rows), jobs, [&] { progress.step(); });
  if (format == "table") print_table(study);
  print_records(format, json_of(study), records_of(study));
}

}  // namespace apps
