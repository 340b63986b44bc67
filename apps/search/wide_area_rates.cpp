// SPDX-License-Identifier: Apache-2.0
#include "apps/search/wide_area_rates.hpp"

#include <algorithm>

namespace apps {

sim::WideArea with_rates(sim::WideArea area, double factor) {
  for (sim::Site& site : area.sites) {
    site.uplink = site.uplink * factor;
    site.downlink = site.downlink * factor;
  }
  const auto scale = [&](sim::WideLink& link) {
    if (link.bandwidth) link.bandwidth = *link.bandwidth * factor;
  };
  std::ranges::for_each(area.links, scale);
  if (area.backbone) scale(*area.backbone);
  if (area.store) {
    area.store->upload = area.store->upload * factor;
    area.store->download = area.store->download * factor;
  }
  return area;
}

}  // namespace apps
