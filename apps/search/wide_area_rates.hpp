// Bandwidth between sites as what is scaled, in multiples of what the file of sites says.
#pragma once

#include "sim/cluster/wide_area.hpp"

namespace apps {

// The sites where all that carries bytes between them is `factor` times as fast: their lines, the
// links, the backbone and what the storage serves. A link without a bandwidth stays without.
[[nodiscard]] sim::WideArea with_rates(sim::WideArea area, double factor);

}  // namespace apps
