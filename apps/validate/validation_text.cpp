// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validation_text.hpp"

#include <fmt/format.h>

namespace apps {

std::string short_name(const std::string& row) { return row.substr(row.find('/') + 1); }

std::string off_text(double predicted, double published, const char* unit) {
  return fmt::format("{:.4g}{} {:>+4.0f} %", predicted, unit, 100 * (predicted / published - 1));
}

std::string error_text(const sim::validation::Errors& errors) {
  if (errors.count == 0) return "-";
  return fmt::format("{:.1f} / {:.1f} %", 100 * errors.mean, 100 * errors.worst);
}

nlohmann::ordered_json error_object(const sim::validation::Errors& errors) {
  return {{"mean", errors.mean},
          {"worst", errors.worst},
          {"worst_row", errors.worst_row},
          {"count", errors.count}};
}

}  // namespace apps
