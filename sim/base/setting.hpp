// SPDX-License-Identifier: Apache-2.0
// A key of an input file with another value: KEY=VALUE of the field `set`.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace sim {

// `key` is spelled as in the file ("network.nic_bandwidth"). `value` is a TOML value, or text
// treated as a TOML string ("200 Gbps" needs no quotes of its own).
struct Setting {
  std::string key;
  std::string value;
  std::string field = {};  // of the job, that stands for the key: "sequence"

  auto operator<=>(const Setting&) const = default;

  // As an error names it: "`set` KEY", or "`FIELD`".
  [[nodiscard]] std::string name() const;
};

// Throws an InputError located at the setting: "NAME: what".
[[noreturn]] void refuse(const Setting& setting, std::string_view what);

}  // namespace sim
