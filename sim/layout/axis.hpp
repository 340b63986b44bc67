// SPDX-License-Identifier: Apache-2.0
// Axes: the ways in which the ranks of a job divide its work, a row each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sim {

// What ranks exchange in each layer: sim/program/block_exchange.hpp.
struct BlockExchange;

// What differs between ranks along an axis.
enum class Splits : std::uint8_t {
  samples,  // the samples: they hold the same weights
  tokens,   // the tokens of one sample: they hold the same weights, too
  weights   // the weights that they hold
};

// Groups of parameters, each with its own factoring of the ranks (sim/layout/factoring.hpp).
enum class Weights : std::uint8_t { dense, experts };

struct Axis {
  std::string_view name;  // as `placement` writes it: "tp"
  Splits splits = Splits::weights;
  Weights of = Weights::dense;              // the factoring that it is part of
  const BlockExchange* exchange = nullptr;  // null: nothing
};

// Gradients are summed, and ZeRO's shards lie, over ranks that hold the same weights.
[[nodiscard]] constexpr bool holds_the_same(const Axis& axis) {
  return axis.splits != Splits::weights;
}

namespace axes {
extern const Axis tensor, context_heads, context, data, pipeline;
// Of experts: ranks that hold parts of the same ones, other ones, and the same.
extern const Axis expert_tensor, expert, expert_data;
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
