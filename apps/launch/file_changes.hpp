// SPDX-License-Identifier: Apache-2.0
// What to change in a launch file, in its framework's own keys, for it to run as flags say.
#pragma once

#include <filesystem>
#include <string>

namespace apps {

// A line for each flag of `flags`, such as "--zero 3 --overlap all": the framework's key and value, and
// what the file says now; or that the framework has no one key for it. Empty where the file already
// says all of them, and for no flags.
[[nodiscard]] std::string changes_in(const std::filesystem::path& file, const std::string& flags);

}  // namespace apps
