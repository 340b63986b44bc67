// SPDX-License-Identifier: Apache-2.0
// What is said at standard error, kept.
#pragma once

#include <functional>
#include <string>

namespace apps::serve {

// What `part` writes to standard error, of this process, without threads beside. What it throws, this throws.
[[nodiscard]] std::string captured(const std::function<void()>& part);

}  // namespace apps::serve
