// SPDX-License-Identifier: Apache-2.0
// Link: one directed link with its rate, which may change with time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

// An index into the links of a graph or a wiring.
using LinkId = std::uint32_t;

// A link's rate from `at_s` on; 0: it is down, and its traffic waits.
struct RateChange {
  double at_s = 0;
  double rate_Bps = 0;
};

struct Link {
  std::string name;  // unique: "nic_in_0"
  double rate_Bps = 0;
  std::vector<RateChange> changes = {};  // ascending, the first after 0
  double repeats_s = 0;     // period that begins with rate_Bps anew; 0: the changes happen once
  std::string kind = {};    // shared by links with the same role: "nic_in"
  std::string set_by = {};  // the key of the input file that sets the rate
};

// Highest rate that the link ever has.
[[nodiscard]] double highest_rate(const Link& link);
// Bytes that the link can carry until `until_s`.
[[nodiscard]] double capacity_bytes(const Link& link, double until_s);

}  // namespace sim
