// SPDX-License-Identifier: Apache-2.0
// What copies of this process have in common, and what they say.
#pragma once

#include <sys/types.h>

#include <string>

namespace sim {

// In a child: however the parent ends, this process ends too. The parent may have ended already.
void end_with_parent(pid_t parent);

// A file in memory; -1 where the system has no room for one.
[[nodiscard]] int memory_file(const char* name);
// All that is in it, or what can be read of that.
[[nodiscard]] std::string text_in(int file);

}  // namespace sim
