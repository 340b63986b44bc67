// SPDX-License-Identifier: Apache-2.0
// The answer to the question that `run --baseline best` asks: does compression pay here?
#pragma once

#include <span>
#include <string>

#include "sim/report/report.hpp"

namespace apps {

// One or two lines. `compressed` is compared with `best`, the fastest uncompressed step. A step
// that does not fit in memory wins nothing, and if none fits there is no verdict.
[[nodiscard]] std::string verdict(const sim::Report& best, std::span<const sim::Report> compressed);

}  // namespace apps
