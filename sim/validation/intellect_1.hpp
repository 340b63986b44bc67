// SPDX-License-Identifier: Apache-2.0
// INTELLECT-1 (arXiv 2412.01152): volume, ring order and utilisation, which follow from the method and
// from the published times by definition. No time is predicted, since the report gives the rates of
// its links only as a range, and which of them a round crossed is known from its time alone.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/validation/figure.hpp"

namespace sim::validation {

// From the folder that contains traces and topologies.
[[nodiscard]] std::vector<Figure> intellect_1_figures(const std::filesystem::path& folder);

}  // namespace sim::validation
