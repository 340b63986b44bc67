// SPDX-License-Identifier: Apache-2.0
// Exit codes of commands.
#pragma once

#include <functional>
#include <string_view>

namespace apps {

inline constexpr int kWrongInput = 2;
inline constexpr int kBug = 70;

// Runs the command, and writes out what it has printed. If it throws, says on standard error what went
// wrong, where somebody can hear it. `name` is how the command was called.
[[nodiscard]] int exit_code_of(std::string_view name, const std::function<int()>& command);

}  // namespace apps
