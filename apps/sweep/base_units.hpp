// SPDX-License-Identifier: Apache-2.0
// Inputs that are texts with a unit, as numbers: "100 Gbps" is 1.25e10 of network_nic_bandwidth_Bps.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "apps/sweep/inputs.hpp"

namespace apps {

struct InBaseUnits {
  double value;
  std::string_view unit;  // suffix of a column: Bps, bytes, s, flops_per_s, W, usd_per_s ...
};

// None if the text is not a quantity.
[[nodiscard]] std::optional<InBaseUnits> in_base_units(std::string_view text);

// Additional columns with a number for each text with a unit among the inputs; several for one key
// if its texts have several dimensions.
class NumberColumns {
 public:
  // Adds a value of a key; returns whether the text was unknown.
  bool add(const std::string& key, const Inputs& value);

  // The names of a key's columns, made by column_of().
  [[nodiscard]] const std::set<std::string>& of(const std::string& key) const;
  // The number of such a value in one of its columns; null if it has none there.
  [[nodiscard]] Inputs value(const std::string& key, const Inputs& value,
                             const std::string& column) const;

 private:
  struct OfKey {
    std::map<std::string, std::optional<InBaseUnits>> numbers;  // by text
    std::set<std::string> columns;
  };
  std::map<std::string, OfKey> keys_;
};

}  // namespace apps
