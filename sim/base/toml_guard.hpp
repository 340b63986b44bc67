// What must be refused before the TOML parser sees it: the parser recurses over dotted keys and
// nested values, and runs out of stack on thousands of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/toml_document.hpp"

namespace sim {

struct UnsafeToml {
  TomlPlace place;
  std::string what;
};

// The first control character that no TOML has, or the first place where the parts of a dotted key
// and the open brackets around it are more than 64. Nothing when the text is safe to parse; it may
// still not be TOML.
[[nodiscard]] std::optional<UnsafeToml> find_unsafe_toml(std::string_view text);

// `text` on one line and cut after `longest` bytes: for paths and for messages of another library.
[[nodiscard]] std::string printable_line(std::string_view text, std::size_t longest);

}  // namespace sim
