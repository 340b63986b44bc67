// SPDX-License-Identifier: Apache-2.0
// Bandwidth between sites as a scaled quantity, in multiples of the file's.
#pragma once

#include "sim/topology/wide_area.hpp"

namespace sim::study {

// The sites with everything that carries bytes between them `factor` times as fast: their uplinks
// and downlinks, the links, the backbone and the storage's service. Links without a bandwidth stay
// unlimited.
[[nodiscard]] WideArea with_rates(WideArea area, double factor);

}  // namespace sim::study
