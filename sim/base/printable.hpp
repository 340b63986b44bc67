// SPDX-License-Identifier: Apache-2.0
// Text that is safe to display. A name, a message or a summary may come from anywhere, and a
// terminal obeys what is hidden in it: escape sequences, C1 controls, marks that reverse the text
// direction.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sim {

// `text` with '?' for every character that no reader sees: C0 and C1 controls except line breaks
// and tabs, direction marks, invisible blanks and joiners, noncharacters. Bytes that are not UTF-8
// become U+FFFD.
[[nodiscard]] std::string printable_lines(std::string_view text);

// As printable_lines(), without line breaks and tabs, and cut after at most `longest` bytes, never
// inside a character.
[[nodiscard]] std::string printable_line(std::string_view text, std::size_t longest);

// A file's name for a message: on one line, and cut if it is longer than any path.
[[nodiscard]] std::string printable_path(const std::filesystem::path& file);

// JSON text with such characters replaced by JSON escapes; the values stay the same.
[[nodiscard]] std::string printable_json(std::string_view text);

}  // namespace sim
