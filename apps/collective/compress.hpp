// SPDX-License-Identifier: Apache-2.0
// collective --compress: what a codec gains at each size, and the size from which it pays.
#pragma once

#include "apps/collective/collective_options.hpp"

namespace apps {

void time_compressed(const CollectiveOptions& options, const sim::CollectiveRow& row,
                     const sim::Cluster& cluster);

}  // namespace apps
