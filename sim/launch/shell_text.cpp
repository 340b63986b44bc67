// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/shell_text.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "sim/base/number_text.hpp"

namespace sim::launch {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Precedence climbing over one text.
class Arithmetic {
 public:
  Arithmetic(std::string_view text, const ShellVariables& variables, int depth)
      : text_(text), variables_(variables), depth_(depth) {}

  std::optional<std::int64_t> whole() {
    const auto value = sum();
    skip();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  static constexpr int kMostDepth = 64;

  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<std::int64_t> sum() {
    auto value = product();
    while (value) {
      const bool adds = take('+');
      if (!adds && !take('-')) break;
      const auto other = product();
      std::int64_t result = 0;
      const bool wrong = !other || (adds ? __builtin_add_overflow(*value, *other, &result)
                                         : __builtin_sub_overflow(*value, *other, &result));
      value = wrong ? std::nullopt : std::optional(result);
    }
    return value;
  }

  std::optional<std::int64_t> product() {
    auto value = factor();
    while (value) {
      const char operation = take('*') ? '*' : take('/') ? '/' : take('%') ? '%' : ' ';
      if (operation == ' ') break;
      const auto other = factor();
      if (!other) return std::nullopt;
      std::int64_t result = 0;
      if (operation == '*') {
        if (__builtin_mul_overflow(*value, *other, &result)) return std::nullopt;
      } else {
        if (*other <= 0) return std::nullopt;
        result = operation == '/' ? *value / *other : *value % *other;
      }
      value = result;
    }
    return value;
  }

  std::optional<std::int64_t> factor() {
    skip();
    if (++depth_ > kMostDepth) return std::nullopt;
    if (take('(')) {
      const auto value = sum();
      return take(')') ? value : std::nullopt;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (const auto number = number_in<std::int64_t>(word)) return number;
    const auto found = variables_.find(word);
    if (found == variables_.end()) return std::nullopt;
    return Arithmetic(found->second.text, variables_, depth_).whole();
  }

  std::string_view text_;
  const ShellVariables& variables_;
  std::size_t at_ = 0;
  int depth_;
};

}  // namespace

TracedText TracedText::part(std::size_t begin, std::size_t end) const {
  return {text.substr(begin, end - begin),
          {lines.begin() + static_cast<std::ptrdiff_t>(begin),
           lines.begin() + static_cast<std::ptrdiff_t>(end)}};
}

TracedText traced(std::string_view text, std::uint32_t line) {
  return {std::string(text), std::vector<std::uint32_t>(text.size(), line)};
}

std::vector<TracedText> words_of(const TracedText& text) {
  std::vector<TracedText> words;
  for (std::size_t at = 0; at < text.text.size();) {
    while (at < text.text.size() && is_blank(text.text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.text.size() && !is_blank(text.text[at])) ++at;
    if (at > begin) words.push_back(text.part(begin, at));
  }
  return words;
}

std::optional<std::int64_t> arithmetic(std::string_view expression,
                                       const ShellVariables& variables) {
  return Arithmetic(expression, variables, 0).whole();
}

bool needs_shell(std::string_view value) {
  return value.find('$') != std::string_view::npos || value.find('`') != std::string_view::npos;
}

std::optional<bool> answer_of_test(const std::vector<TracedText>& words) {
  for (const TracedText& word : words) {
    if (needs_shell(word.text)) return std::nullopt;
  }
  if (words.size() == 2 && words[0].text == "-n") return !words[1].text.empty();
  if (words.size() == 2 && words[0].text == "-z") return words[1].text.empty();
  if (words.size() != 3) return std::nullopt;
  const std::string &a = words[0].text, &operation = words[1].text, &b = words[2].text;
  if (operation == "=" || operation == "==") return matches_pattern(a, b);
  if (operation == "!=") return !matches_pattern(a, b);
  const auto x = number_in<std::int64_t>(a), y = number_in<std::int64_t>(b);
  if (!x || !y) return std::nullopt;
  if (operation == "-eq") return *x == *y;
  if (operation == "-ne") return *x != *y;
  if (operation == "-gt" || operation == ">") return *x > *y;
  if (operation == "-ge") return *x >= *y;
  if (operation == "-lt" || operation == "<") return *x < *y;
  if (operation == "-le") return *x <= *y;
  return std::nullopt;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // Greedy matching with one place to go back to, linear for the few stars of a script.
  std::size_t t = 0, p = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace sim::launch
