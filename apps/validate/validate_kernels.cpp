// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_kernels.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/kernels.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::KernelGroup;
using validation::MeasuredTable;

// Copies and launches, by the cluster file and as measured.
void print_gpus(const std::vector<MeasuredTable>& tables) {
  sim::TextTable table{.align = "<>>>>"};
  table.rows.push_back(
      sim::heading_row({"GPU", "copy, GB/s: file", "measured", "launch, us: file", "measured"}));
  for (const auto& [measured, gpu, compiled] : tables) {
    const sim::Gpu as_measured = sim::as_measured(gpu, measured);
    const auto copy = [](const sim::Gpu& one) {
      return fmt::format("{:.0f}", (one.memory_bandwidth * one.memory_efficiency).base() / 1e9);
    };
    const auto launch = [](const sim::Gpu& one) {
      return fmt::format("{:.2f}", one.launch_latency.base() * 1e6);
    };
    table.rows.push_back(
        {gpu.name, copy(gpu), copy(as_measured), launch(gpu), launch(as_measured)});
  }
  print_styled(to_text(table, output_width()));
  print_text("\n");
}

void print_groups(const std::vector<KernelGroup>& groups) {
  sim::TextTable table{.align = "<<<<>>>>"};
  table.rows.push_back(sim::heading_row({"GPU", "kernels", "size", "predicted from", "rows",
                                         "off by", "predicted / measured", "within 25 %"}));
  for (const KernelGroup& group : groups) {
    const validation::KernelErrors& errors = group.errors;
    table.rows.push_back(
        {group.gpu, group.kind, group.size, group.from, fmt::format("{}", errors.rows),
         fmt::format("{:.1f} %", 100 * errors.mean_error), fmt::format("{:.2f}", errors.bias),
         fmt::format("{:.0f} %", 100.0 * errors.within_quarter / errors.rows)});
  }
  print_styled(to_text(table, output_width()));
}

std::vector<Json> records_of(const std::vector<KernelGroup>& groups) {
  std::vector<Json> records;
  for (const KernelGroup& group : groups) {
    records.push_back({{"gpu", group.gpu},
                       {"kernels", group.kind},
                       {"size", group.size},
                       {"predicted_from", group.from},
                       {"rows", group.errors.rows},
                       {"mean_error", group.errors.mean_error},
                       {"predicted_over_measured", group.errors.bias},
                       {"rows_within_quarter", group.errors.within_quarter}});
  }
  return records;
}

}  // namespace

void validate_kernels(const std::string& format) {
  const auto tables = validation::read_measured_tables(data_directory());
  const auto groups = validation::compare_kernels(tables, data_directory());
  if (format != "table") {
    const std::vector<Json> records = records_of(groups);
    print_records(format, Json{{"schema_version", 1}, {"study", "kernels"}, {"rows", records}},
                  records);
    return;
  }
  print_gpus(tables);
  print_groups(groups);
  print_text(
      "\nLarge kernels move 32 MB and more. Data sheet: the launch latency, and the bytes over the "
      "rate of\na copy, of a cluster file. Another GPU's table: what its bytes need, by the rates "
      "of "
      "copies, and\nthe rest by the number of SMs; or, compiled, by the machine code. Fitted: the "
      "form's "
      "constants\nwere fitted to these codecs on the H100.\n");
}

}  // namespace apps
