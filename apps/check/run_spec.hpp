// SPDX-License-Identifier: Apache-2.0
// The points of a spec, run now.
#pragma once

#include <filesystem>

#include "apps/check/results.hpp"

namespace apps {

// Runs `jobs` points at a time. Throws InputError as read_spec() does, and if an input file changes
// meanwhile.
[[nodiscard]] Results run_spec(const std::filesystem::path& spec, int jobs);

}  // namespace apps
