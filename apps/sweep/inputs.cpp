// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/inputs.hpp"

#include <algorithm>

namespace apps {

std::string column_of(std::string_view key) {
  std::string column(key);
  std::ranges::replace_if(
      column, [](char c) { return c == '-' || c == '.'; }, '_');
  return column;
}

std::string text_of(const Inputs& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Arguments arguments_of(const Inputs& inputs) {
  Arguments arguments{"run"};
  for (const auto& [key, value] : inputs.items()) {
    if (key.find('.') != std::string::npos) {
      // In quotes, or the text "1" would be taken for a number. JSON's texts and numbers are TOML's.
      arguments.emplace_back("--set");
      arguments.push_back(key + "=" + value.dump());
    } else if (!value.is_boolean()) {
      arguments.push_back("--" + key + "=" + text_of(value));
    } else if (value.get<bool>()) {
      arguments.push_back("--" + key);
    }
  }
  return arguments;
}

}  // namespace apps
