// SPDX-License-Identifier: Apache-2.0
// Schemes by name: shipped, or from files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/schemes/scheme.hpp"

namespace apps {

// A file if the name has a slash or ends in ".toml", else a shipped scheme. Throws an InputError
// that names the flag and the shipped names of the kind if there is none, or none of the kind.
[[nodiscard]] sim::Scheme scheme_of(const std::string& name, const char* flag,
                                    sim::SchemeKind kind);
// The same of either kind; names are looked for among those that are `meant` first.
[[nodiscard]] sim::Scheme any_scheme(const std::string& name, const char* flag,
                                     sim::SchemeKind meant);
// What names the schemes in a command line: files have names of their own.
[[nodiscard]] std::vector<std::string> names_as_given(const std::vector<std::string>& given,
                                                      std::span<const sim::Scheme> schemes);
// Its default baseline: its uncompressed form, or itself if it is one.
[[nodiscard]] sim::Scheme twin_of(const sim::Scheme& scheme);

// Warns of codec cards that were timed on a GPU that is neither one of `known` nor a shipped
// cluster's: its name may be misspelt.
void warn_of_unknown_gpus(const sim::Scheme& scheme, std::vector<std::string> known);

}  // namespace apps
