// SPDX-License-Identifier: Apache-2.0
#include "sim/base/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

std::string dotted(std::string_view table, std::string_view name) {
  return table.empty() ? std::string(name) : fmt::format("{}.{}", table, name);
}

std::string table_lines(std::string_view table, std::vector<KeyAndValue> keys) {
  const auto part_of = [](const KeyAndValue& key) { return table_part(key.name); };
  std::stable_partition(keys.begin(), keys.end(),
                        [&](const KeyAndValue& key) { return part_of(key).empty(); });
  std::string text;
  for (std::string open; const KeyAndValue& key : keys) {
    const std::string wanted =
        part_of(key).empty() ? std::string(table) : dotted(table, part_of(key));
    if (wanted != open) text += fmt::format("{}[{}]\n", text.empty() ? "\n" : "", wanted);
    open = wanted;
    text += fmt::format("{} = {}\n", leaf_part(key.name), key.value);
  }
  return text;
}

std::string KeyTable::meaning_of(std::string_view meaning, std::string_view subject) {
  std::string text(meaning);
  if (const auto place = text.find("{}"); place != text.npos) text.replace(place, 2, subject);
  return text;
}

void KeyTable::add_row(Texts texts, std::string_view example) {
  // "ideal", without the quotes of TOML.
  std::erase(texts.usual, '"');
  const Texts& kept = texts_.emplace_back(std::move(texts));
  keys_.push_back({kept.key, kept.value, kept.usual, kept.meaning, example});
}

}  // namespace sim
