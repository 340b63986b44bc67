// SPDX-License-Identifier: Apache-2.0
// The units of each kind of quantity, with all their names. For sim/base/quantity_text.hpp alone.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sim::dimensions {

// A value in base units is number * multiply / divide. Two factors, because 5 / 1e6 is the double
// nearest to 5 us and 5 * 1e-6 is not always.
struct Unit {
  std::string name;
  double multiply = 1;
  double divide = 1;
};

struct Dimension {
  std::string_view noun;     // "a time"
  std::string_view example;  // "400 Gbps": its unit is suggested where there is none
  std::vector<Unit> units;
  std::vector<Unit> spellings = {};  // other names of them
  // Range in base units, apart from 0. Far beyond anything real, and far within what doubles hold.
  double least = 1e-30, most = 1e30;
};

struct Prefix {
  std::string_view letters;
  double factor;
};
inline constexpr std::array kDecimal{Prefix{"", 1},    Prefix{"k", 1e3},  Prefix{"M", 1e6},
                                     Prefix{"G", 1e9}, Prefix{"T", 1e12}, Prefix{"P", 1e15}};

// T is one of the quantities of sim/base/units.hpp.
template <class T>
[[nodiscard]] const Dimension& dimension_of();

}  // namespace sim::dimensions
