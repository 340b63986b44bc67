// SPDX-License-Identifier: Apache-2.0
#include "apps/number_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "apps/arguments.hpp"
#include "sim/base/error.hpp"

namespace apps {
namespace {

// "1,2": with values of its own between the commas.
bool is_several(std::string_view text) {
  const auto parts = split(std::string(text));
  return parts.size() > 1 && std::ranges::all_of(parts, [](const std::string& part) {
           return sim::parse_number(part, sim::Counting::large).value.has_value();
         });
}

template <class T>
sim::Parsed<T> parsed(std::string_view text, sim::Counting counting) {
  if constexpr (std::is_same_v<T, double>) {
    return sim::parse_number(text, counting);
  } else {
    const auto count = sim::parse_count(text, counting);
    if (!count.value) return {{}, count.problem};
    if (std::in_range<T>(*count.value)) return {static_cast<T>(*count.value), {}};
    return {{},
            fmt::format("{} is out of range; write a number from {} to {}", *count.value,
                        std::max<std::int64_t>(0, std::numeric_limits<T>::min()),
                        std::numeric_limits<T>::max())};
  }
}

}  // namespace

template <class T>
T flag_number(std::string_view flag, std::string_view text, sim::Counting counting) {
  const sim::Parsed<T> read = parsed<T>(text, counting);
  if (read.value) return *read.value;
  if (!is_several(text)) throw sim::InputError(fmt::format("{}: {}", flag, read.problem));
  throw sim::InputError(
      fmt::format("{}: '{}' is several values, but the flag takes one; use gardenhose sweep, or, "
                  "for flags that it chooses, plan",
                  flag, sim::printable(text)));
}

template int flag_number(std::string_view, std::string_view, sim::Counting);
template std::int64_t flag_number(std::string_view, std::string_view, sim::Counting);
template std::uint64_t flag_number(std::string_view, std::string_view, sim::Counting);
template double flag_number(std::string_view, std::string_view, sim::Counting);

}  // namespace apps
