// The answer to the question that `run --baseline best` asks: does compression pay here?
#pragma once

#include <span>
#include <string>

#include "sim/report/report.hpp"

namespace apps {

// One line or two. `compressed` are compared with `best`, the fastest uncompressed step. A step that
// does not fit in memory wins nothing, and where none fits there is no verdict.
[[nodiscard]] std::string verdict(const sim::StepReport& best,
                                  std::span<const sim::StepReport> compressed);

}  // namespace apps
