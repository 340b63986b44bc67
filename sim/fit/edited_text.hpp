// SPDX-License-Identifier: Apache-2.0
// The text of a TOML file with some of its keys changed, and all else as it was written.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sim::fit {

struct KeyEdit {
  std::string_view key;  // "nvlink.kind"
  std::string value;     // as TOML: "\"switched\""
  std::string comment;   // a line above it, without its "#"
};

// A key that the text already has changes on its line; another one follows the header of its table.
// A key without either is left out: whoever calls reads the text back.
[[nodiscard]] std::string edited_text(std::string_view text, const std::filesystem::path& file,
                                      std::span<const KeyEdit> edits);

}  // namespace sim::fit
