// SPDX-License-Identifier: Apache-2.0
// The study of training with fully sharded weights that `validate` reruns.
#include "apps/validate/validate_fsdp.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/validation_text.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/fsdp.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;
using sim::validation::Column;
using sim::validation::Columns;
using sim::validation::FsdpRow;
using sim::validation::FsdpStudy;
using sim::validation::ScaleChange;
using sim::validation::table_of;

struct Table {
  const char* name;
  const char* title;
};
constexpr std::array kTables{Table{"fsdp_a100", "MPT, A100"},
                             Table{"fsdp_h100_torchtitan", "Llama 3 8B, H100"}};

std::string memory_text(const FsdpRow& row) {
  std::string text = fmt::format("{:.1f} GB", row.memory_bytes / 1e9);
  if (row.published_memory_bytes > 0) {
    text += fmt::format(", published {:.1f}", row.published_memory_bytes / 1e9);
  }
  return text + (row.fits_memory ? "" : ", DOES NOT FIT");
}

std::string mfu_text(double mfu) { return fmt::format("{:.1f} %", 100 * mfu); }

std::vector<sim::TableCell> row_of(const FsdpRow& row) {
  const double published = row.measured.value;
  std::vector<sim::TableCell> cells{"  " + short_name(row.measured.row),
                                    mark_of(row) + (row.left_out.empty() ? "" : "-"),
                                    fmt::format("{:.0f}", published), mfu_text(row.mfu(published))};
  for (const auto& [name, column] : kPlainColumns) {
    const double tokens = row.predicted.*column;
    cells.emplace_back(fmt::format("{:.0f} {:>+6.1f} %", tokens, 100 * (tokens / published - 1)));
    if (column == &Columns::fitted) cells.emplace_back(mfu_text(row.mfu(tokens)));
  }
  cells.emplace_back(memory_text(row), row.fits_memory ? sim::Style::plain : sim::Style::bad);
  return cells;
}

sim::TextTable rows_of(const FsdpStudy& study, const Table& table) {
  sim::TextTable text{.labels = 3, .align = "<<>>>>>>><"};
  text.rows.push_back(sim::heading_row({table.title, "", "published", "MFU", "blind", "default",
                                        "fitted", "MFU", "null model", "memory"}));
  for (const FsdpRow& row : study.rows) {
    if (table_of(row.measured.row) == table.name) text.rows.push_back(row_of(row));
  }
  return text;
}

std::string notes_of(const FsdpStudy& study) {
  std::string text = "  * the constant of its group was fitted to this row\n";
  text += kDefaultNote;
  text += kBlindNote;
  for (const FsdpRow& row : study.rows) {
    if (row.left_out.empty()) continue;
    text += fmt::format("  - {}: {}; excluded from the errors\n", short_name(row.measured.row),
                        row.left_out);
  }
  return text;
}

sim::TextTable errors_of(const std::vector<FsdpRow>& rows) {
  sim::TextTable text;
  text.rows.push_back(
      sim::heading_row({"errors, mean / worst", "blind", "default", "fitted", "null model"}));
  const auto add = [&](const char* title, const char* table) {
    const int count = fsdp_errors(rows, table, &Columns::fitted).count;
    text.rows.push_back({fmt::format("  {}, {} rows", title, count)});
    for (const auto& [name, column] : kPlainColumns) {
      text.rows.back().emplace_back(error_text(fsdp_errors(rows, table, column)));
    }
  };
  add("both, rows without * and -", "");
  for (const Table& table : kTables) add(table.title, table.name);
  return text;
}

const char* unit_of(const ScaleChange& change) {
  return change.of_throughput ? "% of throughput" : "percentage points of MFU";
}

sim::TextTable changes_of(const std::vector<ScaleChange>& changes) {
  sim::TextTable text{.labels = 2, .align = "<<"};
  text.rows.push_back(sim::heading_row(
      {"from 8 to 128 GPUs", "", "published", "blind", "default", "fitted", "null model"}));
  for (const ScaleChange& change : changes) {
    text.rows.push_back(
        {"  " + change.series, unit_of(change), fmt::format("{:+.1f}", change.published)});
    for (const auto& [name, column] : kPlainColumns) {
      text.rows.back().emplace_back(fmt::format("{:+.1f}", change.predicted.*column));
    }
  }
  return text;
}

std::string constants_text(const FsdpStudy& study) {
  std::string text = "fitted constants\n";
  for (const auto& [group, fitted] : study.constants) {
    text += fmt::format("  {:<22}compute_efficiency {:.4f}   fitted to {}\n", group,
                        *fitted.compute_efficiency, sim::joined(fitted.rows));
  }
  return text;
}

void print_table(const FsdpStudy& study) {
  const std::size_t width = output_width();
  print_text("tokens per second per GPU, error, and MFU\n\n");
  for (const Table& table : kTables) {
    print_styled(to_text(rows_of(study, table), width));
    print_text("\n");
  }
  print_text("{}\n", notes_of(study));
  print_styled(to_text(errors_of(study.rows), width));
  print_text("\n");
  print_styled(to_text(changes_of(scale_changes(study.rows)), width));
  print_text("\n{}", constants_text(study));
}

Json record_of(const FsdpRow& row) {
  Json record{{"row", row.measured.row},
              {"gpus", row.gpus},
              {"group", row.group},
              {"published_tokens_per_s_per_gpu", row.measured.value}};
  for (const auto& [name, column] : kPlainColumns) {
    record[fmt::format("{}_tokens_per_s_per_gpu", name)] = row.predicted.*column;
  }
  record["published_mfu"] = row.mfu(row.measured.value);
  for (const auto& [name, column] : kPlainColumns) {
    record[fmt::format("{}_mfu", name)] = row.mfu(row.predicted.*column);
  }
  const bool known = row.published_memory_bytes > 0;
  record["published_memory_bytes"] = known ? Json(row.published_memory_bytes) : Json(nullptr);
  record["memory_bytes"] = row.memory_bytes;
  record["fits_memory"] = row.fits_memory;
  record["used_in_fit"] = row.used_in_fit;
  record["used_in_default"] = row.used_in_default;
  record["left_out"] = !row.left_out.empty();
  return record;
}

Json json_of(const FsdpStudy& study) {
  Json json{{"schema_version", 1}, {"study", "fsdp"}};
  for (const FsdpRow& row : study.rows) json["rows"].push_back(record_of(row));
  for (const auto& [name, column] : kPlainColumns) {
    json["errors"]["both"][name] = error_object(fsdp_errors(study.rows, "", column));
    for (const Table& table : kTables) {
      json["errors"][table.name][name] = error_object(fsdp_errors(study.rows, table.name, column));
    }
  }
  for (const ScaleChange& change : scale_changes(study.rows)) {
    json["from_8_to_128_gpus"].push_back({{"series", change.series},
                                          {"unit", unit_of(change)},
                                          {"published", change.published},
                                          {"blind", change.predicted.blind},
                                          {"default", change.predicted.by_default},
                                          {"fitted", change.predicted.fitted},
                                          {"null_model", change.predicted.null_model}});
  }
  for (const auto& [group, fitted] : study.constants) {
    json["constants"][group] = {{"compute_efficiency", *fitted.compute_efficiency},
                                {"fitted_on", fitted.rows}};
  }
  return json;
}

FsdpStudy rerun(int jobs) {
  const std::filesystem::path folder = data_directory();
  std::vector<FsdpRow> rows = sim::validation::read_fsdp(folder);
  Progress progress("predicting rows", static_cast<int>(rows.size()));
  return predict_fsdp(folder, std::move(rows), jobs, [&] { progress.step(); });
}

}  // namespace

void validate_fsdp(const std::string& format, int jobs) {
  const FsdpStudy study = rerun(jobs);
  if (format == "table") print_table(study);
  const Json json = json_of(study);
  print_records(format, json, json["rows"].get<std::vector<Json>>());
}

}  // namespace apps
