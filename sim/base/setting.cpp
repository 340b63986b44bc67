// SPDX-License-Identifier: Apache-2.0
#include "sim/base/setting.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {

std::string Setting::name() const {
  return field.empty() ? fmt::format("`set` {}", printable(key)) : fmt::format("`{}`", field);
}

void refuse(const Setting& setting, std::string_view what) {
  throw InputError(fmt::format("{}: {}", setting.name(), what));
}

int whole_number(const Setting& setting, int lowest, int highest) {
  const auto value = number_in<int>(setting.value);
  if (!value || *value < lowest || *value > highest) {
    refuse(setting, fmt::format("'{}' is not a whole number from {} to {}",
                                printable(setting.value), lowest, highest));
  }
  return *value;
}

std::size_t multiple_of_32(const Setting& setting) {
  const int value = whole_number(setting, 32, 1 << 20);
  if (value % 32 != 0) refuse(setting, fmt::format("{} is not a multiple of 32", value));
  return static_cast<std::size_t>(value);
}

}  // namespace sim
