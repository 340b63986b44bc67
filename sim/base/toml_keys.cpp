// SPDX-License-Identifier: Apache-2.0
#include "sim/base/toml_keys.hpp"

namespace sim {
namespace {

std::string_view without_first_part(std::string_view key) {
  const auto dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(dot + 1);
}

bool matches(std::string_view pattern, std::string_view key) {
  while (!pattern.empty() && !key.empty()) {
    if (first_part(pattern) != "NAME" && first_part(pattern) != first_part(key)) return false;
    pattern = without_first_part(pattern);
    key = without_first_part(key);
  }
  return pattern.empty() && key.empty();
}

}  // namespace

std::string_view first_part(std::string_view key) { return key.substr(0, key.find('.')); }

std::string_view table_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
}

std::string_view leaf_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

const TomlKey* row_of(std::span<const TomlKey> keys, std::string_view key) {
  for (const TomlKey& row : keys) {
    if (matches(row.key, key)) return &row;
  }
  return nullptr;
}

}  // namespace sim
