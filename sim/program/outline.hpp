// SPDX-License-Identifier: Apache-2.0
// outline(): a step's program without the layers of its micro-batches, for lower bounds: what is done
// with weights, gradients and the optimizer's state, in a few instructions, whatever the number of
// micro-batches, of layers in a chunk and of buckets.
//
//   begin ► (forward ► backward) of each micro-batch ► reduce ► update
//
// A pipeline chunk is one bucket, or under ZeRO-3 one unit beside that of embedding and head. More of
// them move the same, and round up more often. Where several micro-batches are in flight, some steps
// gather embedding and head for fewer of them than others: here for the first alone.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "sim/program/lay_out.hpp"

namespace sim {

struct Outline {
  using Part = std::vector<Instruction>;  // of all stages
  Part begin;
  Part first_forward, first_backward;  // of the first micro-batch
  Part forward, backward;              // of each other one
  Part reduce;                         // what is left to reduce after the last
  Part update;
  std::vector<Communication> communications;
  std::vector<BlockTime> times;  // Program::times

  // Each part, and how often a step of so many micro-batches has it.
  using Counted = std::pair<const Part*, int>;
  [[nodiscard]] std::array<Counted, 7> parts(int micro_batches) const {
    const int others = micro_batches - 1;
    return {{{&begin, 1},
             {&first_forward, 1},
             {&first_backward, 1},
             {&forward, others},
             {&backward, others},
             {&reduce, 1},
             {&update, 1}}};
  }
};

// The parallelism is as given.
[[nodiscard]] Outline outline(StepContext context, const Scheme& scheme);

}  // namespace sim
