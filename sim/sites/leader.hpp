// SPDX-License-Identifier: Apache-2.0
// Who sums what the others send: a site, or a syncer apart from them.
//
//   leader   site a ─► site b (sums) ─► site a          over the lines of site b
//   syncer   site a ─► [syncer] ─► site a, site b       over the syncer's own
#pragma once

#include <optional>

#include "sim/schemes/scheme.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

// As it runs on an area with or without a [syncer]: without, the first site leads.
[[nodiscard]] SiteExchange led_by(const std::optional<Syncer>& syncer, SiteExchange exchange);

}  // namespace sim
