// SPDX-License-Identifier: Apache-2.0
// What ranks along an axis exchange in each layer.
#pragma once

#include "sim/program/lay_out.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

struct BlockExchange {
  // At a point of a layer; without parts where nothing is exchanged there. `bytes`: bytes_between_layers().
  Communication (*lay_out)(const StepSizes& shape, Point point, double bytes) = nullptr;
  // What gathers a block's input once more in the backward pass; null: nothing does.
  Communication (*gather_again)(const StepSizes& shape, double bytes) = nullptr;
};

}  // namespace sim
