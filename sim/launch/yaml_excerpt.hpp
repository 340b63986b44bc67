// SPDX-License-Identifier: Apache-2.0
// YAML of which lines were left out: a key that is indented below a value has lost the key above it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sim::launch {

struct MendedYaml {
  std::string text;                  // with as many lines
  std::vector<std::uint32_t> lines;  // those that stand below a lost key, "?" in `text`
};

// The text as it is where no key is indented below a key with a value, which no YAML file has.
[[nodiscard]] MendedYaml mended_excerpt(std::string_view text);

}  // namespace sim::launch
