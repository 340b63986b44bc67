// SPDX-License-Identifier: Apache-2.0
// Bare numbers as text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace sim {

// The number that all of the text is, without blanks or a sign '+'; nothing for any other text.
template <class T>
[[nodiscard]] std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace sim
