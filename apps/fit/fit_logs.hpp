// SPDX-License-Identifier: Apache-2.0
// Logs by name: files, or the published ones that ship.
#pragma once

#include <string>
#include <vector>

#include "sim/fit/log.hpp"

namespace apps {

// The runs of all `names`: each a file, or a name in traces/published/nccl_logs.csv. `collective`,
// which may be empty, is that of files which do not name it. Throws an InputError for a name that
// is neither, and for a published log of several groups at once.
[[nodiscard]] std::vector<sim::fit::Log> read_fit_logs(const std::vector<std::string>& names,
                                                       const std::string& collective);

}  // namespace apps
