// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/together.hpp"

#include <bit>
#include <string>

namespace emulator {

int source_lane(Together what, int operand, int width) {
  if (width < 1 || width > kWarpLanes || !std::has_single_bit(static_cast<unsigned>(width))) {
    throw Misuse("a shuffle's width is a power of two up to 32, not " + std::to_string(width));
  }
  const int lane = lane_index(), first = lane - lane % width, last = first + width - 1;
  const int by = operand & (kWarpLanes - 1);
  switch (what) {
    case Together::shfl:
      return first + by % width;
    case Together::shfl_up:
      return lane - by < first ? lane : lane - by;
    case Together::shfl_down:
      return lane + by > last ? lane : lane + by;
    default:
      return (lane ^ by) > last ? lane : lane ^ by;
  }
}

std::uint64_t shuffle(Together what, unsigned lanes, std::uint64_t value, int source, Place where) {
  if ((lanes >> source & 1u) == 0) {
    throw Misuse("lane " + std::to_string(lane_index()) + " asks for the value of lane " +
                 std::to_string(source) + ", which is not in the mask, at " + where.file + ":" +
                 std::to_string(where.line));
  }
  return meet(what, lanes, value, where)[source];
}

unsigned equal_lanes(Together what, unsigned lanes, std::uint64_t value, Place where) {
  const std::uint64_t* const values = meet(what, lanes, value, where);
  unsigned equal = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((lanes >> lane & 1u) != 0 && values[lane] == value) equal |= 1u << lane;
  }
  return equal;
}

}  // namespace emulator
