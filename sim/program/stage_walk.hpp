// SPDX-License-Identifier: Apache-2.0
// A lower bound of a step, from what one pipeline stage does in its order: its passes, the weights that
// it gathers for them and the gradients that it reduces, on its streams. Each pass of a layer is one
// kernel, ranks wait for no other stage, and nothing slows down what runs beside it.
//
//   weights  [gather 0]          [gather 1]          [reduce 1]          chunks of virtual stages
//   compute            [chunk 0]           [chunk 1]            ...      cannot prefetch each other
#pragma once

#include <functional>
#include <vector>

#include "sim/program/lay_out.hpp"

namespace sim {

// Seconds of one micro-batch: of a layer of each kind, and outside the layers.
struct LayerPass {
  LayerKind kind;
  double forward = 0, backward = 0;
  // The last part of each, for which the compute stream waits for an exchange.
  double forward_waits = 0, backward_waits = 0;
};
struct Passes {
  std::vector<LayerPass> layers;
  double embedding = 0, embedding_backward = 0, head = 0, head_backward = 0;

  [[nodiscard]] const LayerPass& of(LayerKind kind) const;
};

// What a transfer among these ranks takes at least. Called once for each.
using TransferSeconds = std::function<double(const std::vector<int>& ranks, const Transfer&)>;

struct StageWalk {
  double passes_s = 0;  // the end of the last pass
  double all_s = 0;     // of everything before the update
  double update_s = 0;  // of the update, which begins once all stages are there
};
// Of each stage, whose first pass begins no earlier than after the seconds that `begins_s` has for it.
// Nothing for passes that run in pairs. The parallelism is as given.
[[nodiscard]] std::vector<StageWalk> walk_stages(StepContext context, const Scheme& scheme,
                                                 const Passes& passes,
                                                 const std::vector<double>& begins_s,
                                                 const TransferSeconds& transfer_s);

}  // namespace sim
