// SPDX-License-Identifier: Apache-2.0
// A shell script word by word: quotes, comments, continued lines and variables, as far as they need no
// running shell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch/shell_text.hpp"

namespace sim::launch {

// An assignment in front of a command, or a command's words. Both may be of one statement.
struct Assignment {
  std::string name;
  TracedText value;
  bool appends = false;  // NAME+=VALUE
};

struct Statement {
  std::vector<Assignment> assignments;
  std::vector<TracedText> words;
  std::uint32_t line = 1;
  char end = '\n';  // what ends it: a line, ; & | or, for && and ||, A and O; D for ;;
};

// Takes a script apart. Variables are read as they stand when a statement is read.
class ShellWords {
 public:
  // Both must outlive this.
  ShellWords(std::string_view text, const std::string& file, ShellVariables& variables,
             std::uint32_t line = 1);

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  // The next statement, perhaps an empty one. Throws an InputError at an unclosed quote or bracket
  // and where a value grows beyond what launch files hold.
  [[nodiscard]] Statement next();
  // The text up to the ')' behind a pattern of `case`, and past it.
  [[nodiscard]] std::string pattern();
  // Past blanks, lines and comments; then past `word`, if it stands there.
  [[nodiscard]] bool takes(std::string_view word);

 private:
  void skip_lines();
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  char take();
  [[noreturn]] void fail(std::uint32_t line, std::string_view what) const;
  void skip_blanks();
  void skip_comment();
  void skip_heredocs();
  [[nodiscard]] bool ends_statement(Statement& statement);
  [[nodiscard]] bool takes_redirection();
  [[nodiscard]] std::size_t assignment_length() const;
  void read_assignment(std::size_t name_length, Statement& statement);
  void read_array(TracedText& into);
  void read_word(std::vector<TracedText>& words);
  [[nodiscard]] TracedText read_value();
  void read_double_quoted(TracedText& into);
  void read_single_quoted(TracedText& into);
  // At a '$': what it stands for, or itself.
  void read_dollar(TracedText& into);
  void read_braced(TracedText& into, std::uint32_t line);
  void read_command(TracedText& into, std::uint32_t line);
  [[nodiscard]] std::string up_to_closing(char open, char close);
  void append_variable(const std::string& name, std::uint32_t line, TracedText& into) const;
  [[nodiscard]] TracedText expanded(std::string_view text, std::uint32_t line);
  void check_size(const TracedText& text) const;

  std::string_view text_;
  const std::string& file_;
  ShellVariables& variables_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  int depth_ = 0;
  std::vector<std::string> heredocs_;  // whose ends are awaited at the next line
};

}  // namespace sim::launch
