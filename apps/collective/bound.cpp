// SPDX-License-Identifier: Apache-2.0
#include "apps/collective/bound.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace apps {

std::string CollectiveBound::name() const { return by_latency() ? "latency" : link.link; }

std::string CollectiveBound::text() const {
  if (by_latency()) return fmt::format("latency, {:.0f} %", 100 * latency_share);
  const int others = link.as_busy - 1;
  const std::string alike =
      others == 0 ? "" : fmt::format(" and {} other{}", others, others == 1 ? "" : "s");
  return fmt::format("{}{}, {:.0f} %", link.link, alike, 100 * link.busy);
}

CollectiveBound bound_of(const sim::LoneGroups::Alone& alone, const sim::Timeline& timeline) {
  const auto links = busiest_links(alone.collective.schedule, alone.wiring, timeline);
  sim::require(!links.empty(), "a collective of two ranks or more uses a link");
  return {std::min(1.0, alone.collective.latency_s / timeline.makespan_s), links.front()};
}

}  // namespace apps
