// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/cut_off.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/joined.hpp"
#include "sim/sites/detours.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim {
namespace {

std::vector<int> places_that(const WideArea& area, std::span<const Fate> fates, auto is_wanted) {
  std::vector<int> places = all_places(area);
  std::erase_if(places,
                [&](int place) { return !is_wanted(fates[static_cast<std::size_t>(place)]); });
  return places;
}

std::vector<int> places_there(const WideArea& area, std::span<const Fate> fates) {
  return places_that(area, fates, [](Fate fate) { return fate != Fate::gone; });
}

// Each part by place, ascending.
std::vector<std::vector<int>> parts_of(const WideTopology& topology, std::span<const int> places) {
  std::vector<std::vector<int>> parts;
  for (const int place : places) {
    const auto part = std::ranges::find_if(parts, [&](const std::vector<int>& one) {
      return reaches(topology, wide_hop(one.front(), place), places);
    });
    if (part == parts.end()) {
      parts.push_back({place});
    } else {
      part->push_back(place);
    }
  }
  return parts;
}

// The first site of the fastest way that is not there.
std::string missing_relay(const WideTopology& topology, std::span<const Fate> fates, int from,
                          int to) {
  const WideArea& area = topology.area();
  const std::vector<Hop> way = hops_of(topology, wide_hop(from, to), all_places(area));
  for (std::size_t i = 1; i < way.size(); ++i) {
    const int relay = way[i].source;
    if (fates[static_cast<std::size_t>(relay)] == Fate::gone) return place_name(area, relay);
  }
  return "";
}

}  // namespace

std::vector<int> add_cut_off(const WideArea& area, const Exchange& exchange,
                             std::vector<Fate>& fates) {
  if (!exchange.joins_sites() || !has_dead_link(area)) return {};
  fates.resize(static_cast<std::size_t>(place_count(area)), Fate::heard);
  const auto parts = parts_of(WideTopology(area), places_there(area, fates));
  const auto heard = [&](const std::vector<int>& part) {
    return std::ranges::count_if(
        part, [&](int place) { return fates[static_cast<std::size_t>(place)] == Fate::heard; });
  };
  const auto largest = std::ranges::max_element(parts, {}, heard);
  std::vector<int> cut_off;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (part != largest) cut_off.insert(cut_off.end(), part->begin(), part->end());
  }
  for (const int place : cut_off) fates[static_cast<std::size_t>(place)] = Fate::gone;
  std::ranges::sort(cut_off);
  return cut_off;
}

std::string why_cut_off(const WideArea& area, const Exchange& exchange, std::span<const Fate> fates,
                        int place) {
  if (!exchange.joins_sites() || !has_dead_link(area)) return "";
  const WideTopology topology(area);
  std::vector<std::string> dead;
  const std::vector<int> there = places_there(area, fates);
  for (const int other : there) {
    if (reaches(topology, wide_hop(other, place), there)) return "";
    const auto link = static_cast<std::size_t>(link_between(area, other, place));
    const std::string name = "links." + area.links[link].name;
    if (std::ranges::find(dead, name) == dead.end()) dead.push_back(name);
  }
  if (dead.empty()) return "";
  const std::string relay = missing_relay(topology, fates, there.front(), place);
  return fmt::format("cannot be reached: {} {} dead, and {} passes its traffic on",
                     joined(dead, " and "), dead.size() == 1 ? "is" : "are",
                     relay.empty() ? "no site" : "without " + relay + " no site");
}

}  // namespace sim
