// SPDX-License-Identifier: Apache-2.0
#include "sim/base/toml_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sim {
namespace {

constexpr std::size_t kMaxDepth = 64;
// What can stand before and after a value without quotes.
constexpr std::string_view kBefore = " \t\r\n=[{,";
constexpr std::string_view kAfter = " \t\r\n]},#";

// Walks over the text as a TOML lexer would, strings and comments aside, and counts.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {
    if (text.starts_with("\xEF\xBB\xBF")) position_ = 3;  // a byte order mark
  }

  std::optional<UnsafeToml> first_unsafe() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (is_forbidden(c)) return here(fmt::format("byte 0x{:02x} is not text", c));
      if (is_beyond_ascii(c)) {
        return here(
            "a non-ASCII character; allowed only in comments and strings, and not after a \\");
      }
      if (c == '#') {
        skip_comment();
      } else if (c == '"' || c == '\'') {
        if (!may_begin_string()) return here("a quote inside a value or a key");
        skip_string(c);
      } else {
        if (c == '}' && !open_.empty() && open_.back().bracket == '[') {
          return here("'}' without a matching '{'");
        }
        if (begins_date()) return here("a date; no key here takes one");
        count(c);
        if (depth_ + dots_ >= kMaxDepth) {
          return here(fmt::format("nested deeper than {}; flatten it", kMaxDepth));
        }
        if (c == '[' && line_is_blank_ && depth_ == 1 && !is_header_start()) {
          return here("a table's name begins with a letter, a digit, _ or -; write e.g. [gpu]");
        }
        advance(1);
      }
    }
    return std::nullopt;
  }

 private:
  struct Open {
    char bracket;
    std::size_t depth;  // that it added
  };

  static bool is_forbidden(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  static bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

  // Right after anything else the parser still reads the quote, and what it holds, as a value's.
  bool may_begin_string() const {
    if (position_ == 0) return true;
    const char before = text_[position_ - 1];
    return before == '.' || is_beyond_ascii(before) ||  // the byte order mark
           kBefore.find(before) != std::string_view::npos;
  }

  UnsafeToml here(std::string what) const { return {{line_, column_, false}, std::move(what)}; }

  // Whether the parser, which takes for granted what it finds after a header's brackets, would find
  // it: a key or the closing bracket.
  bool is_header_start() const {
    std::string_view rest = text_.substr(position_ + 1);
    if (rest.starts_with('[')) rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.empty()) return true;
    const char c = rest.front();
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           std::string_view("_-\"']").find(c) != std::string_view::npos;
  }

  // Whether a value that the parser might take for a date starts here: without its underscores, its
  // first characters are 1979-05-27. (With what follows, a T or a blank, it is careless.)
  bool begins_date() const {
    constexpr std::size_t kFarthest = 72;  // that the parser looks ahead
    const bool value_starts =
        position_ == 0 || kBefore.find(text_[position_ - 1]) != std::string_view::npos;
    if (!value_starts || !is_digit(text_[position_])) return false;
    std::string value;
    for (const char c : text_.substr(position_, kFarthest)) {
      if (value.size() == 10 || kAfter.find(c) != std::string_view::npos) break;
      if (c != '_') value += c;
    }
    return value.size() == 10 && value[4] == '-' && value[7] == '-';
  }

  void advance(std::size_t bytes) {
    for (; bytes > 0 && position_ < text_.size(); --bytes, ++position_) {
      const char c = text_[position_];
      line_is_blank_ = c == '\n' || c == '\r' || (line_is_blank_ && (c == ' ' || c == '\t'));
      // A character counts once, by its first byte.
      if ((static_cast<unsigned char>(text_[position_]) & 0xC0) != 0x80) ++column_;
      if (text_[position_] == '\n') {
        ++line_;
        column_ = 1;
      }
    }
  }

  // An opened value lies below all parts of the key before it, a part per dot.
  void count(char c) {
    if (c == '.') {
      ++dots_;
    } else if (c == '[' || c == '{') {
      open_.push_back({c, 1 + dots_});
      depth_ += open_.back().depth;
    } else if ((c == ']' || c == '}') && !open_.empty()) {
      depth_ -= open_.back().depth;
      open_.pop_back();
    }
    if (std::string_view("[]{},\n").find(c) != std::string_view::npos) dots_ = 0;
  }

  void skip_comment() {
    // Up to the line's end, or to a forbidden byte, which the main loop reports.
    while (position_ < text_.size() && text_[position_] != '\n' &&
           !is_forbidden(text_[position_])) {
      advance(1);
    }
  }

  bool starts_with(std::string_view token) const {
    return text_.substr(position_, token.size()) == token;
  }

  // Stops before a character that the main loop then reports.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool many_lines = starts_with(triple);
    const std::string_view end = std::string_view(triple).substr(0, many_lines ? 3 : 1);
    advance(end.size());
    while (position_ < text_.size() && !is_forbidden(text_[position_])) {
      if (starts_with(end)) return skip_end(end);
      // An unclosed string is the parser's to report, on this line.
      if (!many_lines && text_[position_] == '\n') return;
      if (quote == '"' && text_[position_] == '\\') {
        advance(1);
        if (many_lines && skip_line_end()) return;
        if (position_ == text_.size() || is_forbidden(text_[position_])) return;
      }
      advance(1);
    }
  }

  // Up to two quotes right before the closing three belong to the string.
  void skip_end(std::string_view end) {
    advance(end.size());
    for (int more = 0; more < 2 && end.size() == 3 && starts_with(end.substr(0, 1)); ++more) {
      advance(1);
    }
  }

  // Skips the blanks and line ends that a backslash joins, but for the last: the caller's. True
  // when a character beyond ASCII follows.
  bool skip_line_end() {
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    if (next < text_.size() && is_beyond_ascii(text_[next])) {
      advance(next - position_);
      return true;
    }
    if (next > position_) advance(next - position_ - 1);
    return false;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool line_is_blank_ = true;  // so far
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  std::vector<Open> open_;
  std::size_t depth_ = 0;  // of all of them
  std::size_t dots_ = 0;   // of the dotted key at hand
};

}  // namespace

std::optional<UnsafeToml> find_unsafe_toml(std::string_view text) {
  return Scanner(text).first_unsafe();
}

}  // namespace sim
