// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error. Whatever happens at the other end, such as a full disk or a
// closed descriptor, shows in the exit code.
#pragma once

#include <string_view>

namespace apps {

// Call it first in a program: if a standard descriptor is closed, the next opened file would get
// its number, and output would go into that file.
void hold_standard_descriptors();

// Unchanged. Throws InputError if standard output cannot be written.
void write_output(std::string_view text);
// At the end of a program: flushes write_output().
void finish_output();

// Unchanged and immediately. Never throws: if nobody can be told, only the exit code tells.
void write_error(std::string_view text) noexcept;

}  // namespace apps
