// SPDX-License-Identifier: Apache-2.0
// The kernels of each kind of layer, and of what is around the layers, timed once for all micro-batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/program/lay_out.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

// A kernel, or several that follow each other on a stream.
struct TimedKernels {
  std::string label;          // after the layer's; empty where it stands for the whole part
  std::uint32_t kernels = 0;  // index into Program::kernels
};
using TimedPart = std::vector<TimedKernels>;

struct LayerKernels {
  // Kernels, what is exchanged when they are through, and kernels that run beside that.
  struct Segment {
    std::string label;  // after the layer's: " attention"
    TimedPart kernels;
    std::optional<Point> exchange = {};  // none: nothing is exchanged
    std::string exchanged = {};          // "attention output"
    TimedPart beside = {};
    std::string besides = {};  // after the layer's, of these: " attention weights"
    std::string input = {};    // of the block that begins with it: "attention input"
    [[nodiscard]] bool begins_block() const { return !input.empty(); }
  };

  LayerKind kind;
  std::vector<Segment> forward, backward;
  TimedPart recompute;
  std::vector<Segment> recomputed;  // without kernels: exchanges that are repeated
};

struct EndKernels {
  TimedPart embedding, embedding_backward, head, head_backward;
};

// Whether what may run beside an exchange at the point does.
[[nodiscard]] bool runs_beside(const Parallelism& p, Point point);
// Of exchanges of the forward pass that are not behind blocks (recomputed_exchanges()): whether what is
// recomputed repeats them, since it has what is before them, but for what only the layer's last product
// needs.
[[nodiscard]] bool repeats(const Parallelism& p, Point point);

// Add the kernels to the program. `exchanges` says whether ranks exchange at a point: what nothing
// separates is one segment.
[[nodiscard]] LayerKernels layer_kernels(StepLayOut& step, LayerKind kind,
                                         const std::function<bool(Point)>& exchanges);
[[nodiscard]] EndKernels end_kernels(StepLayOut& step);

}  // namespace sim
