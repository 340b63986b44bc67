// SPDX-License-Identifier: Apache-2.0
// Assumptions of rounds between sites: those of a cluster's steps, at every site, and those about
// the network between the sites.
#pragma once

#include <vector>

#include "apps/search/assumptions.hpp"

namespace apps {

// Those of clusters, then those between sites; names are unique.
[[nodiscard]] const std::vector<const Assumption*>& all_assumptions();

}  // namespace apps
