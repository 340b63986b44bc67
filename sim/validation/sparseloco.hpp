// SPDX-License-Identifier: Apache-2.0
// Published figures of SparseLoCo's deployments (arXiv 2508.15706 and the Covenant-72B run): sizes,
// which follow from the codec; utilisation, which follows from the published times by definition;
// and the time over the stated links, which does not explain the published times.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/validation/figure.hpp"

namespace sim::validation {

[[nodiscard]] std::vector<Figure> sparseloco_figures(const std::filesystem::path& runs);

}  // namespace sim::validation
