// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/month.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

namespace sim {

std::string to_csv(const Month& month, const std::string& whole,
                   const std::vector<std::vector<std::string>>& names) {
  Month sorted = month;
  std::ranges::stable_sort(sorted, {}, [](const Span& span) {
    return std::tuple(span.kind, span.member, span.start_s);
  });
  const auto goes_on = [](const Span& before, const Span& span) {
    return span.start_s == before.end_s && span.kind == before.kind &&
           span.member == before.member && span.members == before.members &&
           std::string_view(span.what) == before.what;
  };
  Month joined;
  for (const Span& span : sorted) {
    if (!(span.end_s > span.start_s)) continue;
    if (joined.empty() || !goes_on(joined.back(), span)) {
      joined.push_back(span);
    } else {
      joined.back().end_s = span.end_s;
      joined.back().count += span.count;
    }
  }
  std::string text = "start_s,end_s,of,what,count,members\n";
  for (const Span& span : joined) {
    const bool is_whole = span.kind == Span::kNone;
    const auto kind = static_cast<std::size_t>(span.kind);
    text += fmt::format("{:.3f},{:.3f},{},{},{},{}\n", span.start_s, span.end_s,
                        is_whole ? whole : names[kind][static_cast<std::size_t>(span.member)],
                        span.what, span.count > 0 ? std::to_string(span.count) : "",
                        span.members > 0 ? std::to_string(span.members) : "");
  }
  return text;
}

}  // namespace sim
