// SPDX-License-Identifier: Apache-2.0
#include "apps/print_records.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/print.hpp"
#include "sim/report/records.hpp"

namespace apps {

void print_records(const std::string& format, const std::vector<nlohmann::ordered_json>& records) {
  print_records(format, nlohmann::ordered_json(records), records);
}

void print_records(const std::string& format, const nlohmann::ordered_json& whole,
                   const std::vector<nlohmann::ordered_json>& records) {
  if (format == "json") print_json(sim::dumped(whole, 1) + "\n");
  if (format == "csv") print_text("{}", sim::csv_text(records));
}

}  // namespace apps
