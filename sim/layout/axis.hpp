// SPDX-License-Identifier: Apache-2.0
// Axes: the ways in which the ranks of a job divide its work, a row each. Along an axis, ranks differ
// in what they hold or in what they compute.
#pragma once

#include <array>
#include <string_view>

namespace sim {

// What ranks exchange after each block of a layer: sim/program/block_exchange.hpp.
struct BlockExchange;

struct Axis {
  std::string_view name;  // as `placement` writes it: "tp"
  // Its ranks hold the same weights and compute with other samples. Gradients are summed over them,
  // and ZeRO's shards lie on them.
  bool same_weights = false;
  const BlockExchange* after_block = nullptr;  // null: nothing
};

namespace axes {
extern const Axis tensor, data, pipeline;
}  // namespace axes

struct SizedAxis {
  const Axis* axis = nullptr;
  int size = 1;
  auto operator<=>(const SizedAxis&) const = default;
};

inline constexpr std::size_t kMostAxes = 6;
// Axes from the one along which ranks are neighbours to the one along which they are farthest apart;
// what is not used is null.
using Placement = std::array<const Axis*, kMostAxes>;

}  // namespace sim
