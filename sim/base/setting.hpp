// One --set KEY=VALUE of the command line.
#pragma once

#include <string>

namespace sim {

// `key` is spelled as in the file ("network.nic_bandwidth"). `value` is a TOML value, or text that
// is taken for a TOML string ("200 Gbps" needs no quotes of its own).
struct Setting {
  std::string key;
  std::string value;
};

}  // namespace sim
