// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/fair_lines.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace sim {
namespace {

class Builder {
 public:
  explicit Builder(const Wiring& wiring) : wiring_(wiring) {
    lines_.line_of.resize(wiring.links.size(), FairLines::kNone);
    const std::vector<bool> shared = shared_links();
    for (LinkId link = 0; link < shared.size(); ++link) {
      if (shared[link]) add_line(link);
    }
    for (const std::vector<Crossing>& route : wiring.routes) add_route(route);
  }
  FairLines lines() && { return std::move(lines_); }

 private:
  [[nodiscard]] double highest(LinkId link) const { return highest_rate(wiring_.links[link]); }

  // By link, whether flows have to share it. A backbone may be faster than all lines that lead to it.
  [[nodiscard]] std::vector<bool> shared_links() const {
    std::vector<std::vector<std::uint32_t>> routes(wiring_.links.size());
    for (std::uint32_t route = 0; route < wiring_.routes.size(); ++route) {
      for (const Crossing& one : wiring_.routes[route]) routes[one.link].push_back(route);
    }
    std::vector<bool> shared;
    for (LinkId link = 0; link < routes.size(); ++link) {
      shared.push_back(routes[link].size() > 1 || !wiring_.links[link].changes.empty());
    }
    for (LinkId link = 0; link < routes.size(); ++link) {
      if (!shared[link] || !wiring_.links[link].changes.empty()) continue;
      shared[link] = most_over(link, routes[link], shared) >= wiring_.links[link].rate_Bps;
    }
    return shared;
  }

  // What the other shared links let over it: each route is bounded by the first of them.
  [[nodiscard]] double most_over(LinkId link, const std::vector<std::uint32_t>& routes,
                                 const std::vector<bool>& shared) const {
    std::map<LinkId, double> shares;  // of the link for each share of the other
    for (const std::uint32_t route : routes) {
      const std::vector<Crossing>& crossings = wiring_.routes[route];
      const auto own = std::ranges::find(crossings, link, &Crossing::link);
      const auto other = std::ranges::find_if(
          crossings, [&](const Crossing& one) { return one.link != link && shared[one.link]; });
      if (other == crossings.end()) return std::numeric_limits<double>::infinity();
      double& most = shares[other->link];
      most = std::max(most, static_cast<double>(own->times) / other->times);
    }
    double most_Bps = 0;
    for (const auto& [other, share] : shares) most_Bps += highest(other) * share;
    return most_Bps;
  }

  void add_line(LinkId link) {
    lines_.line_of[link] = static_cast<FairLines::LineId>(lines_.rates_Bps.size());
    lines_.rates_Bps.push_back(wiring_.links[link].rate_Bps);
  }

  void add_route(const std::vector<Crossing>& crossings) {
    const auto is_line = [&](const Crossing& one) {
      return lines_.line_of[one.link] != FairLines::kNone;
    };
    if (std::ranges::none_of(crossings, is_line)) {
      for (const Crossing& one : crossings) add_line(one.link);
    }
    FairLines::Route route{.first = static_cast<std::uint32_t>(lines_.parts.size())};
    double lines_Bps = std::numeric_limits<double>::infinity();  // that none of its lines exceeds
    for (const Crossing& one : crossings) {
      double& most_Bps = is_line(one) ? lines_Bps : route.most_Bps;
      most_Bps = std::min(most_Bps, highest(one.link) / one.times);
      if (is_line(one)) lines_.parts.push_back({lines_.line_of[one.link], one.times});
    }
    route.last = static_cast<std::uint32_t>(lines_.parts.size());
    if (route.most_Bps >= lines_Bps) {  // which says nothing
      route.most_Bps = std::numeric_limits<double>::infinity();
    }
    lines_.routes.push_back(route);
  }

  const Wiring& wiring_;
  FairLines lines_;
};

}  // namespace

FairLines lines_of(const Wiring& wiring) { return Builder(wiring).lines(); }

std::vector<std::uint32_t> routes_over(const Wiring& wiring) {
  std::vector<std::uint32_t> routes(wiring.links.size());
  for (const std::vector<Crossing>& route : wiring.routes) {
    for (const Crossing& one : route) ++routes[one.link];
  }
  return routes;
}

}  // namespace sim
