// SPDX-License-Identifier: Apache-2.0
// The cluster file to which constants are fitted, with the settings of the command line in it.
#pragma once

#include <filesystem>
#include <string>

#include "apps/fit/fit_options.hpp"

namespace apps {

// The file's text, where each key of `--set`, and of the flags that stand for one, has its value. Throws
// InputError, also for a key that has no table in the file to stand under.
[[nodiscard]] std::string base_text(const FitOptions& options, const std::filesystem::path& file);

}  // namespace apps
