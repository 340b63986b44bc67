// SPDX-License-Identifier: Apache-2.0
// Inputs that are texts with a unit, as numbers: "100 Gbps" is 1.25e10 of network_nic_bandwidth_Bps.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/study/sweep/inputs.hpp"

namespace sim::sweep {

struct InBaseUnits {
  double value;
  std::string_view unit;  // suffix of a column: Bps, bytes, s, flops_per_s, W, usd_per_s ...
};

// None if the text is not a quantity.
[[nodiscard]] std::optional<InBaseUnits> in_base_units(std::string_view text);

// The name of the column for such a number: network_nic_bandwidth_Bps.
[[nodiscard]] std::string column_of(const std::string& key, const InBaseUnits& number);

// Additional columns with a number for each text with a unit among the inputs; several for one key
// if its texts have several dimensions.
class NumberColumns {
 public:
  using Visit = std::function<void(const std::string& name, const Inputs& value)>;

  // Adds a value of a key; returns whether the text was unknown.
  bool add(const std::string& key, const Inputs& value);

  // Every input by its name in SQL, and after it the names of its columns with its number in each;
  // null if it has none there.
  void each(const Inputs& inputs, const Visit& visit) const;

 private:
  struct OfKey {
    std::map<std::string, std::optional<InBaseUnits>> numbers;  // by text
    std::set<std::string> columns;
  };
  std::map<std::string, OfKey> keys_;
};

}  // namespace sim::sweep
