// Values of a spec that no point can run with: a scheme that is misspelt, a stage of ZeRO that none of
// the schemes is defined for. Where only a combination does not go together, the spec may well be
// meant so; such a value is a mistake in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/sweep/store.hpp"

namespace apps {

struct RefusedValue {
  std::string text;        // scheme = "sdp4bt"; empty: every point is refused, by whichever value
  std::size_t points = 0;  // with it that were looked at
  std::string message;     // that run has for one of them
};

// Before any of the points is run, in `folder`: by what run refuses before its first simulation. Looks
// at a part of the points where they are many.
[[nodiscard]] std::vector<RefusedValue> refused_values(const std::vector<OpenPoint>& points,
                                                       const std::filesystem::path& folder);
// After they were run, of all of the spec's: those whose every point was refused, but for what all
// points share.
[[nodiscard]] std::vector<std::string> refused_values(Store& store);

}  // namespace apps
