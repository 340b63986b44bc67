// SPDX-License-Identifier: Apache-2.0
// Text of a shell script that knows the line of each character, and its variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::launch {

struct TracedText {
  std::string text;
  std::vector<std::uint32_t> lines;  // of each character

  void push(char c, std::uint32_t line) {
    text += c;
    lines.push_back(line);
  }
  void append(const TracedText& other) {
    text += other.text;
    lines.insert(lines.end(), other.lines.begin(), other.lines.end());
  }
  [[nodiscard]] TracedText part(std::size_t begin, std::size_t end) const;
};
[[nodiscard]] TracedText traced(std::string_view text, std::uint32_t line);

// The parts between blanks.
[[nodiscard]] std::vector<TracedText> words_of(const TracedText& text);

using ShellVariables = std::map<std::string, TracedText, std::less<>>;

// A whole number from an expression of + - * / % and parentheses, names of variables included;
// nothing if it needs a value that the script does not hold.
[[nodiscard]] std::optional<std::int64_t> arithmetic(std::string_view expression,
                                                     const ShellVariables& variables);

// Whether a value needs a running shell: it holds a variable or a command that is not known.
[[nodiscard]] bool needs_shell(std::string_view value);

// The answer of "[ A = B ]", "[[ A != B ]]", "[ A -gt B ]", "[ -z A ]" and such, given without the
// brackets; nothing if only a running shell knows.
[[nodiscard]] std::optional<bool> answer_of_test(const std::vector<TracedText>& words);

// Whether a text matches a pattern of a shell's case: alternatives of text and *.
[[nodiscard]] bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace sim::launch
