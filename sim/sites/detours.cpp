// SPDX-License-Identifier: Apache-2.0
// A way is as fast as its slowest hop, then as quick as the sum of its latencies. No single search minds
// both: the least pace that some way keeps is found first, and then the shortest of the ways that keep it.
#include "sim/sites/detours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "sim/base/joined.hpp"

namespace sim {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// The store and the syncer have no links that could be dead.
bool is_over_dead_link(const WideArea& area, const Hop& hop) {
  const int places = place_count(area);
  return hop.source < places && hop.destination < places &&
         is_dead_between(area, hop.source, hop.destination);
}

// The ends of the hop, and one site of each table that may pass on: sites of one table have equal lines
// and paths, so that no fast way needs two of them.
std::vector<int> stations(const WideArea& area, const Hop& direct, std::span<const int> relays) {
  std::vector<int> places{direct.source, direct.destination};
  const Site* last = nullptr;
  for (const int relay : relays) {
    const Site* table = &site_of(area, relay);
    if (table == last || relay == direct.source || relay == direct.destination) continue;
    last = table;
    places.push_back(relay);
  }
  return places;
}

// Between any two of the stations, of which the way leads from the first to the second one.
class Ways {
 public:
  Ways(const WideTopology& topology, const Hop& direct, std::span<const int> relays)
      : direct_(direct), places_(stations(topology.area(), direct, relays)) {
    for (const int from : places_) {
      for (const int to : places_) edges_.push_back(edge(topology, from, to));
    }
  }

  // Empty if there is none.
  [[nodiscard]] std::vector<Hop> fastest() const {
    std::vector<double> paces;
    for (const Edge& edge : edges_) {
      if (edge.s_per_byte < kEndless) paces.push_back(edge.s_per_byte);
    }
    for (std::size_t times = 2; times < places_.size(); ++times) {
      paces.push_back(backbone_s_per_byte_ * static_cast<double>(times));
    }
    std::ranges::sort(paces);
    const auto least =
        std::ranges::partition_point(paces, [&](double pace) { return shortest_at(pace).empty(); });
    return least == paces.end() ? std::vector<Hop>{} : shortest_at(*least);
  }

 private:
  struct Edge {
    double s_per_byte = kEndless;  // of its links, once, and connections
    double latency_s = 0;
    bool is_on_backbone = false;  // the only link that several hops may have to share
  };

  Edge edge(const WideTopology& topology, int from, int to) {
    const WideArea& area = topology.area();
    if (from == to || is_dead_between(area, from, to)) return {};
    const Hop hop = wide_hop(from, to);
    std::vector<std::pair<LinkId, double>> crossings;
    const WayCost alone = way_cost(topology, {&hop, 1}, crossings);
    const bool is_shared =
        link_between(area, from, to) < 0 && path_between(area, from, to).bandwidth;
    if (is_shared) backbone_s_per_byte_ = crossings[1].second;
    return {alone.s_per_byte, alone.latency_s, is_shared};
  }

  struct Reached {
    double latency_s = kEndless;
    std::size_t hops = 0, from = 0;
  };

  // How many hops may share the backbone at this pace.
  [[nodiscard]] std::size_t crossings_at(double s_per_byte) const {
    std::size_t crossings = 0;
    const auto needs = [&](std::size_t times) {
      return backbone_s_per_byte_ * static_cast<double>(times) * (1 - 1e-9);
    };
    while (crossings < places_.size() && needs(crossings + 1) <= s_per_byte) ++crossings;
    return crossings;
  }

  // The way of the least latency whose links and connections all keep the pace; of several that of the
  // fewest hops, then by the first stations (Dijkstra's search). A state is a station, reached with so
  // many crossings of the backbone.
  [[nodiscard]] std::vector<Hop> shortest_at(double s_per_byte) const {
    const std::size_t count = places_.size();
    std::vector<Reached> reached(count * (crossings_at(s_per_byte) + 1));
    reached[0].latency_s = 0;
    std::set<std::tuple<double, std::size_t, std::size_t>> next{{0, 0, 0}};
    while (!next.empty()) {
      const auto [latency_s, hops, state] = *next.begin();
      next.erase(next.begin());
      if (state % count == 1) return way_to(state, reached);
      for (std::size_t to = 0; to < count; ++to) {
        const Edge& edge = edges_[state % count * count + to];
        const std::size_t then = to + (state / count + (edge.is_on_backbone ? 1 : 0)) * count;
        if (edge.s_per_byte > s_per_byte || then >= reached.size()) continue;
        const Reached by_this{latency_s + edge.latency_s, hops + 1, state};
        Reached& there = reached[then];
        if (std::pair(by_this.latency_s, by_this.hops) >= std::pair(there.latency_s, there.hops)) {
          continue;
        }
        next.erase({there.latency_s, there.hops, then});
        next.insert({by_this.latency_s, by_this.hops, then});
        there = by_this;
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<Hop> way_to(std::size_t state,
                                        const std::vector<Reached>& reached) const {
    std::vector<Hop> way;
    for (std::size_t at = state; at != 0; at = reached[at].from) {
      Hop& hop = way.emplace_back(direct_);
      hop.source = places_[reached[at].from % places_.size()];
      hop.destination = places_[at % places_.size()];
    }
    return {way.rbegin(), way.rend()};
  }

  Hop direct_;
  std::vector<int> places_;
  std::vector<Edge> edges_;  // by station, then the one that it leads to
  double backbone_s_per_byte_ = 0;
};

}  // namespace

WayCost way_cost(const WideTopology& topology, std::span<const Hop> hops,
                 std::vector<std::pair<LinkId, double>>& crossings) {
  WayCost cost;
  const std::size_t before = crossings.size();
  for (const Hop& hop : hops) {
    cost.latency_s += wide_latency(topology.area(), hop).base();
    cost.s_per_byte =
        std::max(cost.s_per_byte, 1 / wide_connection_rate(topology.area(), hop).base());
    for (const LinkId link : topology.way(hop).links) {
      crossings.emplace_back(link, 1 / topology.links()[link].rate_Bps);
    }
  }
  for (std::size_t i = before; i < crossings.size(); ++i) {
    double load = 0;  // of the link, by all hops that cross it
    for (std::size_t j = before; j < crossings.size(); ++j) {
      if (crossings[j].first == crossings[i].first) load += crossings[j].second;
    }
    cost.s_per_byte = std::max(cost.s_per_byte, load);
  }
  return cost;
}

std::vector<Hop> hops_of(const WideTopology& topology, const Hop& direct,
                         std::span<const int> relays) {
  if (!is_over_dead_link(topology.area(), direct)) return {direct};
  std::vector<Hop> way = Ways(topology, direct, relays).fastest();
  return way.empty() ? std::vector<Hop>{direct} : way;
}

bool reaches(const WideTopology& topology, const Hop& direct, std::span<const int> relays) {
  return !is_over_dead_link(topology.area(), hops_of(topology, direct, relays).front());
}

std::string text_of_detours(const WideArea& area, const WideLink& dead) {
  const std::vector<int> all = all_places(area);
  const auto at = [&](const std::string& table) {
    return *std::ranges::find(all, table, [&](int place) { return site_of(area, place).name; });
  };
  const int one = at(dead.between[0]);
  const int other = dead.between[0] == dead.between[1] ? one + 1 : at(dead.between[1]);
  const WideTopology topology(area);
  const auto relays = [&](int from, int to) {
    std::vector<std::string> names;
    const std::vector<Hop> hops = hops_of(topology, wide_hop(from, to), all);
    for (std::size_t i = 1; i < hops.size(); ++i) names.push_back(place_name(area, hops[i].source));
    return names.empty() ? std::string("no site") : joined(names, " and ");
  };
  return fmt::format("dead: from {} to {} by way of {}, back by way of {}", place_name(area, one),
                     place_name(area, other), relays(one, other), relays(other, one));
}

}  // namespace sim
