// SPDX-License-Identifier: Apache-2.0
// ZeRO++ (arXiv 2306.10209) and its parts, each alone, and LoCo on top of it, as DeepSpeed has them:
// of a model of M bytes in BF16 ZeRO-3 sends 3 M between nodes, M in the forward pass, M in the
// backward pass and M of gradients. qwZ halves the first two, hpZ keeps the second inside nodes, qgZ
// quarters the third: 0.5 M + 0 + 0.25 M.
#include "sim/schemes/rows.hpp"

namespace sim {
namespace {

constexpr const char* kZeroppPaper = "arXiv 2306.10209";

// INT8 blocks, section 3.1; DeepSpeed's have at most 8000 elements.
WeightExchange quantized_weights(bool secondary_shards) {
  return {.wire = wire("int8_full_g2048"), .secondary_shards = secondary_shards};
}

// INT4 inside nodes and between them, section 3.3.
GradientExchange quantized_gradients() {
  return {.algorithm = &reductions::two_level,
          .inside = wire("int4_full_g2048"),
          .between = wire("int4_full_g2048")};
}

GradientExchange with_loco() {
  GradientExchange exchange = quantized_gradients();
  exchange.method = &methods::loco;
  exchange.residual_bytes = methods::loco.residual_bytes;
  return exchange;
}

}  // namespace

Scheme qwz() {
  return {.name = "qwz",
          .summary = "ZeRO++'s weight compression alone: INT8, forward and backward",
          .source = kZeroppPaper,
          .zero = {3},
          .weights = quantized_weights(false),
          .twin = "sharded"};
}

Scheme hpz() {
  return {
      .name = "hpz",
      .summary = "ZeRO++'s secondary shards alone: the backward pass gathers weights inside nodes",
      .source = kZeroppPaper,
      .zero = {3},
      .weights = {.secondary_shards = true},
      .twin = "sharded"};
}

Scheme qgz() {
  return {.name = "qgz",
          .summary = "ZeRO++'s gradient compression alone: INT4 at two levels",
          .source = kZeroppPaper,
          .zero = {3},
          .gradients = quantized_gradients(),
          .twin = "sharded"};
}

Scheme zeropp() {
  return {.name = "zeropp",
          .summary = "ZeRO++: qwz, hpz and qgz together",
          .source = kZeroppPaper,
          .zero = {3},
          .weights = quantized_weights(true),
          .gradients = quantized_gradients(),
          .twin = "sharded"};
}

// arXiv 2407.04480; the residual is of the whole gradient, so it does not depend on the sharding.
Scheme loco() {
  return {.name = "loco",
          .summary = "qgz with LoCo's error feedback, kept in INT8",
          .source = "arXiv 2407.04480",
          .zero = {3, 2, 1},
          .gradients = with_loco(),
          .twin = "sharded"};
}

}  // namespace sim
