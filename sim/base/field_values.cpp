// SPDX-License-Identifier: Apache-2.0
#include "sim/base/field_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim::field_values {
namespace {

bool allows(const NumberRange& range, double value) {
  const bool above = range.above_zero ? value > 0 : value >= range.lowest;
  return above && value <= range.highest;
}

double base_value(Bytes value) { return static_cast<double>(value.count); }
template <class Dimension>
double base_value(Quantity<Dimension> value) {
  return value.base();
}

// Dividing by a unit rounds, so that the nearest number may read as the value beside it.
template <class V>
std::string exact_text_in(const std::string& unit, V value) {
  const double count = base_value(value) / base_value(*parse_quantity<V>("1 " + unit).value);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::string& number : {fmt::format("{:.15g}", count), fmt::format("{}", count),
                                    fmt::format("{}", std::nextafter(count, 0.0)),
                                    fmt::format("{}", std::nextafter(count, infinity))}) {
    const std::string text = fmt::format("{} {}", number, unit);
    if (parse_quantity<V>(text).value == value) return text;
  }
  return {};
}

}  // namespace

std::string text(const std::string& value, const NumberRange&) {
  return value.empty() ? "" : toml_text(value);
}

std::string text(bool value, const NumberRange&) { return value ? "true" : "false"; }

std::string text(double value, const NumberRange& range) {
  return allows(range, value) ? fmt::format("{}", value) : "";
}

std::string text(std::int64_t value, const NumberRange& range) {
  return allows(range, static_cast<double>(value)) ? fmt::format("{}", value) : "";
}

std::string text(const Texts& value, const NumberRange&) {
  std::vector<std::string> quoted;
  for (const std::string& one : value) quoted.push_back(toml_text(one));
  return value.empty() ? "" : fmt::format("[{}]", joined(quoted));
}

std::string text(const Counts& value, const NumberRange&) {
  return value.empty() ? "" : fmt::format("[{}]", joined(value));
}

template <class V>
std::string exact_text(V value) {
  std::string shortest;
  for (const QuantityUnits& quantity : all_quantities()) {
    if (quantity.noun != quantity_noun<V>()) continue;
    for (const std::string& unit : quantity.units) {
      const std::string text = exact_text_in(unit, value);
      if (shortest.empty() || (!text.empty() && text.size() < shortest.size())) shortest = text;
    }
  }
  return toml_text(shortest);
}

template std::string exact_text(Seconds);
template std::string exact_text(Bandwidth);
template std::string exact_text(Bytes);
template std::string exact_text(FlopRate);
template std::string exact_text(Watts);
template std::string exact_text(DollarRate);
template std::string exact_text(BytePrice);
template std::string exact_text(Dollars);
template std::string exact_text(EnergyPrice);
template std::string exact_text(BandwidthPrice);

}  // namespace sim::field_values
