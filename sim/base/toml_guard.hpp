// What must be refused before the TOML parser sees it. The parser (toml++ 3.3) recurses over dotted
// keys and nested values and runs out of stack on thousands of them. It takes for granted that a
// header's brackets hold a key, that no list ends in a brace, that a date is followed by a time or
// by the end of the value, and that a character beyond ASCII, between tokens, in a value without
// quotes or after a backslash that joins lines, is a blank.
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

// The first of these: a control character that no TOML has, a character beyond ASCII where the
// parser looks for a blank, a quote amid a value, more than 64 parts of a dotted key and open
// brackets around it, a header that begins with no key, a brace that closes a list, a date (no key
// here takes one). Nothing when the text is safe to parse; it may still not be TOML.
[[nodiscard]] std::optional<UnsafeToml> find_unsafe_toml(std::string_view text);

}  // namespace sim
