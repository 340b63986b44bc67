// SPDX-License-Identifier: Apache-2.0
// A fit as a cluster file: the base's text with the fitted keys in their tables.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "sim/fit/fit.hpp"

namespace sim::fit {

// "4.05 us", or "0.717": four digits, as the file has them.
[[nodiscard]] std::string value_text(const Constant& constant, double value);
// "3.9 us to 4.2 us", "a bound", or "-" without an interval.
[[nodiscard]] std::string interval_text(const FittedConstant& one);
// "all_reduce on 16 GPUs of 2 nodes (my.log)"
[[nodiscard]] std::string log_text(const Log& log);

// `base_text` is that of `base_file`. A key that the text already has changes on its line; another
// one follows the header of its table. Each has a comment with its interval, the base's value and
// the logs. Throws an InputError if the text has no header [network], [nvlink] or [collectives] to
// put a key under.
[[nodiscard]] std::string cluster_text(const Fit& fit, std::span<const Log> logs,
                                       std::string_view base_text,
                                       const std::filesystem::path& base_file);

}  // namespace sim::fit
