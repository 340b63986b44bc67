// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/base_units.hpp"

#include "sim/base/quantity_text.hpp"

namespace sim::sweep {
namespace {

double base_value_of(Bytes bytes) { return static_cast<double>(bytes.count); }
template <class T>
double base_value_of(T quantity) {
  return quantity.base();
}

template <class T>
std::optional<InBaseUnits> in(std::string_view unit, std::string_view text) {
  const auto parsed = parse_quantity<T>(text);
  return parsed.value ? std::optional(InBaseUnits{base_value_of(*parsed.value), unit})
                      : std::nullopt;
}

// No unit belongs to two of the types.
template <class T>
struct Dimension {
  std::string_view unit;
};
template <class... T>
std::optional<InBaseUnits> first_of(std::string_view text, const Dimension<T>&... kinds) {
  std::optional<InBaseUnits> found;
  static_cast<void>(((found = in<T>(kinds.unit, text)) || ...));
  return found;
}

}  // namespace

std::optional<InBaseUnits> in_base_units(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  const auto begins_quantity = [](char c) { return c == '$' || (c >= '0' && c <= '9'); };
  if (begin == text.npos || !begins_quantity(text[begin])) return std::nullopt;
  return first_of(
      text, Dimension<Bytes>{"bytes"}, Dimension<Bandwidth>{"Bps"}, Dimension<Seconds>{"s"},
      Dimension<FlopRate>{"flops_per_s"}, Dimension<Watts>{"W"}, Dimension<DollarRate>{"usd_per_s"},
      Dimension<Dollars>{"usd"}, Dimension<BytePrice>{"usd_per_byte"},
      Dimension<EnergyPrice>{"usd_per_J"}, Dimension<BandwidthPrice>{"usd_per_s_per_Bps"});
}

std::string column_of(const std::string& key, const InBaseUnits& number) {
  return column_of(key) + "_" + std::string(number.unit);
}

bool NumberColumns::add(const std::string& key, const Inputs& value) {
  if (!value.is_string()) return false;
  OfKey& of_key = keys_[key];
  const auto [known, is_new] = of_key.numbers.emplace(value.get<std::string>(), std::nullopt);
  if (!is_new) return false;
  known->second = in_base_units(known->first);
  if (known->second) of_key.columns.insert(column_of(key, *known->second));
  return true;
}

void NumberColumns::each(const Inputs& inputs, const Visit& visit) const {
  for (const auto& [key, value] : inputs.items()) {
    visit(column_of(key), value);
    const auto of_key = keys_.find(key);
    if (of_key == keys_.end()) continue;
    const auto known = of_key->second.numbers.find(text_of(value));
    const auto number =
        value.is_string() && known != of_key->second.numbers.end() ? known->second : std::nullopt;
    for (const std::string& column : of_key->second.columns) {
      const bool is_there = number && column_of(key, *number) == column;
      visit(column, is_there ? Inputs(number->value) : Inputs());
    }
  }
}

}  // namespace sim::sweep
