// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/nccl_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/base/letters.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

constexpr std::string_view kFunctions[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                           "allreduce"};
static_assert(std::size(kFunctions) == kNcclFunctions);

std::string plain(std::string_view text) {
  std::string lower = in_lower_case(text);
  std::erase(lower, '_');
  return lower;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The name's place, or the problem that there is none.
struct Found {
  std::size_t place = 0;
  std::string problem = {};
};
Found find_name(std::string_view name, std::span<const std::string_view> names) {
  const auto found = std::ranges::find(names, plain(name));
  if (found != names.end()) return {static_cast<std::size_t>(found - names.begin())};
  return {0, unknown_name(name, names)};
}

}  // namespace

NcclListText parse_nccl_list(std::string_view text, std::span<const std::string_view> names) {
  NcclList list{.text = std::string(text)};
  for (auto& all : list.enabled) all.set();
  for (const std::string_view entry : split(text, ';')) {
    const std::size_t colon = entry.find(':');
    const bool has_prefix = colon != std::string_view::npos;
    if (!has_prefix && entry.data() != text.data()) {
      return {.problem = fmt::format("'{}' names no collective; only the first list may be for all "
                                     "of them: write e.g. ring;allreduce:tree",
                                     printable(entry))};
    }
    std::string_view elements = has_prefix ? entry.substr(colon + 1) : entry;
    const bool excludes = elements.starts_with('^');
    if (excludes) elements.remove_prefix(1);
    std::bitset<8> named;
    for (const std::string_view element : split(elements, ',')) {
      const Found found = find_name(element, names);
      if (!found.problem.empty()) return {.problem = found.problem};
      named.set(found.place);
    }
    const std::bitset<8> enabled = excludes ? ~named : named;
    if (!has_prefix) {
      list.enabled.fill(enabled);
      continue;
    }
    const Found function = find_name(entry.substr(0, colon), kFunctions);
    if (!function.problem.empty()) return {.problem = function.problem};
    list.enabled[function.place] = enabled;
  }
  return {.list = std::move(list)};
}

bool is_nccl_list(std::string_view text) {
  constexpr std::string_view kNcclsAlone[] = {"nvlstree", "collnetdirect", "collnetchain"};
  if (std::ranges::find(kNcclsAlone, text) != std::end(kNcclsAlone)) return true;
  return std::ranges::any_of(text, [](char letter) {
    return std::string_view(",^:;").find(letter) != std::string_view::npos ||
           letter != lower_letter(letter);
  });
}

}  // namespace sim
