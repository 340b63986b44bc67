// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/log_line.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

namespace sim::fit {
namespace {

constexpr std::string_view kBlanks = " \t\r";
// Tags stand within the first bytes of a line; std::regex recurses over what it searches.
constexpr std::size_t kLongestTag = 256;

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Times differ from line to line: "Sat Nov 28 16:18:21 2026" of mpirun, "2026-11-28T16:18:21.5Z"
// of kubectl, "Nov 28 16:18:21" and "16:18:21,500".
std::string without_times(std::string_view text) {
  static const std::regex kTime(R"(\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}|)"
                                R"(\b(\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} [ \d]\d )?)"
                                R"(\d\d:\d\d:\d\d([.,]\d{1,9})?(Z|[-+]\d\d:?\d\d)?\b)");
  const std::size_t size = std::min(text.size(), kLongestTag);
  const std::string_view head = text.substr(0, size);
  if (head.find(':') == std::string_view::npos) return std::string(text);
  std::string plain = std::regex_replace(std::string(head), kTime, "");
  return plain.append(text.substr(size));
}

bool has_word(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool describes_run(const Words& words) {
  if (words.size() < 2) return false;
  if (words[0] == "size") return has_word(words, "algbw") || has_word(words, "busbw");
  if (words[0] == "Rank") return has_word(words, "on");
  return words[0] == "nThread" || words[0] == "(B)";
}

}  // namespace

Words words_of(std::string_view line) {
  Words words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(kBlanks, begin)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

bool is_elision(const Words& words) {
  constexpr std::string_view kDots[] = {"...", "..", "....", "…", "[...]", "[…]", "(...)"};
  return words.size() == 1 && std::ranges::find(kDots, words[0]) != std::end(kDots);
}

std::optional<TestComment> test_comment_in(std::string_view line) {
  const std::string_view head = line.substr(0, kLongestTag);
  for (std::size_t at = head.find('#'); at != std::string_view::npos; at = head.find('#', at + 1)) {
    Words words = words_of(line.substr(at + 1));
    if (!describes_run(words)) continue;
    return TestComment{std::string(without_blanks(without_times(line.substr(0, at)))),
                       std::move(words)};
  }
  return std::nullopt;
}

std::optional<std::string> after_tag(std::string_view line, std::string_view tag) {
  const std::string plain = without_times(line);
  std::string_view rest = without_blanks(plain);
  if (!rest.starts_with(tag)) return std::nullopt;
  rest.remove_prefix(tag.size());
  const auto is_of_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0;
  };
  if (!tag.empty() && !rest.empty() && is_of_word(tag.back()) && is_of_word(rest.front())) {
    return std::nullopt;
  }
  return std::string(without_blanks(rest));
}

}  // namespace sim::fit
