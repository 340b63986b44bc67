// SPDX-License-Identifier: Apache-2.0
// collective --compress: what a codec gains at each size, and the size from which it pays.
#pragma once

#include "apps/collective/collective_options.hpp"
#include "sim/study/coded_collective.hpp"

namespace apps {

// Of the first size that the arguments of `collective` ask for, --compress among them. Throws
// InputError.
[[nodiscard]] sim::study::CodedTimes coded_times_of(const Arguments& arguments);

void time_compressed(const CollectiveOptions& options, const sim::CollectiveRow& row,
                     const sim::Cluster& cluster);

}  // namespace apps
