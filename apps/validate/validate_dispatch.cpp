// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_dispatch.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/dispatch.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::ExchangeErrors;
using validation::ExchangeGroup;
using validation::ExchangeRole;
using validation::ExchangeRow;
using validation::PairGroup;

std::string exchange_errors_text(const ExchangeErrors& errors) {
  if (errors.count == 0) return "-";
  return fmt::format("{:.1f} / {:.1f} %", 100 * errors.mean, 100 * errors.rms);
}

std::string signed_text(const ExchangeErrors& errors) {
  return errors.count == 0 ? "-" : fmt::format("{:+.0f} %", 100 * errors.bias);
}

const char* mark_of_role(ExchangeRole role) {
  if (role == ExchangeRole::fit) return " *";
  return role == ExchangeRole::shown ? " -" : "";
}

sim::TextTable times_of(const std::vector<ExchangeGroup>& groups) {
  sim::TextTable table{.labels = 3, .align = "<>"};
  table.rows.push_back(sim::heading_row({"table", "GPUs", "operation", "rows", "simulated",
                                         "signed", "latency and bytes", "signed"}));
  for (const ExchangeGroup& group : groups) {
    table.rows.push_back({group.table + mark_of_role(group.role), fmt::format("{}", group.ranks),
                          group.operation, fmt::format("{}", group.simulated.count),
                          exchange_errors_text(group.simulated), signed_text(group.simulated),
                          exchange_errors_text(group.by_bytes), signed_text(group.by_bytes)});
  }
  return table;
}

sim::TextTable ratios_of(const std::vector<PairGroup>& groups) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(sim::heading_row(
      {"FP8 over BF16 dispatch", "pairs", "simulated", "bytes", "faster", "measured faster"}));
  for (const PairGroup& group : groups) {
    table.rows.push_back({group.table, fmt::format("{}", group.simulated.count),
                          exchange_errors_text(group.simulated),
                          exchange_errors_text(group.by_bytes), fmt::format("{}", group.faster),
                          fmt::format("{}", group.measured_faster)});
  }
  return table;
}

Json object_of(const ExchangeErrors& errors) {
  if (errors.count == 0) return nullptr;
  return {
      {"count", errors.count}, {"mean", errors.mean}, {"rms", errors.rms}, {"bias", errors.bias}};
}

Json errors_of(const std::vector<ExchangeGroup>& groups) {
  Json all = Json::array();
  for (const ExchangeGroup& group : groups) {
    all.push_back({{"table", group.table},
                   {"gpus", group.ranks},
                   {"operation", group.operation},
                   {"role", sim::name_of(group.role, validation::kExchangeRoles)},
                   {"simulated", object_of(group.simulated)},
                   {"latency_and_bytes", object_of(group.by_bytes)}});
  }
  return all;
}

Json pairs_of(const std::vector<PairGroup>& groups) {
  Json all = Json::array();
  for (const PairGroup& group : groups) {
    all.push_back({{"table", group.table},
                   {"simulated", object_of(group.simulated)},
                   {"bytes", object_of(group.by_bytes)},
                   {"faster", group.faster},
                   {"measured_faster", group.measured_faster}});
  }
  return all;
}

std::vector<Json> records_of(const std::vector<ExchangeRow>& rows) {
  std::vector<Json> records;
  for (const ExchangeRow& row : rows) {
    records.push_back(
        {{"table", row.table},
         {"algorithm", row.algorithm->name},
         {"topology", row.cluster},
         {"gpus", row.ranks()},
         {"operation", row.operation},
         {"type", row.type},
         {"tokens", row.tokens},
         {"multiprocessors", row.multiprocessors > 0 ? Json(row.multiprocessors) : Json(nullptr)},
         {"role", sim::name_of(row.role, validation::kExchangeRoles)},
         {"published_s", row.measured_s},
         {"simulated_s", row.simulated_s},
         {"latency_and_bytes_s", row.by_bytes_s > 0 ? Json(row.by_bytes_s) : Json(nullptr)}});
  }
  return records;
}

}  // namespace

void validate_dispatch(const std::string& format, int jobs) {
  std::vector<ExchangeRow> rows = validation::read_exchanges(data_directory());
  {
    Progress progress("simulating exchanges", static_cast<int>(rows.size()));
    validation::predict_exchanges(data_directory(), rows, jobs, [&] { progress.step(); });
  }
  const auto groups = validation::exchange_groups(rows);
  const auto pairs = validation::pair_groups(validation::type_pairs(rows));
  if (format != "table") {
    print_records(format,
                  Json{{"schema_version", 1},
                       {"study", "dispatch"},
                       {"errors", errors_of(groups)},
                       {"pairs", pairs_of(pairs)},
                       {"rows", records_of(rows)}},
                  records_of(rows));
    return;
  }
  print_text("errors of the time, mean / root of the mean square\n\n");
  print_styled(to_text(times_of(groups), output_width()));
  print_text("\n  *: constants were fitted to these rows; -: other rows contradict them\n\n");
  print_styled(to_text(ratios_of(pairs), output_width()));
}

}  // namespace apps
