// SPDX-License-Identifier: Apache-2.0
// joined_range().
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

// "days" of "1.5 days", "1.5" of which is its number.
std::string_view unit_of(std::string_view text) {
  return text.substr(std::min(text.find(' '), text.size()));
}

// `low` as a number of the unit of `high`: "0.99" of 23.8 h beside 1.5 days. Nothing for texts that
// are not quantities of this kind, and for such as lie so far apart that two units are easier to read.
template <class T>
std::optional<std::string> in_unit_of(std::string_view high, std::string_view low) {
  constexpr double kFarApart = 0.01;
  const auto unit = parse_quantity<T>(fmt::format("1{}", unit_of(high))).value;
  const auto quantity = parse_quantity<T>(low).value;
  if (!unit || !quantity || quantity->base() < kFarApart * unit->base()) return std::nullopt;
  return fmt::format("{:#.2g}", quantity->base() / unit->base());
}

}  // namespace

std::string joined_range(std::string_view low, std::string_view high, std::string_view joint) {
  const std::string_view unit = unit_of(low);
  const std::string_view number = low.substr(0, low.size() - unit.size());
  if (!unit.empty() && unit == unit_of(high)) return fmt::format("{}{}{}", number, joint, high);
  auto other = in_unit_of<Seconds>(high, low);
  if (!other) other = in_unit_of<Dollars>(high, low);
  return fmt::format("{}{}{}", other.value_or(std::string(low)), joint, high);
}

}  // namespace sim
