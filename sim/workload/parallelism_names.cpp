// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/parallelism_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "sim/base/joined.hpp"
#include "sim/base/number_text.hpp"

namespace sim {

std::string to_text(const Overlap& overlap) {
  std::vector<std::string_view> names;
  Overlap all = kAllOverlaps;
  all.batches = overlap.batches;
  if (overlap == all) names.push_back("all");
  for (const auto& [name, what] : kOverlaps) {
    if (overlap.*what && !(overlap == all && kAllOverlaps.*what)) names.push_back(name);
  }
  return names.empty() ? "none" : joined(names, ",");
}

std::string to_text(const Placement& placement) {
  std::string text;
  for (const Axis* axis : placement) {
    if (axis != nullptr) text += (text.empty() ? "" : "-") + std::string(axis->name);
  }
  return text;
}

std::vector<Placement> all_placements(std::span<const Axis* const> axes) {
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Placement> all;
  do {
    Placement& one = all.emplace_back();
    std::ranges::transform(order, one.begin(), [&](std::size_t place) { return axes[place]; });
  } while (std::ranges::next_permutation(order).found);
  return all;
}

std::optional<Placement> placement_of(std::string_view text) {
  std::vector<Placement> known = all_placements();
  std::ranges::copy(all_placements(kPlacedWithContext), std::back_inserter(known));
  const auto found =
      std::ranges::find(known, text, [](const Placement& one) { return to_text(one); });
  return found == known.end() ? std::nullopt : std::optional(*found);
}

std::string stage_layers_text(const std::vector<int>& layers) {
  std::string text;
  for (auto first = layers.begin(); first != layers.end();) {
    const auto next = std::find_if(first, layers.end(), [&](int one) { return one != *first; });
    const auto times = next - first;
    text += text.empty() ? "" : ",";
    text += times > 1 ? fmt::format("{}*{}", times, *first) : fmt::format("{}", *first);
    first = next;
  }
  return text;
}

std::optional<std::vector<int>> parse_stage_layers(std::string_view text) {
  constexpr std::size_t kMost = 100'000;
  std::vector<int> layers;
  while (true) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    const auto star = word.find('*');
    const auto times =
        star == std::string_view::npos ? std::optional(1) : number_in<int>(word.substr(0, star));
    const auto held = number_in<int>(star == std::string_view::npos ? word : word.substr(star + 1));
    if (!times || !held || *times < 1 || *held < 0) return std::nullopt;
    if (layers.size() + static_cast<std::size_t>(*times) > kMost) return std::nullopt;
    layers.insert(layers.end(), static_cast<std::size_t>(*times), *held);
    if (comma == text.size()) return layers;
    text.remove_prefix(comma + 1);
  }
}

std::string offloaded_text(int layers) {
  if (layers == kAllLayers) return "all";
  return layers == 0 ? "none" : std::to_string(layers);
}

std::optional<int> parse_offloaded(std::string_view text) {
  if (text == "none") return 0;
  if (text == "all") return kAllLayers;
  const auto layers = number_in<int>(text);
  return layers && *layers >= 0 ? layers : std::nullopt;
}

}  // namespace sim
