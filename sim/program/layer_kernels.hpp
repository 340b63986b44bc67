// SPDX-License-Identifier: Apache-2.0
// The kernels of a layer, and of what is around the layers, timed once for all micro-batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/program/lay_out.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

struct LayerKernels {
  // A kernel, or several that follow each other on a stream.
  struct Operation {
    std::string label;          // after the layer's; empty where it stands for the whole part
    std::uint32_t kernels = 0;  // index into Program::kernels
  };
  using Part = std::vector<Operation>;
  // Kernels, what is exchanged when they are through, and kernels that run beside that.
  struct Segment {
    std::string label;  // after the layer's: " attention"
    Part kernels;
    std::optional<Point> exchange = {};  // none: nothing is exchanged
    std::string exchanged = {};          // "attention output"
    Part beside = {};
    std::string input = {};  // of the block that begins with it: "attention input"
    [[nodiscard]] bool begins_block() const { return !input.empty(); }
  };

  std::vector<Segment> forward, backward;
  Part recompute;
  std::vector<Segment> recomputed;  // without kernels: exchanges that are repeated
  Part embedding, embedding_backward, head, head_backward;
};

// Adds the kernels to the program. `exchanges` says whether ranks exchange at a point: what nothing
// separates is one segment.
[[nodiscard]] LayerKernels layer_kernels(StepLayOut& step,
                                         const std::function<bool(Point)>& exchanges);

}  // namespace sim
