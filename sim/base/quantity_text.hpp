// SPDX-License-Identifier: Apache-2.0
// Quantities as text: "400 Gbps" in, "50.0 GBps" out. A number never has a default unit, so bits
// are never taken for bytes, nor GB for GiB.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/number_text.hpp"
#include "sim/base/units.hpp"

namespace sim {

// Reads a number and a unit, with or without blanks between them. Prefixes are k M G T P (powers of
// 1000) and, for bytes, Ki Mi Gi Ti (powers of 1024); `b` is a bit and `B` a byte. T is one of
//   Seconds     s ms us ns min h days   FlopRate        FLOPs kFLOPs ... PFLOPs
//   Bandwidth   bps Bps ... PBps        Watts           W kW ...
//   Bytes       B kB ... KiB ...        DollarRate      USD/h
//   BytePrice   USD/GB USD/TB           Dollars         USD kUSD MUSD
//   EnergyPrice USD/kWh USD/MWh         BandwidthPrice  USD/h/Gbps USD/h/Tbps
// and their other spellings: "400 Gb/s", "30 d", "5 µs", "$3M", "2 $/h", "2,000,000 USD".
// Negative, infinite and missing numbers are refused, as is anything outside the range of the
// dimension (0 is allowed), so that products of a few quantities stay finite: in base units 1e-15 to
// 1e15 for times, 1e-3 to 1e18 for bandwidths, up to 2^53 for sizes, 1 to 1e24 for rates of operations,
// and 1e-30 to 1e30 for the rest.
// `example` is the quantity that messages suggest, "30 ms"; if empty, the dimension's usual one. With
// a bandwidth in bits as an example, "400G" is 400 Gbps, as networks' speeds are always in bits.
template <class T>
[[nodiscard]] Parsed<T> parse_quantity(std::string_view text, std::string_view example = {});

// The name of such a quantity in messages and the reference: "bandwidth".
template <class T>
[[nodiscard]] std::string_view quantity_noun();

// A kind of quantity and its units.
struct QuantityUnits {
  std::string_view noun;
  std::vector<std::string> units;
};
[[nodiscard]] std::vector<QuantityUnits> all_quantities();

// Three significant digits and a fitting prefix: "3.40 us", "25.0 GBps", "312 TFLOPs". Bytes use
// powers of 1000, as bandwidths do, so that a time can be checked by mental arithmetic.
[[nodiscard]] std::string to_text(Seconds value);
[[nodiscard]] std::string to_text(Bandwidth value);
[[nodiscard]] std::string to_text(Bytes value);
[[nodiscard]] std::string to_text(FlopRate value);
[[nodiscard]] std::string to_text(Flop value);
[[nodiscard]] std::string to_text(Watts value);
[[nodiscard]] std::string to_text(DollarRate value);
[[nodiscard]] std::string to_text(BytePrice value);
[[nodiscard]] std::string to_text(Dollars value);
// "400 Gbps", as rates of networks are sold, to all digits that there are.
[[nodiscard]] std::string gbps_text(Bandwidth value);
// In the unit of `like`, beside which it is read.
[[nodiscard]] std::string to_text(Dollars value, Dollars like);

// "18.5-26.4 Gbps" from "18.5 Gbps" and "26.4 Gbps": a shared unit is written once. Times and
// dollars share that of `high`: "0.99-1.5 days" from "23.8 h" and "1.5 days".
[[nodiscard]] std::string joined_range(std::string_view low, std::string_view high,
                                       std::string_view joint = "-");

// `text` for one line of a message: control characters become '?', and text beyond 60 bytes is cut.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace sim
