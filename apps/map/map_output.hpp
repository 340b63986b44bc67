// SPDX-License-Identifier: Apache-2.0
// Prints a map of schemes.
#pragma once

#include <span>
#include <string>

#include "sim/study/map.hpp"

namespace apps {

// A point, and the flags that run its two setups, in addition to the job's.
struct MapRow {
  sim::study::MapPoint point;
  std::string uncompressed_flags, compressed_flags;
};

// table, json or csv.
void print_map(const std::string& format, std::span<const MapRow> rows);

}  // namespace apps
