// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/edited_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "sim/base/toml_document.hpp"

namespace sim::fit {
namespace {

// Lines to write instead of a line of the text, or after it.
struct LineEdit {
  bool replaces = false;
  std::string text;
};

// By line of the text, from 1.
std::multimap<std::uint32_t, LineEdit> lines_to_edit(const TomlDocument& document,
                                                     std::span<const KeyEdit> edits) {
  std::multimap<std::uint32_t, LineEdit> lines;
  for (const KeyEdit& edit : edits) {
    const std::size_t dot = edit.key.find('.');
    const std::string text =
        fmt::format("# {}\n{} = {}\n", edit.comment, edit.key.substr(dot + 1), edit.value);
    const auto leaf = document.leaves.find(edit.key);
    const auto table = document.tables.find(edit.key.substr(0, dot));
    if (leaf != document.leaves.end()) {
      lines.emplace(leaf->second.place.line, LineEdit{true, text});
    } else if (table != document.tables.end()) {
      lines.emplace(table->second.line, LineEdit{false, text});
    }
  }
  return lines;
}

}  // namespace

std::string edited_text(std::string_view text, const std::filesystem::path& file,
                        std::span<const KeyEdit> edits) {
  const auto lines = lines_to_edit(parse_toml(text, file), edits);
  std::string edited;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto [first, last] = lines.equal_range(++number);
    const bool replaced = first != last && first->second.replaces;
    if (!replaced) edited.append(text.substr(0, end)).push_back('\n');
    for (auto line = first; line != last; ++line) edited += line->second.text;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return edited;
}

}  // namespace sim::fit
