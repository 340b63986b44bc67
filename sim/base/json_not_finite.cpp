// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/base/json_events.hpp"

namespace sim {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// The first place from `from` on at which such a name is followed by what goes on as a number.
std::size_t next_candidate(std::string_view text, std::size_t from) {
  std::size_t first = kNone;
  for (const std::string_view name : {"NaN", "Infinity", "Inf"}) {
    std::size_t at = text.find(name, from);
    const auto goes_on = [&] {
      const std::size_t end = at + name.size();
      return end < text.size() && std::string_view("eE.").find(text[end]) != kNone;
    };
    while (at != kNone && !goes_on()) at = text.find(name, at + 1);
    first = std::min(first, at);
  }
  return first;
}

}  // namespace

std::size_t number_after_not_finite(std::string_view text) {
  bool quoted = false;
  std::size_t seen = 0;  // up to where it is known what is quoted
  for (std::size_t at = next_candidate(text, 0); at != kNone; at = next_candidate(text, at + 1)) {
    for (; seen < at; ++seen) {
      if (text[seen] == '"') {
        quoted = !quoted;
      } else if (quoted && text[seen] == '\\') {
        ++seen;
      }
    }
    if (!quoted) return at;
  }
  return kNone;
}

}  // namespace sim
