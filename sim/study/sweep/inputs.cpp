// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/inputs.hpp"

#include <algorithm>

namespace sim::sweep {

std::string column_of(std::string_view key) {
  std::string column(key);
  std::ranges::replace_if(
      column, [](char c) { return c == '-' || c == '.'; }, '_');
  return column;
}

std::string text_of(const Inputs& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Inputs or_null(const std::string& text) { return text.empty() ? Inputs() : Inputs(text); }

std::string line_of(const Inputs& json) {
  return json.dump(-1, ' ', false, Inputs::error_handler_t::replace);
}

}  // namespace sim::sweep
