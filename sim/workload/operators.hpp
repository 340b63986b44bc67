// SPDX-License-Identifier: Apache-2.0
// Operators: the computation of one rank, kernel by kernel, as matrix products and memory passes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// What a kernel does, by which a table of published times finds it.
enum class Work {
  other,
  product,
  grouped,  // products of all experts of a layer
  attention,
  norm,
  activation,
  rotation,
  permute,  // gathers rows by expert, or sums them back
  loss,
  cast
};
// Of a layer's backward pass: the gradients of its inputs, or of its weights.
enum class Gradient { none, inputs, weights };

// One or more launches of one kernel. A matrix product is `count` times (m x k)(k x n). A grouped one is
// that for `count` experts, whose rows are m, or k for Gradient::weights; `bytes` has every expert's
// weights. A permutation has only `bytes` and `launches`.
struct Operator {
  std::string_view name;
  double m = 0, n = 0, k = 0;
  double count = 1;
  double in_turn = 1;  // in so many kernels of m / in_turn rows, one after the other
  double bytes = 0;    // read and written in GPU memory, all counts together
  double launches = 1;
  MatrixPrecision precision = MatrixPrecision::bf16;  // of its operands
  Work work = Work::other;
  Gradient gradient = Gradient::none;
  Kernels kernels = Kernels::megatron;  // of norms: who wrote the kernel
  // Of fused attention: the kernel, the width of a head, tokens of all heads and sequences, and the
  // share of flop() below the diagonal.
  Attention attention = Attention::unfused;
  double head_width = 0, queries = 0, useful = 1;

  [[nodiscard]] double flop() const { return 2 * m * n * k * count; }
  [[nodiscard]] bool fused_attention() const { return is_fused(attention); }
};
using Operators = std::vector<Operator>;

// Where ranks may exchange what they have of a layer.
enum class Point : std::uint8_t {
  inside_attention,       // what its core takes
  after_core,             // what that gives
  before_core_gradients,  // backward, what that reads besides
  core_gradients,         // and what it gives
  after_block,            // the block's output; in the backward pass, the gradient of its input
  after_block_parts,      // the same where what follows reads only the rank's own part
  before_block_parts,     // the same where each rank has only its own part
  dispatch,               // rows to their experts
  combine,                // and back
  dispatch_gradients,     // of what came back, to the experts
  combine_gradients,      // of rows, back
  inside_layer            // between blocks that read the same: nothing
};
[[nodiscard]] constexpr bool is_behind_block(Point point) {
  return point == Point::after_block || point == Point::after_block_parts ||
         point == Point::before_block_parts;
}

// Part of a pass over a layer, of one micro-batch on one rank.
struct Segment {
  std::string_view block;      // "attention"
  std::string_view part = {};  // of a block that has several: "core"
  Operators kernels;
  Point point = Point::after_block;  // that follows
  Operators beside = {};             // may run beside an exchange there, as gradients of weights
  bool gathers = true;               // BlockParts::gathers, of its block
};
using Segments = std::vector<Segment>;

// In the order in which they run. A block's backward segments begin with the backward pass of the norm
// that follows in the forward pass, which needs what was exchanged before.
struct LayerOperators {
  Segments forward;
  Operators recompute;  // in the backward pass, before its segments
  Segments backward;
};
[[nodiscard]] LayerOperators layer_operators(const Model& model, const Parallelism& parallelism,
                                             LayerKind kind = {});

// Operators of the first and the last stage besides their layers.
struct EndOperators {
  Operators embedding;  // forward, first stage
  Operators embedding_backward;
  Operators head;  // forward: final norm, logits and loss, last stage
  Operators head_backward;
};
[[nodiscard]] EndOperators end_operators(const Model& model, const Parallelism& parallelism);

}  // namespace sim
