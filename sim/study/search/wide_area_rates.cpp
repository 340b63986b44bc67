// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/wide_area_rates.hpp"

#include <algorithm>

namespace sim::study {

WideArea with_rates(WideArea area, double factor) {
  for (Site& site : area.sites) {
    site.uplink = site.uplink * factor;
    site.downlink = site.downlink * factor;
  }
  const auto scale = [&](WideLink& link) {
    if (link.bandwidth) link.bandwidth = *link.bandwidth * factor;
  };
  std::ranges::for_each(area.links, scale);
  if (area.backbone) scale(*area.backbone);
  if (area.store) {
    area.store->upload = area.store->upload * factor;
    area.store->download = area.store->download * factor;
  }
  if (area.syncer) {
    area.syncer->uplink = area.syncer->uplink * factor;
    area.syncer->downlink = area.syncer->downlink * factor;
  }
  return area;
}

}  // namespace sim::study
