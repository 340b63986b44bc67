// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/base_units.hpp"

#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

double base_value_of(sim::Bytes bytes) { return static_cast<double>(bytes.count); }
template <class T>
double base_value_of(T quantity) {
  return quantity.base();
}

template <class T>
std::optional<InBaseUnits> in(std::string_view unit, std::string_view text) {
  const auto parsed = sim::parse_quantity<T>(text);
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

std::string column_in(const std::string& key, const InBaseUnits& number) {
  return column_of(key) + "_" + std::string(number.unit);
}

}  // namespace

std::optional<InBaseUnits> in_base_units(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos || text[begin] < '0' || text[begin] > '9') return std::nullopt;
  return first_of(text, Dimension<sim::Bytes>{"bytes"}, Dimension<sim::Bandwidth>{"Bps"},
                  Dimension<sim::Seconds>{"s"}, Dimension<sim::FlopRate>{"flops_per_s"},
                  Dimension<sim::Watts>{"W"}, Dimension<sim::DollarRate>{"usd_per_s"},
                  Dimension<sim::Dollars>{"usd"}, Dimension<sim::BytePrice>{"usd_per_byte"},
                  Dimension<sim::EnergyPrice>{"usd_per_J"},
                  Dimension<sim::BandwidthPrice>{"usd_per_s_per_Bps"});
}

bool NumberColumns::add(const std::string& key, const Inputs& value) {
  if (!value.is_string()) return false;
  OfKey& of_key = keys_[key];
  const auto [known, is_new] = of_key.numbers.emplace(value.get<std::string>(), std::nullopt);
  if (!is_new) return false;
  known->second = in_base_units(known->first);
  if (known->second) of_key.columns.insert(column_in(key, *known->second));
  return true;
}

const std::set<std::string>& NumberColumns::of(const std::string& key) const {
  static const std::set<std::string> kNone;
  const auto found = keys_.find(key);
  return found == keys_.end() ? kNone : found->second.columns;
}

Inputs NumberColumns::value(const std::string& key, const Inputs& value,
                            const std::string& column) const {
  const auto of_key = keys_.find(key);
  if (of_key == keys_.end() || !value.is_string()) return nullptr;
  const auto known = of_key->second.numbers.find(value.get<std::string>());
  const bool is_there = known != of_key->second.numbers.end() && known->second &&
                        column_in(key, *known->second) == column;
  return is_there ? Inputs(known->second->value) : Inputs();
}

}  // namespace apps
