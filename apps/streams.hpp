// Standard output and standard error. Whatever becomes of the other end, a full disk or a descriptor
// that was closed, the exit code says it.
#pragma once

#include <string_view>

namespace apps {

// First of all in a program: where a standard descriptor is closed, the next file that is opened would
// get its number, and what is printed would go into that file.
void hold_standard_descriptors();

// As it is. Throws InputError where standard output cannot be written.
void write_output(std::string_view text);
// At the end of a program: what write_output() had in memory.
void finish_output();

// As it is, at once. Never throws: where nobody can be told, the exit code says it alone.
void write_error(std::string_view text) noexcept;

}  // namespace apps
