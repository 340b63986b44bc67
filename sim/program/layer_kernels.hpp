// SPDX-License-Identifier: Apache-2.0
// The kernels of a layer, and of what is around the layers, timed once for all micro-batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/program/lay_out.hpp"

namespace sim {

struct LayerKernels {
  // A kernel, or several that follow each other on a stream.
  struct Operation {
    std::string label;          // after the layer's; empty where it stands for the whole part
    std::uint32_t kernels = 0;  // index into Program::kernels
  };
  using Part = std::vector<Operation>;
  // Two parts, between which something may communicate; `both` where nothing does.
  struct Pair {
    Part first, second, both;
  };

  Pair forward;  // attention and feed-forward block
  Part recompute;
  Pair feed_forward_backward, attention_backward;  // gradients of inputs, then of weights
  Part embedding, embedding_backward, head, head_backward;
};

// Adds the kernels to the program.
[[nodiscard]] LayerKernels layer_kernels(StepLayOut& step);

}  // namespace sim
