// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/yaml_excerpt.hpp"

#include <algorithm>
#include <cctype>

namespace sim::launch {
namespace {

// "key: value" of block style, on one line.
struct KeyLine {
  std::size_t indent = 0;
  std::string_view key;    // empty: the line is none
  std::string_view value;  // empty: a map or a list follows, or null
};

bool is_key_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

KeyLine key_line(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::size_t end = indent;
  while (end < line.size() && is_key_letter(line[end])) ++end;
  if (end == indent || end >= line.size() || line[end] != ':') return {};
  if (line[indent] == '-') return {};
  std::string_view value = line.substr(end + 1);
  if (!value.empty() && value.front() != ' ' && value.front() != '\r') return {};
  value.remove_prefix(std::min(value.find_first_not_of(" \r"), value.size()));
  if (value.starts_with('#')) value = {};
  return {indent, line.substr(indent, end - indent), value};
}

// A value that may go on in lines that are indented further, or that names what they hold.
bool may_go_on(std::string_view value) { return value.find_first_of("|>&!\"'[{") == 0; }

}  // namespace

MendedYaml mended_excerpt(std::string_view text) {
  MendedYaml mended;
  KeyLine above;  // the last key that stands where it belongs
  std::uint32_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const KeyLine own = key_line(line);
    const bool is_lost = !own.key.empty() && !above.key.empty() && own.indent > above.indent &&
                         !above.value.empty() && !may_go_on(above.value);
    if (is_lost) {
      mended.text += std::string(above.indent, ' ') + "\"?." + std::string(own.key) + "\"";
      mended.text += line.substr(own.indent + own.key.size());
      mended.lines.push_back(number);
    } else {
      mended.text += line;
      const bool is_comment = line.find_first_not_of(" \t\r") == std::string_view::npos ||
                              line[line.find_first_not_of(" \t\r")] == '#';
      if (!is_comment) above = own;
    }
    if (end < text.size()) mended.text += '\n';
    start = end + 1;
  }
  return mended;
}

}  // namespace sim::launch
