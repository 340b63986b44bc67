// SPDX-License-Identifier: Apache-2.0
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/base/dimensions.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/letters.hpp"
#include "sim/base/printable.hpp"

namespace sim {
namespace {

using dimensions::Dimension;
using dimensions::dimension_of;
using dimensions::kDecimal;
using dimensions::Unit;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && equal_ignoring_case(text.substr(0, start.size()), start);
}

// "days" of "d", "Gbps or GBps" of "G", "us" of "usec": units that begin with the text, or else the
// longest one that the text begins with; empty if there is none, or if there are many.
std::string abbreviated_unit(std::string_view text, const std::vector<Unit>& units) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> longer, alike;
  std::string shorter;
  const bool is_word = std::ranges::all_of(
      text, [](char c) { return lower_letter(c) >= 'a' && lower_letter(c) <= 'z'; });
  for (const Unit& unit : units) {
    if (unit.name.starts_with(text)) longer.push_back(unit.name);
    if (begins_with(unit.name, text)) alike.push_back(unit.name);
    if (text.starts_with(unit.name) && unit.name.size() > shorter.size()) shorter = unit.name;
  }
  if (longer.empty()) longer = alike;
  if (longer.empty()) return is_word ? shorter : "";
  return longer.size() > kMost ? "" : joined(longer, " or ");
}

// The units that differ from `text` by capitals only, or else all of the dimension.
std::string unknown_unit(std::string_view text, const Dimension& dimension) {
  std::string names;
  std::string alike;
  for (const Unit& unit : dimension.units) {
    names += (names.empty() ? "" : ", ") + unit.name;
    if (equal_ignoring_case(unit.name, text)) alike += (alike.empty() ? "" : " or ") + unit.name;
  }
  const std::string unit = printable(text);
  if (alike.empty()) alike = abbreviated_unit(text, dimension.units);
  if (!alike.empty()) return fmt::format("'{}' is not a unit; did you mean {}?", unit, alike);
  return fmt::format("'{}' is not a unit of {}; write one of {}", unit, dimension.noun, names);
}

std::string_view unit_in(std::string_view example) { return example.substr(example.find(' ') + 1); }

bool is_of_money(const Dimension& dimension) {
  return unit_in(dimension.example).starts_with("USD");
}

// "3 MUSD" of "$3M", "3M USD" and "3 M$"; "2 USD/h" of "$2/h". Other text stays as it is.
std::string with_dollars_last(std::string_view text) {
  bool first = false;
  for (const std::string_view sign : {"$", "US$", "USD"}) {
    if (!text.starts_with(sign)) continue;
    text = without_blanks_around(text.substr(sign.size()));
    first = true;
    break;
  }
  auto [digits, unit] = split_number(text, Counting::large);
  std::erase_if(unit, [](char c) { return c == ' ' || c == '\t'; });
  if (const auto sign = unit.find('$'); sign != std::string::npos) {
    unit.replace(sign, 1, "USD");
  } else if (first && unit.find("USD") == std::string::npos) {
    unit.insert(std::min(unit.find('/'), unit.size()), "USD");
  }
  return digits.empty() ? std::string(text) : fmt::format("{} {}", digits, unit);
}

struct NumberAndUnit {
  double number = 0;
  std::string unit;
};

Parsed<NumberAndUnit> split(std::string_view text, const Dimension& dimension,
                            std::string_view example) {
  const auto wrong = [&](std::string_view what) {
    return Parsed<NumberAndUnit>{
        std::nullopt, fmt::format("'{}' {}; write e.g. \"{}\"", printable(text), what, example)};
  };
  const std::string_view trimmed = without_blanks_around(text);
  if (trimmed.empty()) return wrong(fmt::format("is not {}", dimension.noun));
  const std::string plain =
      is_of_money(dimension) ? with_dollars_last(trimmed) : std::string(trimmed);
  if (plain.starts_with('-')) return wrong("is negative");
  const auto& [digits, rest] = split_number(plain, Counting::small);
  if (digits.empty() || digits.starts_with('.')) return wrong("does not begin with a number");
  const auto number = number_in<double>(digits);
  if (!number) return wrong("is out of range");
  const std::string_view unit = without_blanks_around(rest);
  if (unit.empty()) {
    return {std::nullopt, fmt::format("'{0}' has no unit; write e.g. \"{0} {1}\"",
                                      printable(trimmed), unit_in(example))};
  }
  return {NumberAndUnit{*number, std::string(unit)}, {}};
}

// Null if the text is none. Where the example is in bits per second, "G" is "Gbps".
const Unit* unit_named(const std::string& text, const Dimension& dimension,
                       std::string_view example) {
  const std::string bits = example.ends_with("bps") ? text + "bps" : text;
  for (const std::vector<Unit>* names : {&dimension.units, &dimension.spellings}) {
    const auto found = std::ranges::find_if(
        *names, [&](const Unit& one) { return one.name == text || one.name == bits; });
    if (found != names->end()) return &*found;
  }
  return nullptr;
}

std::string out_of_range(std::string_view text, bool is_large, const Dimension& dimension) {
  const Unit& unit = dimension.units.front();
  const double limit = (is_large ? dimension.most : dimension.least) * unit.divide / unit.multiply;
  return fmt::format("'{}' is out of range; write at {} {:.4g} {}", printable(text),
                     is_large ? "most" : "least", limit, unit.name);
}

Parsed<double> parse_base(std::string_view text, const Dimension& dimension,
                          std::string_view example) {
  const Parsed<NumberAndUnit> parts =
      split(text, dimension, example.empty() ? dimension.example : example);
  if (!parts.value) return {std::nullopt, parts.problem};
  const Unit* unit = unit_named(parts.value->unit, dimension, example);
  if (unit == nullptr) return {std::nullopt, unknown_unit(parts.value->unit, dimension)};
  const double base = parts.value->number * unit->multiply / unit->divide;
  constexpr double kRounded = 1e-9;  // of a limit that a message names in another unit
  if (base > dimension.most * (1 + kRounded) ||
      (base < dimension.least * (1 - kRounded) && parts.value->number != 0)) {
    return {std::nullopt, out_of_range(text, base > dimension.most, dimension)};
  }
  return {base, {}};
}

// `unit` is without prefix. From 999.5 on, three digits would read 1000: the next prefix is used.
// With the prefix that fits `like`.
std::string with_prefix(double base, std::string_view unit, double like) {
  std::size_t index = 0;
  while (index + 1 < kDecimal.size() && std::abs(like) / kDecimal[index].factor >= 999.5) ++index;
  const double value = base / kDecimal[index].factor;
  const int decimals = std::abs(value) < 9.995 ? 2 : std::abs(value) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", value, decimals, kDecimal[index].letters, unit);
}
std::string with_prefix(double base, std::string_view unit) {
  return with_prefix(base, unit, base);
}

}  // namespace

template <class T>
Parsed<T> parse_quantity(std::string_view text, std::string_view example) {
  const Parsed<double> base = parse_base(text, dimension_of<T>(), example);
  if (!base.value) return {std::nullopt, base.problem};
  return {T::from_base(*base.value), {}};
}
template Parsed<Seconds> parse_quantity(std::string_view, std::string_view);
template Parsed<Bandwidth> parse_quantity(std::string_view, std::string_view);
template Parsed<FlopRate> parse_quantity(std::string_view, std::string_view);
template Parsed<Watts> parse_quantity(std::string_view, std::string_view);
template Parsed<DollarRate> parse_quantity(std::string_view, std::string_view);
template Parsed<BytePrice> parse_quantity(std::string_view, std::string_view);
template Parsed<Dollars> parse_quantity(std::string_view, std::string_view);
template Parsed<EnergyPrice> parse_quantity(std::string_view, std::string_view);
template Parsed<BandwidthPrice> parse_quantity(std::string_view, std::string_view);

template <>
Parsed<Bytes> parse_quantity(std::string_view text, std::string_view example) {
  const Parsed<double> base = parse_base(text, dimension_of<Bytes>(), example);
  if (!base.value) return {std::nullopt, base.problem};
  // 40.1 GB is a whole number that binary fractions miss by a hair; half a byte is not.
  const double whole = std::round(*base.value);
  if (std::abs(*base.value - whole) > 1e-3) {
    return {std::nullopt,
            fmt::format("'{}' is not a whole number of bytes; write e.g. \"{:.0f} B\"",
                        printable(text), whole)};
  }
  return {Bytes{static_cast<std::int64_t>(whole)}, {}};
}

template <class T>
std::string_view quantity_noun() {
  const std::string_view noun = dimension_of<T>().noun;
  return noun.substr(noun.find(' ') + 1);  // without its article
}

namespace {

template <class... T>
std::vector<QuantityUnits> quantities() {
  std::vector<QuantityUnits> all;
  const auto add = [&](std::string_view noun, const Dimension& dimension) {
    all.push_back({noun, {}});
    for (const Unit& unit : dimension.units) all.back().units.push_back(unit.name);
  };
  (add(quantity_noun<T>(), dimension_of<T>()), ...);
  return all;
}

}  // namespace

template std::string_view quantity_noun<Seconds>();
template std::string_view quantity_noun<Bandwidth>();
template std::string_view quantity_noun<Bytes>();
template std::string_view quantity_noun<FlopRate>();
template std::string_view quantity_noun<Watts>();
template std::string_view quantity_noun<DollarRate>();
template std::string_view quantity_noun<BytePrice>();
template std::string_view quantity_noun<BandwidthPrice>();
template std::string_view quantity_noun<Dollars>();
template std::string_view quantity_noun<EnergyPrice>();

std::vector<QuantityUnits> all_quantities() {
  return quantities<Seconds, Bandwidth, Bytes, FlopRate, Watts, DollarRate, BytePrice,
                    BandwidthPrice, Dollars, EnergyPrice>();
}

std::string to_text(Seconds value) {
  const double seconds = value.base();
  const double size = std::abs(seconds);
  // Nobody reads kiloseconds.
  if (size >= 999.5) return fmt::format("{:.0f} s", seconds);
  if (size == 0 || size >= 0.9995) return with_prefix(seconds, "s");
  if (size >= 0.9995e-3) return with_prefix(seconds * 1e3, "ms");
  if (size >= 0.9995e-6) return with_prefix(seconds * 1e6, "us");
  return with_prefix(seconds * 1e9, "ns");
}
std::string to_text(Bandwidth value) { return with_prefix(value.base(), "Bps"); }
std::string gbps_text(Bandwidth value) { return fmt::format("{:g} Gbps", value.base() * 8 / 1e9); }
std::string to_text(Bytes value) {
  if (std::abs(static_cast<double>(value.count)) < 1000) return fmt::format("{} B", value.count);
  return with_prefix(static_cast<double>(value.count), "B");
}
std::string to_text(FlopRate value) { return with_prefix(value.base(), "FLOPs"); }
std::string to_text(Flop value) { return with_prefix(value.base(), "FLOP"); }
std::string to_text(Watts value) { return with_prefix(value.base(), "W"); }
std::string to_text(DollarRate value) { return fmt::format("{:.2f} USD/h", value.base() * 3600); }
std::string to_text(BytePrice value) { return fmt::format("{:.3f} USD/GB", value.base() * 1e9); }
std::string to_text(Dollars value) { return with_prefix(value.base(), "USD"); }
std::string to_text(Dollars value, Dollars like) {
  return with_prefix(value.base(), "USD", like.base());
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return printable_line(text, kLongest);
}

}  // namespace sim
