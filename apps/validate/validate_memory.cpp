// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_memory.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/blind_runs.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/text_table.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/validation/memory.hpp"
#include "sim/validation/study.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::MemoryRow;

double predict(const MemoryRow& row) {
  const BlindRun run = training_run(
      row.id,
      arguments_of(fmt::format("--topology {} --model {} {}", row.topology, row.model, row.flags)));
  return counted_bytes(row, memory_of(run.job, run.setup));
}

void print_table(const std::vector<MemoryRow>& rows, const std::vector<double>& predicted_bytes) {
  sim::TextTable table{.rows = {sim::heading_row({"peak memory of a GPU", "counted", "published",
                                                  "predicted", "off by"})}};
  validation::Errors errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    errors.add(predicted_bytes[i], rows[i].published_bytes, rows[i].id);
    table.rows.push_back(
        {"  " + rows[i].id, rows[i].reserved ? "reserved" : "allocated",
         fmt::format("{:.1f} GB", rows[i].published_bytes / 1e9),
         fmt::format("{:.1f} GB", predicted_bytes[i] / 1e9),
         fmt::format("{:+.1f} %", 100 * (predicted_bytes[i] / rows[i].published_bytes - 1))});
  }
  print_styled(to_text(table, output_width()));
  print_text("\n  {} rows, mean error {:.1f} %, worst {:.1f} %\n", errors.count, 100 * errors.mean,
             100 * errors.worst);
}

}  // namespace

void validate_memory(const std::string& format, int jobs) {
  const std::vector<MemoryRow> rows = validation::read_memory_rows(data_directory());
  const std::vector<double> predicted_bytes =
      sim::in_parallel(jobs, rows.size(), [&](std::size_t i) { return predict(rows[i]); });
  if (format == "table") return print_table(rows, predicted_bytes);
  std::vector<Json> records;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    records.push_back({{"row", rows[i].id},
                       {"counted", rows[i].reserved ? "reserved" : "allocated"},
                       {"published_bytes", rows[i].published_bytes},
                       {"predicted_bytes", predicted_bytes[i]}});
  }
  print_records(format, records);
}

}  // namespace apps
