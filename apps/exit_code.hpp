// SPDX-License-Identifier: Apache-2.0
// Exit codes of commands.
#pragma once

#include <functional>
#include <string_view>

namespace apps {

inline constexpr int kWrongInput = 2;
inline constexpr int kBug = 70;

// Calls a part of the command `name`. What it throws is thrown again as people are told of it: an
// InputError for wrong input, a std::runtime_error for a bug.
void told(std::string_view name, const std::function<void()>& part);

// Runs the command, and writes out what it has printed. If it throws, says on standard error what went
// wrong, where somebody can hear it. `name` is how the command was called.
[[nodiscard]] int exit_code_of(std::string_view name, const std::function<int()>& command);

}  // namespace apps
