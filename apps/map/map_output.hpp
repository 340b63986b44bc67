// SPDX-License-Identifier: Apache-2.0
// Prints a map of schemes.
#pragma once

#include <span>
#include <string>

#include "apps/map/axes.hpp"
#include "sim/study/map.hpp"

namespace apps {

// A point, and the flags that run its two setups, in addition to the job's.
struct MapRow {
  sim::study::MapPoint point;
  std::string uncompressed_flags, compressed_flags;
};

// table, json or csv. The rows are in the order of y, then x.
void print_map(const std::string& format, const Axis& x, const Axis& y,
               std::span<const MapRow> rows);

}  // namespace apps
