// SPDX-License-Identifier: Apache-2.0
#include "sim/base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/letters.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

constexpr std::size_t kShortestPart = 3;  // fewer letters are part of too many names

// Without what people leave out or write otherwise: "llama38b" of "Llama-3_8b".
std::string letters_of(std::string_view text) {
  std::string letters = in_lower_case(text);
  std::erase_if(letters, [](char c) { return c == '_' || c == '-' || c == '.'; });
  return letters;
}

// All that the letters of `text` begin; only those that they are, if there are any.
std::vector<std::string_view> names_beginning_with(std::string_view text,
                                                   std::span<const std::string_view> names) {
  const std::string start = letters_of(text);
  std::vector<std::string_view> whole, longer;
  for (const std::string_view name : names) {
    const std::string letters = letters_of(name);
    if (letters == start) whole.push_back(name);
    if (letters.starts_with(start)) longer.push_back(name);
  }
  if (!whole.empty()) return whole;
  return start.size() < kShortestPart ? std::vector<std::string_view>() : longer;
}

// The only name that `text` is a part of: "nvidia_h200" of "h200".
std::string_view only_name_with(std::string_view text, std::span<const std::string_view> names) {
  const std::string part = in_lower_case(text);
  const auto has = [&](std::string_view name) {
    return in_lower_case(name).find(part) != std::string::npos;
  };
  if (text.size() < kShortestPart || std::ranges::count_if(names, has) != 1) return {};
  return *std::ranges::find_if(names, has);
}

// "a", "a or b", "a, b or c"; of many the first ones.
std::string alternatives(std::span<const std::string_view> names) {
  constexpr std::size_t kMost = 5;
  if (names.size() > kMost) return joined(names.first(kMost)) + ", ...";
  const std::string last(names.back());
  if (names.size() == 1) return last;
  return fmt::format("{} or {}", joined(names.first(names.size() - 1)), last);
}

}  // namespace

std::string_view closest_name(std::string_view given, std::span<const std::string_view> names) {
  const std::string text = in_lower_case(given);
  std::string_view best;
  std::size_t best_distance = 0;
  for (const std::string_view spelled : names) {
    const std::string name = in_lower_case(spelled);
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    // distance[i][j]: from the first i letters of `text` to the first j of `name`.
    std::vector<std::vector<std::size_t>> distance(text.size() + 1,
                                                   std::vector<std::size_t>(name.size() + 1));
    for (std::size_t i = 0; i <= text.size(); ++i) {
      for (std::size_t j = 0; j <= name.size(); ++j) {
        if (i == 0 || j == 0) {
          distance[i][j] = i + j;
          continue;
        }
        const std::size_t replaced = distance[i - 1][j - 1] + (text[i - 1] == name[j - 1] ? 0 : 1);
        distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replaced});
        const bool swapped =
            i > 1 && j > 1 && text[i - 1] == name[j - 2] && text[i - 2] == name[j - 1];
        if (swapped) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
    const std::size_t found = distance[text.size()][name.size()];
    if (found <= allowed && (best.empty() || found < best_distance)) {
      best = spelled;
      best_distance = found;
    }
  }
  return best;
}

std::string suggestion(std::string_view text, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 64;  // of a name that somebody typed
  if (text.size() > kLongest) return "";
  std::vector<std::string_view> meant = names_beginning_with(text, names);
  if (meant.empty()) meant = {closest_name(text, names)};
  if (meant.front().empty()) meant = {only_name_with(text, names)};
  return meant.front().empty() ? "" : fmt::format("; did you mean {}?", alternatives(meant));
}

std::string suggestion_and_list(std::string_view text, std::span<const std::string_view> names) {
  const std::string meant = suggestion(text, names);
  return fmt::format("{} {}", meant.empty() ? "; known:" : meant + " Known:", joined(names));
}

std::string unknown_name(std::string_view name, std::span<const std::string_view> known) {
  return fmt::format("'{}' is not one of: {}{}", printable(name), joined(known),
                     suggestion(name, known));
}

void refuse_name(std::string_view place, std::string_view name,
                 std::span<const std::string_view> known) {
  throw InputError(fmt::format("{}: {}", place, unknown_name(name, known)));
}

}  // namespace sim
