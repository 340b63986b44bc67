// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/regions.hpp"

#include <algorithm>

namespace sim {

int region_size(const WideArea& area, std::size_t table) {
  const std::string& region = area.sites[table].region;
  if (region.empty()) return 1;
  int sites = 0;
  for (const Site& site : area.sites) sites += site.region == region ? site.count : 0;
  return sites;
}

int outer_levels(const SiteExchange& exchange, int region_size, int places) {
  return exchange.across_every > 1 && region_size > 1 && region_size < places ? 2 : 1;
}

SiteExchange by_regions(SiteExchange exchange, const WideArea& area) {
  if (exchange.across_every == 1) return exchange;
  int largest = 1;
  for (std::size_t table = 0; table < area.sites.size(); ++table) {
    largest = std::max(largest, region_size(area, table));
  }
  const int places = place_count(area);
  if (largest > 1 && largest < places) return exchange;
  if (largest < places) exchange.inner_steps *= exchange.across_every;
  exchange.across_every = 1;
  return exchange;
}

}  // namespace sim
