// SPDX-License-Identifier: Apache-2.0
// Refuses text that the TOML parser cannot handle safely. The parser (toml++ 3.3) recurses over
// dotted keys and nested values and runs out of stack on thousands of them. It assumes that a
// header's brackets hold a key, that no list ends in a brace, that a date is followed by a time or
// the end of the value, and that a non-ASCII character is a blank where it stands between tokens,
// in an unquoted value, or after a backslash that joins lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/toml_document.hpp"

namespace sim {

struct UnsafeToml {
  TomlPlace place;
  std::string what;
};

// The first of these: a control character that TOML forbids, a non-ASCII character where the parser
// looks for a blank, a quote inside a value, more than 64 parts of a dotted key and open brackets
// around it, a header that does not begin with a key, a brace that closes a list, a date (no key
// here takes one). Nothing if the text is safe to parse; it may still not be TOML.
[[nodiscard]] std::optional<UnsafeToml> find_unsafe_toml(std::string_view text);

}  // namespace sim
