// SPDX-License-Identifier: Apache-2.0
// Two passes of different micro-batches at once: while one exchanges, the other computes.
//
//   compute  [a1][b1]   [a2]   [b2] ...
//   experts      [a1 out][b1 out][a1 back] ...
//
// DeepSeek-V3's DualPipe (arXiv 2412.19437, section 3.2.1) and Megatron-LM's overlap of expert-parallel
// communication run a forward and a backward pass so.
#pragma once

#include <vector>

#include "sim/program/program.hpp"

namespace sim {

// Of one stage, each as it runs alone: whatever an exchange between blocks runs beside there is
// computed before it here.
[[nodiscard]] std::vector<Instruction> interleaved(const Program& program,
                                                   std::vector<Instruction> first,
                                                   std::vector<Instruction> second);

}  // namespace sim
