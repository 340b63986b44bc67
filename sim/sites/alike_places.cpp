// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/alike_places.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace sim {
namespace {

bool may_be_alike(const WideArea& area, const Site& site, const Exchange& exchange,
                  int across_every) {
  const auto joins_its_own = [&](const WideLink& link) {
    return link.between[0] == site.name && link.between[1] == site.name;
  };
  // One of a table's sites may pass on what a dead link does not carry.
  if (has_dead_link(area) && exchange.joins_sites()) return false;
  // In a round of regions, sites without one are alone, and those of a region are not.
  const bool meets_its_like = across_every == 1 || !site.region.empty();
  return exchange.alike_sites && meets_its_like && std::ranges::none_of(area.links, joins_its_own);
}

bool do_the_same(const RoundShape& shape, std::size_t one, std::size_t other) {
  const auto equal = [&](const std::vector<SiteWork>& work) { return work[one] == work[other]; };
  return shape.fate(one) == shape.fate(other) && equal(shape.sites) &&
         (shape.across_every == 1 || equal(shape.in_region));
}

}  // namespace

std::vector<std::vector<int>> alike_places(const WideArea& area, const RoundShape& shape) {
  require(std::ssize(shape.sites) == place_count(area), "work of every site");
  std::vector<std::vector<int>> alike;
  const int leader = shape.leader();
  for (const Site& site : area.sites) {
    const bool folds =
        !shape.whole && may_be_alike(area, site, *shape.exchange, shape.across_every);
    std::vector<int> firsts;  // of the table's classes
    for (int i = 0; i < site.count; ++i) {
      const auto place = static_cast<int>(alike.size());
      alike.emplace_back();
      const auto found = std::ranges::find_if(firsts, [&](int first) {
        return place != leader &&
               do_the_same(shape, static_cast<std::size_t>(first), static_cast<std::size_t>(place));
      });
      const int first = found == firsts.end() ? place : *found;
      alike[static_cast<std::size_t>(first)].push_back(place);
      if (folds && first == place && place != leader) firsts.push_back(place);
    }
  }
  return alike;
}

int unlike_places(const WideArea& area, const SiteExchange& exchange) {
  int places = exchange.exchange->has_leading_site() ? 1 : 0;
  for (const Site& site : area.sites) {
    places += may_be_alike(area, site, *exchange.exchange, exchange.across_every)
                  ? std::min(1, site.count)
                  : site.count;
  }
  return places;
}

}  // namespace sim
