// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/launch/document.hpp"

namespace sim::launch {
namespace {

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '&' || c == '|' ||
         c == '(' || c == ')' || c == '<' || c == '>';
}

bool stands_before_assignments(const TracedText& word) {
  constexpr std::string_view kWords[] = {"export", "declare", "local", "readonly", "typeset",
                                         "-x",     "then",    "else",  "do",       "{"};
  return std::ranges::find(kWords, word.text) != std::end(kWords);
}

constexpr int kMostNesting = 16;  // of quotes within expansions

}  // namespace

ShellWords::ShellWords(std::string_view text, const std::string& file, ShellVariables& variables,
                       std::uint32_t line)
    : text_(text), file_(file), variables_(variables), line_(line) {}

char ShellWords::take() {
  const char c = text_[at_++];
  line_ += c == '\n';
  return c;
}

void ShellWords::fail(std::uint32_t line, std::string_view what) const {
  throw InputError(fmt::format("{}:{}: {}", file_, line, what));
}

void ShellWords::check_size(const TracedText& text) const {
  if (text.text.size() > kMostValueBytes) {
    fail(line_,
         fmt::format("a value longer than {} bytes; is it the right file?", kMostValueBytes));
  }
}

void ShellWords::skip_blanks() {
  while (!at_end()) {
    const bool continued =
        peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'));
    if (!continued && peek() != ' ' && peek() != '\t' && peek() != '\r') return;
    if (continued) take();
    take();
  }
}

void ShellWords::skip_comment() {
  while (!at_end() && peek() != '\n') take();
}

void ShellWords::skip_lines() {
  for (skip_blanks(); !at_end() && (peek() == '\n' || peek() == '#' || peek() == ';');
       skip_blanks()) {
    if (peek() == '#') skip_comment();
    if (!at_end()) take();
  }
}

// The texts of here-documents, which begin behind the line that names them.
void ShellWords::skip_heredocs() {
  for (const std::string& mark : std::exchange(heredocs_, {})) {
    for (bool found = false; !found && !at_end();) {
      const std::size_t begin = at_;
      skip_comment();
      std::string_view line = text_.substr(begin, at_ - begin);
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      found = line == mark;
      if (!at_end()) take();
    }
  }
}

bool ShellWords::ends_statement(Statement& statement) {
  skip_blanks();
  if (at_end()) return true;
  if (peek() == '#') skip_comment();
  if (at_end()) return true;
  const char c = peek();
  if (c == '(' || c == ')') {  // a subshell is read as its commands
    take();
    statement.end = '\n';
    return true;
  }
  if (c != '\n' && c != ';' && c != '&' && c != '|') return false;
  if (c == '&' && peek(1) == '>') {
    take();
    return false;
  }
  statement.end = take();
  if (c != '\n' && peek() == c) {
    take();
    statement.end = c == '&' ? 'A' : c == '|' ? 'O' : 'D';
  }
  if (c == '\n') skip_heredocs();
  return true;
}

// A redirection's word is a file's name, of no interest here.
bool ShellWords::takes_redirection() {
  std::size_t digits = 0;
  while (std::isdigit(static_cast<unsigned char>(peek(digits))) != 0) ++digits;
  const char c = peek(digits);
  if (c != '<' && c != '>') return false;
  for (std::size_t i = 0; i <= digits; ++i) take();
  bool here = c == '<' && peek() == '<';
  if (here) take();
  const bool text = here && peek() == '<';  // a here-string
  while (peek() == '>' || peek() == '&' || peek() == '|' || peek() == '-' || peek() == '<') take();
  skip_blanks();
  std::vector<TracedText> words;
  if (!at_end() && !ends_word(peek())) read_word(words);
  if (here && !text && !words.empty()) heredocs_.push_back(words.front().text);
  return true;
}

std::size_t ShellWords::assignment_length() const {
  std::size_t length = 0;
  while (is_name_letter(peek(length))) ++length;
  if (length == 0 || std::isdigit(static_cast<unsigned char>(peek())) != 0) return 0;
  return peek(length) == '=' || (peek(length) == '+' && peek(length + 1) == '=') ? length : 0;
}

void ShellWords::read_array(TracedText& into) {
  const std::uint32_t begin = line_;
  take();
  while (true) {
    skip_lines();
    if (at_end()) fail(begin, "a list in parentheses does not end");
    if (peek() == ')') break;
    std::vector<TracedText> words;
    if (ends_word(peek())) {
      take();
      continue;
    }
    read_word(words);
    for (const TracedText& word : words) {
      if (!into.text.empty()) into.push(' ', line_);
      into.append(word);
    }
    check_size(into);
  }
  take();
}

TracedText ShellWords::read_value() {
  TracedText value;
  if (peek() == '(') {
    read_array(value);
    return value;
  }
  std::vector<TracedText> words;
  if (!at_end() && !ends_word(peek())) read_word(words);
  for (const TracedText& word : words) {  // an assignment does not part its value at blanks
    if (!value.text.empty()) value.push(' ', line_);
    value.append(word);
  }
  check_size(value);
  return value;
}

void ShellWords::read_assignment(std::size_t name_length, Statement& statement) {
  Assignment assignment;
  assignment.name = std::string(text_.substr(at_, name_length));
  for (std::size_t i = 0; i < name_length; ++i) take();
  assignment.appends = peek() == '+';
  if (assignment.appends) take();
  take();
  assignment.value = read_value();
  statement.assignments.push_back(std::move(assignment));
}

Statement ShellWords::next() {
  Statement statement;
  skip_blanks();
  statement.line = line_;
  while (!ends_statement(statement)) {
    if (takes_redirection()) continue;
    const bool may_assign = std::ranges::all_of(statement.words, stands_before_assignments);
    const std::size_t name_length = may_assign ? assignment_length() : 0;
    if (name_length > 0) {
      read_assignment(name_length, statement);
    } else {
      read_word(statement.words);
    }
  }
  return statement;
}

bool ShellWords::takes(std::string_view word) {
  skip_lines();
  const std::string_view rest = text_.substr(std::min(at_, text_.size()));
  if (!rest.starts_with(word)) return false;
  if (rest.size() > word.size() && !ends_word(rest[word.size()])) return false;
  at_ += word.size();
  return true;
}

std::string ShellWords::pattern() {
  std::string text;
  if (peek() == '(') take();
  while (!at_end() && peek() != ')') {
    const char c = take();
    if (c != '"' && c != '\'' && c != ' ' && c != '\t') text += c;
  }
  if (!at_end()) take();
  return text;
}

void ShellWords::read_word(std::vector<TracedText>& words) {
  TracedText word;
  bool quoted = false;
  const auto end_word = [&] {
    if (!word.text.empty() || quoted) words.push_back(std::exchange(word, {}));
    quoted = false;
  };
  while (!at_end() && !ends_word(peek())) {
    if (peek() == '\\') {
      take();
      if (at_end()) break;
      if (peek() == '\n') {
        take();
        break;
      }
      word.push(peek(), line_);
      take();
    } else if (peek() == '"') {
      read_double_quoted(word);
      quoted = true;
    } else if (peek() == '\'') {
      read_single_quoted(word);
      quoted = true;
    } else if (peek() == '$' || peek() == '`') {
      TracedText value;
      read_dollar(value);
      const std::vector<TracedText> parts = words_of(value);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) end_word();
        word.append(parts[i]);
      }
    } else {
      word.push(peek(), line_);
      take();
    }
    check_size(word);
  }
  end_word();
}

void ShellWords::read_single_quoted(TracedText& into) {
  const std::uint32_t begin = line_;
  take();
  while (!at_end() && peek() != '\'') {
    into.push(peek(), line_);
    take();
  }
  if (at_end()) fail(begin, "a quote does not end");
  take();
}

void ShellWords::read_double_quoted(TracedText& into) {
  const std::uint32_t begin = line_;
  take();
  while (!at_end() && peek() != '"') {
    if (peek() == '\\' && peek(1) == '\n') {
      into.push(' ', line_);
      take();
      take();
    } else if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\' || peek(1) == '$')) {
      take();
      into.push(peek(), line_);
      take();
    } else if (peek() == '$' || peek() == '`') {
      read_dollar(into);
    } else {
      into.push(peek(), line_);
      take();
    }
    check_size(into);
  }
  if (at_end()) fail(begin, "a quote does not end");
  take();
}

void ShellWords::append_variable(const std::string& name, std::uint32_t line,
                                 TracedText& into) const {
  const auto found = variables_.find(name);
  into.append(found == variables_.end() ? traced("$" + name, line) : found->second);
  check_size(into);
}

std::string ShellWords::up_to_closing(char open, char close) {
  const std::uint32_t begin = line_;
  std::string text;
  for (int depth = 1; !at_end();) {
    const char c = take();
    depth += c == open ? 1 : c == close ? -1 : 0;
    if (depth == 0) return text;
    text += c;
  }
  fail(begin, fmt::format("a '{}' is not closed", open));
}

// Quotes and variables within the text of a default, a command or an expression.
TracedText ShellWords::expanded(std::string_view text, std::uint32_t line) {
  if (depth_ == kMostNesting) fail(line, "expansions nested too deeply; is it the right file?");
  ShellWords inner(text, file_, variables_, line);
  inner.depth_ = depth_ + 1;
  TracedText value;
  while (!inner.at_end()) {
    if (inner.peek() == '"') {
      inner.read_double_quoted(value);
    } else if (inner.peek() == '\'') {
      inner.read_single_quoted(value);
    } else if (inner.peek() == '$' || inner.peek() == '`') {
      inner.read_dollar(value);
    } else {
      value.push(inner.peek(), inner.line_);
      inner.take();
    }
    check_size(value);
  }
  return value;
}

// ${NAME}, ${NAME:-DEFAULT}, ${NAME:=DEFAULT}, ${NAMES[@]}; anything else needs a shell.
void ShellWords::read_braced(TracedText& into, std::uint32_t line) {
  const std::string text = up_to_closing('{', '}');
  std::size_t length = 0;
  while (length < text.size() && (is_name_letter(text[length]))) ++length;
  const std::string name = text.substr(0, length);
  std::string_view rest = std::string_view(text).substr(length);
  if (rest == "[@]" || rest == "[*]" || (rest.empty() && length > 0)) {
    return append_variable(name, line, into);
  }
  const bool colon = rest.starts_with(':');
  if (colon) rest.remove_prefix(1);
  const bool gives_default = rest.starts_with('-') || rest.starts_with('=');
  const auto found = variables_.find(name);
  if (length == 0 || !gives_default) return into.append(traced("${" + text + "}", line));
  if (found != variables_.end() && !(colon && found->second.text.empty())) {
    return into.append(found->second);
  }
  TracedText value = expanded(rest.substr(1), line);
  if (rest.front() == '=') variables_[name] = value;
  into.append(value);
}

// $(( )) is computed; of commands only the script's own folder is known.
void ShellWords::read_command(TracedText& into, std::uint32_t line) {
  const std::string text = up_to_closing('(', ')');
  if (text.starts_with('(') && text.ends_with(')')) {
    const TracedText inside = expanded(std::string_view(text).substr(1, text.size() - 2), line);
    if (const auto value = arithmetic(inside.text, variables_)) {
      return into.append(traced(std::to_string(*value), line));
    }
  }
  const bool own_folder =
      text.find("dirname") != std::string::npos &&
      (text.find("BASH_SOURCE") != std::string::npos || text.find("$0") != std::string::npos);
  into.append(traced(own_folder ? "." : "$(" + text + ")", line));
}

void ShellWords::read_dollar(TracedText& into) {
  const std::uint32_t line = line_;
  if (take() == '`') {
    std::string command;
    while (!at_end() && peek() != '`') command += take();
    if (at_end()) fail(line, "a quote does not end");
    take();
    return into.append(traced("$(" + command + ")", line));
  }
  if (peek() == '{') {
    take();
    return read_braced(into, line);
  }
  if (peek() == '(') {
    take();
    return read_command(into, line);
  }
  std::string name;
  if (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
    name = take();
  } else {
    while (is_name_letter(peek())) name += take();
  }
  if (!name.empty()) return append_variable(name, line, into);
  if (peek() == '@' || peek() == '*') {  // the script's own arguments add to those that stand here
    take();
    return;
  }
  into.push('$', line);
}

}  // namespace sim::launch
