// SPDX-License-Identifier: Apache-2.0
#include "apps/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace apps {
namespace {

double to_three_digits(double value) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return unit < 1 ? std::round(value) : std::round(value / unit) * unit;
}

}  // namespace

std::string grouped(double value) {
  constexpr std::size_t kLongestPlain = 4, kGroup = 3;
  std::string text = fmt::format("{:.0f}", value);
  if (text.size() <= kLongestPlain) return text;
  for (std::size_t end = text.size(); end > kGroup; end -= kGroup) {
    text.insert(end - kGroup, " ");
  }
  return text;
}

std::string rounded_range(double low, double high) {
  return fmt::format("{} to {}", grouped(to_three_digits(low)), grouped(to_three_digits(high)));
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMost = 5;
  if (names.size() > kMost) {
    const std::string rest = fmt::format("{} more", names.size() - kMost + 1);
    names.resize(kMost - 1);
    names.push_back(rest);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t width) {
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  std::string lines;
  std::size_t line = 0;  // of its first character in `lines`
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    while (end != std::string_view::npos && is_digit(end - 1) && is_digit(end + 1))
      end = text.find(' ', end + 1);
    end = std::min(end, text.size());
    if (begin > 0) {
      const bool fits = lines.size() - line + 1 + (end - begin) <= width;
      lines += fits ? ' ' : '\n';
      if (!fits) line = lines.size();
    }
    lines += text.substr(begin, end - begin);
    begin = end + 1;
  }
  return lines;
}

std::string with_flags(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  std::string with = text;
  for (auto at = with.find('`'); at != with.npos; at = with.find('`', at + 1)) {
    const auto end = with.find_first_not_of(kLetters, at + 1);
    if (end == with.npos || with[end] != '`' || end == at + 1 || with[at + 1] == '-') continue;
    with.erase(end, 1).replace(at, 1, "--");
  }
  return with;
}

}  // namespace apps
