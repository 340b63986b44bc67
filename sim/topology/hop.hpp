// SPDX-License-Identifier: Apache-2.0
// Hop: a part of a route, between two GPUs or two sites.
#pragma once

#include <compare>
#include <cstdint>

namespace sim {

// `times` shares of a flow's bytes from one rank to another; between sites a rank is a place.
struct Hop {
  std::int32_t source = 0;       // rank
  std::int32_t destination = 0;  // rank
  std::int16_t nic_out = -1;     // NIC of the source's node, or -1: over NVLink inside the node
  // NIC of the destination's node, or -1. Below: up to the switch that lies -1 - nic_in levels above
  // the source's NIC, which adds, and down again with the sum.
  std::int16_t nic_in = -1;
  std::int32_t times = 1;
  bool detours =
      false;  // where routing is adaptive: goes by way of a third group (Routing::valiant)
  // Of those between two NICs, each of which ecmp hashes to links of its own.
  std::int32_t connection = 0;

  [[nodiscard]] bool over_network() const { return nic_out >= 0; }
  [[nodiscard]] int levels_up() const { return nic_in < -1 ? -1 - nic_in : 0; }
  auto operator<=>(const Hop&) const = default;
  // Its way, however often it is taken.
  [[nodiscard]] Hop way() const {
    Hop once = *this;
    once.times = 0;
    return once;
  }
};

}  // namespace sim
