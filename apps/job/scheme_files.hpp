// Schemes by name: those that ship, and those of files.
#pragma once

#include <string>

#include "sim/schemes/scheme.hpp"

namespace apps {

// A file when the name has a slash or ends in ".toml", else a shipped scheme. Throws InputError,
// which names the flag and the shipped names when there is none.
[[nodiscard]] sim::Scheme scheme_of(const std::string& name, const char* flag);
// What it is compared with by default: its plain form, or itself where it is one.
[[nodiscard]] sim::Scheme twin_of(const sim::Scheme& scheme);

}  // namespace apps
