// SPDX-License-Identifier: Apache-2.0
// FairLines: the links of a wiring that flows have to share, and how its routes cross them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/schedule/wiring.hpp"

namespace sim {

// A line is a link that several routes cross and that may fill up, or whose rate changes.
struct FairLines {
  using LineId = std::uint32_t;
  static constexpr LineId kNone = UINT32_MAX;

  struct Part {  // of a route
    LineId line;
    int times;
  };
  struct Route {
    std::uint32_t first = 0, last = 0;                          // of the parts
    double most_Bps = std::numeric_limits<double>::infinity();  // by links that are no lines
  };
  std::vector<double> rates_Bps = {};  // by line, at the start
  std::vector<LineId> line_of = {};    // by link
  std::vector<Part> parts = {};
  std::vector<Route> routes = {};  // each crosses a line
};
[[nodiscard]] FairLines lines_of(const Wiring& wiring);

// How many routes cross each link.
[[nodiscard]] std::vector<std::uint32_t> routes_over(const Wiring& wiring);

}  // namespace sim
