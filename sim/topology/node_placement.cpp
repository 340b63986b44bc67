// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/node_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/mix.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

constexpr auto kMostFabricNodes = static_cast<int>(kNodes.highest);
constexpr std::string_view kRandomSeed = "random:";
constexpr std::string_view kListLetters = "0123456789-, ";

// "8" or "12-14"; returns what is wrong with other text.
std::string append_range(std::string_view text, std::vector<int>& places) {
  const std::size_t dash = text.find('-');
  const auto first = number_in<int>(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_in<int>(text.substr(dash + 1));
  const auto good = [](const std::optional<int>& place) {
    return place && *place >= 0 && *place < kMostFabricNodes;
  };
  if (!good(first) || !good(last)) {
    return fmt::format("is not a node's number or a range of them below {}; write e.g. 0-3,8",
                       kMostFabricNodes);
  }
  if (*last < *first) return fmt::format("is a reversed range; write {}-{}", *last, *first);
  for (int place = *first; place <= *last; ++place) places.push_back(place);
  return "";
}

// Calls `take` with what lies between commas and blanks.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  constexpr std::string_view kBetween = ", \t\r";
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return;
    const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    take(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// `place` begins the message.
void append_places(std::string_view text, const std::string& place, std::vector<int>& places) {
  for_each_word(text, [&](std::string_view word) {
    const std::string problem = append_range(word, places);
    if (problem.empty()) return;
    throw InputError(fmt::format("{}: '{}' {}", place, printable(word), problem));
  });
}

void check_distinct(const std::vector<int>& places, const std::string& place) {
  std::vector<int> sorted = places;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return;
  throw InputError(fmt::format("{}: names node {} twice; name each node once", place, *twice));
}

// "0-3,8".
std::string list_text(std::span<const int> places) {
  std::string text;
  for (std::size_t i = 0; i < places.size();) {
    std::size_t end = i + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", places[i]);
    if (end - i > 1) text += fmt::format("-{}", places[end - 1]);
    i = end;
  }
  return text;
}

// Deals the nodes from `begin` to `end` to the units of the last size in turn, and within each to
// those of the size before.
std::vector<int> dealt(int begin, int end, std::span<const int> sizes) {
  std::vector<int> nodes;
  if (sizes.empty()) {
    nodes.resize(static_cast<std::size_t>(end - begin));
    std::iota(nodes.begin(), nodes.end(), begin);
    return nodes;
  }
  std::vector<std::vector<int>> units;
  for (int first = begin; first < end; first += sizes.back()) {
    units.push_back(
        dealt(first, std::min(first + sizes.back(), end), sizes.first(sizes.size() - 1)));
  }
  for (std::size_t turn = 0; turn < units.front().size(); ++turn) {
    for (const auto& unit : units) {
      if (turn < unit.size()) nodes.push_back(unit[turn]);
    }
  }
  return nodes;
}

std::vector<int> listed_places(const Cluster& cluster) {
  std::vector<int> places = cluster.placement.listed;
  const auto needed = static_cast<std::size_t>(cluster.nodes);
  if (places.size() < needed) {
    throw InputError(fmt::format("lists {} nodes, but the job has {}", places.size(), needed));
  }
  const int last = fabric_nodes(cluster) - 1;
  const auto outside = std::ranges::find_if(places, [&](int place) { return place > last; });
  if (outside != places.end()) {
    throw InputError(fmt::format("names node {}, but the nodes of {} are 0 to {}", *outside,
                                 cluster.name, last));
  }
  places.resize(needed);
  return places;
}

}  // namespace

NodePlacement node_placement_of(std::string_view text, std::string_view place) {
  using Kind = NodePlacement::Kind;
  NodePlacement placement{.text = std::string(text)};
  const auto seed = text.starts_with(kRandomSeed)
                        ? number_in<std::uint64_t>(text.substr(kRandomSeed.size()))
                        : std::nullopt;
  if (text == "packed") return placement;
  if (text == "scattered") {
    placement.kind = Kind::scattered;
  } else if (text == "random" || seed) {
    placement.kind = Kind::random;
    placement.seed = seed.value_or(0);
  } else if (!text.empty() && text.find_first_not_of(kListLetters) == std::string_view::npos) {
    placement.kind = Kind::listed;
    append_places(text, std::string(place), placement.listed);
    check_distinct(placement.listed, std::string(place));
  } else {
    throw InputError(
        fmt::format("{}: '{}' is none of packed, scattered, random, random:SEED; nor "
                    "is it a list of nodes, such as 0-3,8, or a file with one",
                    place, printable(text)));
  }
  return placement;
}

NodePlacement listed_nodes(std::string_view text, const std::string& file) {
  NodePlacement placement{.kind = NodePlacement::Kind::listed, .text = file};
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    append_places(whole.substr(0, whole.find('#')), fmt::format("{}:{}", file, line),
                  placement.listed);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (placement.listed.empty())
    throw InputError(fmt::format("{}: names no node; write their numbers, e.g. 0-3,8", file));
  check_distinct(placement.listed, file);
  return placement;
}

std::string placement_name(const Cluster& cluster) {
  const NodePlacement& placement = cluster.placement;
  if (placement.kind == NodePlacement::Kind::packed) return "";
  const auto used = static_cast<std::size_t>(cluster.nodes);
  const bool is_file = placement.text.find_first_not_of(kListLetters) != std::string::npos;
  if (is_file || placement.listed.size() <= used) return placement.text;
  return list_text(std::span(placement.listed).first(used));
}

std::vector<int> scattered_order(const Network& network, int fabric_nodes) {
  const auto units = network.fabric->units;
  return dealt(0, fabric_nodes, units == nullptr ? std::vector<int>() : units(network));
}

std::vector<int> random_order(int count, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[mix(seed, left) % left]);
  }
  return order;
}

std::vector<int> order_of(const Network& network, int fabric_nodes,
                          const NodePlacement& placement) {
  switch (placement.kind) {
    case NodePlacement::Kind::packed:
      break;
    case NodePlacement::Kind::scattered:
      return scattered_order(network, fabric_nodes);
    case NodePlacement::Kind::random:
      return random_order(fabric_nodes, placement.seed);
    case NodePlacement::Kind::listed:
      return placement.listed;
  }
  return dealt(0, fabric_nodes, {});
}

std::vector<int> places_of(const Cluster& cluster) {
  if (cluster.placement.kind == NodePlacement::Kind::listed) return listed_places(cluster);
  std::vector<int> order = order_of(cluster.network, fabric_nodes(cluster), cluster.placement);
  order.resize(static_cast<std::size_t>(cluster.nodes));
  return order;
}

}  // namespace sim
