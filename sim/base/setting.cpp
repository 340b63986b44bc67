// SPDX-License-Identifier: Apache-2.0
#include "sim/base/setting.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {

std::string Setting::name() const {
  return field.empty() ? fmt::format("`set` {}", printable(key)) : fmt::format("`{}`", field);
}

void refuse(const Setting& setting, std::string_view what) {
  throw InputError(fmt::format("{}: {}", setting.name(), what));
}

}  // namespace sim
