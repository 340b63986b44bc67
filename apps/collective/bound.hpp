// SPDX-License-Identifier: Apache-2.0
// What bounds the time of a collective that runs alone: latency or a link.
#pragma once

#include <string>

#include "sim/program/lone_groups.hpp"
#include "sim/report/report.hpp"

namespace apps {

struct CollectiveBound {
  // Of the time: what the same algorithm and protocol take for one byte.
  double latency_share = 0;
  sim::LinkUse link;  // the busiest one

  // Latency takes more of the time than the busiest link's bytes.
  [[nodiscard]] bool by_latency() const { return latency_share > link.busy; }
  // "latency" or the link's name.
  [[nodiscard]] std::string name() const;
  // "latency, 93 %" or "nic_in_0 and 15 others, 98 %": of the time, in which the link is busy.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] CollectiveBound bound_of(const sim::LoneGroups::Alone& alone,
                                       const sim::Timeline& timeline);

}  // namespace apps
