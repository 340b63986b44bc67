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
  std::string_view unit;  // as a column's name ends: Bps, bytes, s, flops_per_s, W, usd_per_s ...
};

// None where the text is no quantity.
[[nodiscard]] std::optional<InBaseUnits> in_base_units(std::string_view text);

// The columns beside those of the inputs that have a number for each text with a unit: of one key
// several, where its texts are of several kinds.
class NumberColumns {
 public:
  // A value of a key; whether it is a text that was not known.
  bool add(const std::string& key, const Inputs& value);

  // The names of a key's columns, as column_of() has the key's own.
  [[nodiscard]] const std::set<std::string>& of(const std::string& key) const;
  // The number of such a value in one of its columns; null where it has none there.
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
