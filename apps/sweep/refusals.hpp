// SPDX-License-Identifier: Apache-2.0
// Values of a spec with which no point can run: a misspelt scheme, a stage of ZeRO that none of the
// schemes supports. If only a combination is impossible, the spec may intend that; a value refused
// everywhere is a mistake.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/sweep/store.hpp"

namespace apps {

struct RefusedValue {
  std::string text;        // scheme = "sdp4bt"; empty: every point is refused, by whatever value
  std::size_t points = 0;  // examined points with it
  std::string message;     // run's message for one of them
};

// Before any point runs, in `folder`: finds what run refuses before its first simulation. Examines
// only some of the points if there are many.
[[nodiscard]] std::vector<RefusedValue> refused_values(const std::vector<OpenPoint>& points,
                                                       const std::filesystem::path& folder);
// After the run, over all points of the spec: values whose every point was refused, except for
// reasons shared by all points.
[[nodiscard]] std::vector<std::string> refused_values(Store& store);

}  // namespace apps
