// SPDX-License-Identifier: Apache-2.0
// collective --pairs: the bandwidth of a message between every two GPUs.
#pragma once

#include "apps/collective/collective_options.hpp"

namespace apps {

void time_pairs(const CollectiveOptions& options, const sim::Cluster& cluster);

}  // namespace apps
