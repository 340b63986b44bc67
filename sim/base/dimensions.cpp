// SPDX-License-Identifier: Apache-2.0
#include "sim/base/dimensions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "sim/base/units.hpp"

namespace sim::dimensions {
namespace {

// All whole numbers up to here are doubles, and a thousand of them can be added.
constexpr double kMostBytes = 0x1p53;

constexpr std::array kBinary{Prefix{"Ki", 0x1p10}, Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30},
                             Prefix{"Ti", 0x1p40}};

void add_prefixed(std::vector<Unit>& units, std::string_view unit, double divide = 1) {
  for (const Prefix& prefix : kDecimal) {
    units.push_back({fmt::format("{}{}", prefix.letters, unit), prefix.factor, divide});
  }
}

// Adds other names of a unit, which has been added.
void add_spellings(Dimension& dimension, std::string_view unit,
                   std::initializer_list<std::string_view> names) {
  const Unit known = *std::ranges::find(dimension.units, unit, &Unit::name);
  for (const std::string_view name : names) {
    dimension.spellings.push_back({std::string(name), known.multiply, known.divide});
  }
}

template <class T>
Dimension described();

template <>
Dimension described<Seconds>() {
  Dimension result{"a time",
                   "2 us",
                   {{"s", 1, 1},
                    {"ms", 1, 1e3},
                    {"us", 1, 1e6},
                    {"ns", 1, 1e9},
                    {"min", 60, 1},
                    {"h", 3600, 1},
                    {"days", 86'400, 1}},
                   {},
                   1e-15,
                   1e15};
  add_spellings(result, "s", {"sec", "secs", "second", "seconds"});
  add_spellings(result, "ms", {"msec"});
  add_spellings(result, "us", {"\u00b5s", "\u03bcs", "usec"});  // micro sign, Greek mu
  add_spellings(result, "min", {"mins", "minute", "minutes"});
  add_spellings(result, "h", {"hr", "hrs", "hour", "hours"});
  add_spellings(result, "days", {"d", "day"});
  return result;
}
template <>
Dimension described<Bandwidth>() {
  Dimension result{"a bandwidth", "400 Gbps", {}, {}, 1e-3, 1e18};
  add_prefixed(result.units, "bps", 8);
  add_prefixed(result.units, "Bps");
  for (const char* bits : {"b/s", "bit/s"}) add_prefixed(result.spellings, bits, 8);
  add_prefixed(result.spellings, "B/s");
  return result;
}
template <>
Dimension described<Bytes>() {
  Dimension result{"a size", "80 GB", {}, {}, 0, kMostBytes};
  add_prefixed(result.units, "B");
  for (const Prefix& prefix : kBinary) {
    result.units.push_back({fmt::format("{}B", prefix.letters), prefix.factor, 1});
  }
  return result;
}
template <>
Dimension described<FlopRate>() {
  Dimension result{"a rate of floating-point operations", "989 TFLOPs", {}, {}, 1, 1e24};
  add_prefixed(result.units, "FLOPs");
  for (const char* rate : {"FLOPS", "FLOP/s"}) add_prefixed(result.spellings, rate);
  return result;
}
template <>
Dimension described<Watts>() {
  Dimension result{"a power", "700 W", {}};
  add_prefixed(result.units, "W");
  return result;
}
template <>
Dimension described<DollarRate>() {
  Dimension result{"a price per hour", "2 USD/h", {{"USD/h", 1, 3600}}};
  add_spellings(result, "USD/h", {"USD/hr", "USD/hour"});
  return result;
}
template <>
Dimension described<BytePrice>() {
  return {"a price of traffic", "0.02 USD/GB", {{"USD/GB", 1, 1e9}, {"USD/TB", 1, 1e12}}};
}
template <>
Dimension described<Dollars>() {
  return {"an amount of money",
          "20000 USD",
          {{"USD", 1, 1}, {"kUSD", 1e3, 1}, {"MUSD", 1e6, 1}},
          {{"KUSD", 1e3, 1},
           {"thousandUSD", 1e3, 1},
           {"millionUSD", 1e6, 1},
           {"BUSD", 1e9, 1},
           {"billionUSD", 1e9, 1}}};
}
template <>
Dimension described<EnergyPrice>() {
  return {"a price of energy", "0.1 USD/kWh", {{"USD/kWh", 1, 3.6e6}, {"USD/MWh", 1, 3.6e9}}};
}
template <>
Dimension described<BandwidthPrice>() {
  constexpr double kGbpsHours = 3600 * 1e9 / 8;
  return {"a price of bandwidth",
          "0.5 USD/h/Tbps",
          {{"USD/h/Gbps", 1, kGbpsHours}, {"USD/h/Tbps", 1, 1000 * kGbpsHours}}};
}

}  // namespace

// Built once, as keys of files ask for a noun again and again.
template <class T>
const Dimension& dimension_of() {
  static const Dimension dimension = described<T>();
  return dimension;
}
template const Dimension& dimension_of<Seconds>();
template const Dimension& dimension_of<Bandwidth>();
template const Dimension& dimension_of<Bytes>();
template const Dimension& dimension_of<FlopRate>();
template const Dimension& dimension_of<Watts>();
template const Dimension& dimension_of<DollarRate>();
template const Dimension& dimension_of<BytePrice>();
template const Dimension& dimension_of<Dollars>();
template const Dimension& dimension_of<EnergyPrice>();
template const Dimension& dimension_of<BandwidthPrice>();

}  // namespace sim::dimensions
