// SPDX-License-Identifier: Apache-2.0
// What to change when rounds do not fit in the memory of a site's GPUs.
#pragma once

#include "sim/rounds/site_work.hpp"
#include "sim/workload/stacks.hpp"

namespace sim {

// As remedies_that_fit(): everything that a GPU of the table holds counts, outer state and wires
// too, and hosts may keep the state. `open` as for layout_remedies().
[[nodiscard]] std::vector<std::string> what_would_fit(const RoundContext& context,
                                                      std::size_t table, const Scheme& scheme,
                                                      const OpenSoftware& open);

}  // namespace sim
