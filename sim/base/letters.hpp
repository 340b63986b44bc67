// SPDX-License-Identifier: Apache-2.0
// Letters of names and units, which are ASCII whatever the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sim {

[[nodiscard]] inline char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower_letter);
  return result;
}

}  // namespace sim
