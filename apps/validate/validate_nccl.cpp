// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_nccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/nccl.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::kSizeBands;
using validation::NcclErrors;
using validation::NcclFilter;
using validation::NcclLog;
using validation::NcclRole;
using validation::NcclRow;
using validation::NcclStudy;
using validation::NcclTime;
using validation::SizeBand;

struct Predicted {
  const char* name;
  const char* key;
  NcclTime time;
};
constexpr std::array kPredicted{Predicted{"simulated", "simulated", &NcclRow::simulated_s},
                                Predicted{"as NCCL", "as_nccl", &NcclRow::as_nccl_s},
                                Predicted{"alpha-beta", "alpha_beta", &NcclRow::alpha_beta_s}};

bool counts(const NcclRow& row) { return row.log->role == NcclRole::counted; }

// Racks are counted apart: other algorithms run there.
bool held_out(const NcclRow& row) {
  return row.log->role == NcclRole::held_out && !row.log->over_racks();
}
bool held_out_over_racks(const NcclRow& row) {
  return row.log->role == NcclRole::held_out && row.log->over_racks();
}
constexpr SizeBand kAllSizes{"all sizes", "all_sizes", 0, std::numeric_limits<double>::infinity()};

NcclFilter of_log(const std::string& log) {
  return [log](const NcclRow& row) { return row.log->name == log; };
}
NcclFilter with_constants(const NcclFilter& which, const std::string& constants) {
  return [which, constants](const NcclRow& row) {
    return which(row) && row.log->constants == constants;
  };
}

NcclErrors errors_in(const NcclStudy& study, const SizeBand& band, const NcclFilter& which,
                     NcclTime time) {
  return nccl_errors(
      study.rows, [&](const NcclRow& row) { return band.has(row) && which(row); }, time);
}

std::vector<std::string> constants_of(const NcclStudy& study, const NcclFilter& which) {
  std::vector<std::string> names;
  for (const NcclRow& row : study.rows) {
    const std::string& name = row.log->constants;
    if (which(row) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<sim::TableCell> heading_of(const std::string& title) {
  std::vector<std::string> names{title, "rows"};
  names.insert(names.end(), {"simulated", "in 20 %", "signed", "as NCCL", "alpha-beta"});
  return sim::heading_row(names);
}

// Nothing of no rows.
void add_errors(sim::TextTable& table, const std::string& title, const NcclStudy& study,
                const SizeBand& band, const NcclFilter& which) {
  const NcclErrors simulated = errors_in(study, band, which, &NcclRow::simulated_s);
  if (simulated.count == 0) return;
  const auto text_of = [](const NcclErrors& errors) {
    if (errors.count == 0) return std::string("-");
    return fmt::format("{:.1f} / {:.1f} %", 100 * errors.mean, 100 * errors.median);
  };
  std::vector<sim::TableCell> cells{"  " + title, fmt::format("{}", simulated.count),
                                    text_of(simulated),
                                    fmt::format("{:.0f} %", 100 * simulated.within),
                                    fmt::format("{:+.0f} %", 100 * simulated.bias)};
  for (const NcclTime time : {&NcclRow::as_nccl_s, &NcclRow::alpha_beta_s}) {
    cells.emplace_back(text_of(errors_in(study, band, which, time)));
  }
  table.rows.push_back(std::move(cells));
}

sim::TextTable logs_of(const NcclStudy& study, const SizeBand& band) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(heading_of(band.name));
  for (const auto& log : study.logs) {
    const char* mark = log->role == NcclRole::fit        ? " *"
                       : log->role == NcclRole::held_out ? " +"
                                                         : "";
    add_errors(table, log->name + mark, study, band, of_log(log->name));
  }
  return table;
}

bool has_rows(const NcclStudy& study, const SizeBand& band, const NcclFilter& which) {
  return std::ranges::any_of(study.rows,
                             [&](const NcclRow& row) { return band.has(row) && which(row); });
}

sim::TextTable totals_of(const NcclStudy& study, const std::string& title,
                         const NcclFilter& which) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(heading_of(title));
  for (const SizeBand& band : kSizeBands) {
    if (!has_rows(study, band, which)) continue;
    table.rows.push_back({band.name});
    for (const std::string& constants : constants_of(study, which)) {
      add_errors(table, constants, study, band, with_constants(which, constants));
    }
    add_errors(table, "all", study, band, which);
  }
  return table;
}

sim::TextTable totals_of_held_out(const NcclStudy& study) {
  sim::TextTable table = totals_of(study, "rows of held-out logs", held_out);
  if (!has_rows(study, kAllSizes, held_out_over_racks)) return table;
  table.rows.push_back({"several racks"});
  for (const SizeBand& band : kSizeBands) {
    add_errors(table, band.name, study, band, held_out_over_racks);
  }
  add_errors(table, "all", study, kAllSizes, held_out_over_racks);
  return table;
}

std::string off(double predicted_s, double published_s) {
  return fmt::format("{:+.0f} %", 100 * (predicted_s / published_s - 1));
}

sim::TextTable rows_of(const NcclStudy& study, NcclView view) {
  sim::TextTable table{.labels = 3, .align = "<<"};
  table.rows.push_back(sim::heading_row({"log", "collective", "bytes"}));
  const auto head = [&](const char* name) {
    table.rows.front().emplace_back(name, sim::Style::heading);
  };
  const bool measured = view == NcclView::each;
  if (measured) head("us published");
  for (const Predicted& one : kPredicted) {
    head(one.name);
    if (measured) head("off by");
  }
  for (const NcclRow& row : study.rows) {
    std::vector<sim::TableCell> cells{row.log->name, std::string(row.collective->name),
                                      fmt::format("{:.0f}", row.bytes)};
    if (measured) cells.emplace_back(fmt::format("{:.2f}", row.published_s * 1e6));
    for (const Predicted& one : kPredicted) {
      const double time_s = row.*one.time;
      cells.emplace_back(time_s > 0 ? fmt::format("{:.2f}", time_s * 1e6) : "-");
      if (measured) cells.emplace_back(time_s > 0 ? off(time_s, row.published_s) : "-");
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void print_table(const NcclStudy& study, NcclView view) {
  const std::size_t width = output_width();
  if (view != NcclView::errors) print_styled(to_text(rows_of(study, view), width));
  if (view == NcclView::predictions) return;
  print_text(
      "{}errors of the time of collectives: mean / median, rows within 20 %, mean with sign\n\n",
      view == NcclView::each ? "\n" : "");
  for (const SizeBand& band : kSizeBands) {
    print_styled(to_text(logs_of(study, band), width));
    print_text("\n");
  }
  const bool has_held_out = has_rows(
      study, kAllSizes, [](const NcclRow& row) { return row.log->role == NcclRole::held_out; });
  print_text("  * constants were fitted to this log: excluded from the errors below\n");
  if (has_held_out) {
    print_text(
        "  + held out: nothing was fitted to this log; its errors have a table of their own\n");
  }
  print_text(
      "  alpha-beta: a start-up time plus bytes over a bandwidth for each collective, fitted to "
      "the "
      "logs\n"
      "  with * of the same GPU or, between nodes, of the same transport\n\n");
  print_styled(to_text(totals_of(study, "rows of counted logs", counts), width));
  if (!has_held_out) return;
  print_text("\n");
  print_styled(to_text(totals_of_held_out(study), width));
}

Json seconds_of(double time_s) { return time_s > 0 ? Json(time_s) : Json(nullptr); }

std::vector<Json> records_of(const NcclStudy& study, bool measured) {
  std::vector<Json> records;
  for (const NcclRow& row : study.rows) {
    const NcclLog& log = *row.log;
    Json record{{"log", log.name},
                {"role", name_of(log.role, sim::validation::kNcclRoles)},
                {"cluster", log.cluster},
                {"nodes", log.nodes},
                {"groups", log.groups},
                {"gpus", log.group_size()},
                {"collective", row.collective->name},
                {"size_bytes", static_cast<std::int64_t>(row.bytes)}};
    if (measured) record["published_s"] = row.published_s;
    for (const Predicted& one : kPredicted) {
      record[fmt::format("{}_s", one.key)] = seconds_of(row.*one.time);
    }
    records.push_back(std::move(record));
  }
  return records;
}

Json errors_object(const NcclStudy& study, const SizeBand& band, const NcclFilter& which) {
  Json object;
  for (const Predicted& one : kPredicted) {
    const NcclErrors errors = errors_in(study, band, which, one.time);
    object[one.key] = {{"count", errors.count},
                       {"mean", errors.mean},
                       {"median", errors.median},
                       {"within_20_percent", errors.within},
                       {"bias", errors.bias}};
  }
  return object;
}

Json json_of(const NcclStudy& study) {
  Json json{{"schema_version", 1}, {"study", "nccl"}};
  for (const SizeBand& band : kSizeBands) {
    Json& errors = json["errors"][band.key];
    errors["counted"] = errors_object(study, band, counts);
    for (const std::string& constants : constants_of(study, counts)) {
      errors["by_constants"][constants] =
          errors_object(study, band, with_constants(counts, constants));
    }
    errors["held_out"] = errors_object(study, band, held_out);
    for (const std::string& constants : constants_of(study, held_out)) {
      errors["held_out_by_constants"][constants] =
          errors_object(study, band, with_constants(held_out, constants));
    }
    errors["held_out_over_racks"] = errors_object(study, band, held_out_over_racks);
    for (const auto& log : study.logs) {
      errors["logs"][log->name] = errors_object(study, band, of_log(log->name));
    }
  }
  json["errors"][kAllSizes.key]["held_out_over_racks"] =
      errors_object(study, kAllSizes, held_out_over_racks);
  for (const auto& [of, law] : study.laws) {
    json["alpha_beta"][of.first][of.second] = {{"alpha_s", law.alpha_s},
                                               {"beta_s_per_byte", law.beta_s_per_byte}};
  }
  json["rows"] = records_of(study, true);
  return json;
}

NcclStudy predicted(int jobs, const std::string& earlier) {
  const std::filesystem::path folder = data_directory();
  NcclStudy study = validation::read_nccl(folder);
  if (!earlier.empty()) {
    validation::Earlier compared = validation::with_earlier(std::move(study), earlier);
    if (compared.unmeasured > 0) {
      print_note("warning: {}: {} of its predictions have no published row\n", earlier,
                 compared.unmeasured);
    }
    return std::move(compared.study);
  }
  Progress progress("simulating rows", validation::nccl_simulations(study));
  return predict_nccl(folder, std::move(study), jobs, [&] { progress.step(); });
}

}  // namespace

void validate_nccl(const std::string& format, int jobs, NcclView view, const std::string& earlier) {
  const NcclStudy study = predicted(jobs, earlier);
  if (format == "table") return print_table(study, view);
  if (view == NcclView::predictions) return print_records(format, records_of(study, false));
  print_records(format, json_of(study), records_of(study, true));
}

}  // namespace apps
