// SPDX-License-Identifier: Apache-2.0
// Constants fitted to measured steps as a cluster file: the base's text with their keys.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "sim/study/fit/fitted_constants.hpp"

namespace sim::study {

// "2.1 us", "0.6269", or "none" for a share of 0.
[[nodiscard]] std::string value_text(const JobConstant& constant, double value);
// "0.61 to 0.63", or "-".
[[nodiscard]] std::string interval_text(const FittedJobConstant& one);

// `base_text` is that of `base_file`. `source` is what was measured, for comments: "8 steps
// (steps.csv)"; `rows` become fitted.rows. Throws an InputError if a key cannot be written, as its
// table has no header or its value spans lines. A rest has no key.
[[nodiscard]] std::string cluster_text(const ComputeFit& fit, const std::string& source,
                                       std::span<const std::string> rows,
                                       std::string_view base_text,
                                       const std::filesystem::path& base_file);

}  // namespace sim::study
