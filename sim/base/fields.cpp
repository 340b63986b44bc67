// SPDX-License-Identifier: Apache-2.0
#include "sim/base/fields.hpp"

#include <fmt/format.h>

namespace sim {

std::string dotted(std::string_view table, std::string_view name) {
  return table.empty() ? std::string(name) : fmt::format("{}.{}", table, name);
}

KeyTable&& KeyTable::add(std::span<const TomlKey> rows) && {
  keys_.insert(keys_.end(), rows.begin(), rows.end());
  return std::move(*this);
}

void KeyTable::add_row(Texts texts, std::string_view meaning, std::string_view example) {
  // "ideal", without the quotes of TOML.
  std::erase(texts.usual, '"');
  const Texts& kept = texts_.emplace_back(std::move(texts));
  keys_.push_back({kept.key, kept.value, kept.usual, meaning, example});
}

}  // namespace sim
