// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "sim/base/json_events.hpp"

namespace sim {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Whether a text begins with such a name and goes on as a number.
bool goes_on_as_number(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNames = {"NaN", "Infinity", "Inf"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return text.starts_with(name) && text.size() > name.size() &&
           std::string_view("eE.").find(text[name.size()]) != kNone;
  });
}

}  // namespace

std::size_t number_after_not_finite(std::string_view text) {
  if (text.find("NaN") == kNone && text.find("Inf") == kNone) return kNone;
  constexpr std::string_view kTold = "\"\\NI";
  bool quoted = false;
  for (std::size_t at = text.find_first_of(kTold); at != kNone;
       at = text.find_first_of(kTold, at + 1)) {
    if (text[at] == '"') {
      quoted = !quoted;
    } else if (text[at] == '\\') {
      ++at;
    } else if (!quoted && goes_on_as_number(text.substr(at))) {
      return at;
    }
  }
  return kNone;
}

}  // namespace sim
