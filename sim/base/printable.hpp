// Text that is safe to show. A name, a message or a summary may come from anywhere, and a terminal
// obeys what is hidden in it: escape sequences, C1 controls, marks that reverse the direction.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sim {

// `text` with every character that no reader sees as '?': C0 and C1 controls but for line breaks and
// tabs, marks of direction, invisible blanks and joiners, what is no character. Bytes that are not
// UTF-8 become U+FFFD.
[[nodiscard]] std::string printable_lines(std::string_view text);

// The same without line breaks and tabs, cut after at most `longest` bytes and before no half
// character.
[[nodiscard]] std::string printable_line(std::string_view text, std::size_t longest);

// A file's name as a message shows it: on one line, and cut where it is longer than any path.
[[nodiscard]] std::string printable_path(const std::filesystem::path& file);

// JSON's text, in which such characters become JSON's own escapes: the same values.
[[nodiscard]] std::string printable_json(std::string_view text);

}  // namespace sim
