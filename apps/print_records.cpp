#include "apps/print_records.hpp"

#include <fmt/format.h>

#include "apps/print.hpp"
#include "sim/report/records.hpp"

namespace apps {

void print_records(const std::string& format, const std::vector<nlohmann::ordered_json>& records) {
  if (format == "json") fmt::print("{}\n", nlohmann::ordered_json(records).dump(1));
  if (format == "csv") fmt::print("{}", sim::csv_text(records));
}

}  // namespace apps
