// SPDX-License-Identifier: Apache-2.0
// SDP4Bit (arXiv 2410.15526) and its parts, each alone: qWD quantises the difference of weights
// (section 3.1), TLq the gradients on two levels (3.2), HS smooths them by a Hadamard transform of
// 32 (3.3). Groups are those of its published runs: 2048 for weights, 128 for gradients. Differences
// are of weights that every rank keeps whole, which ZeRO-3 does not.
#include "sim/schemes/rows.hpp"

namespace sim {
namespace {

using codecs::Element;
using codecs::Rotation;

constexpr const char* kSdp4bitPaper = "arXiv 2410.15526";

WeightExchange weight_differences() {
  return {.wire = {formats::stochastic(Element::int4, 2048)}, .difference = true};
}

// Eight slices, as in its runs of 1.3B to 6.7B: one slice's leg between nodes runs beside the next
// one's leg inside the node.
GradientExchange two_level(Element inside, Rotation rotation, bool fused = true) {
  return {.algorithm = &reductions::two_level,
          .inside = {formats::stochastic(inside, 128, rotation)},
          .between = {formats::stochastic(Element::int4, 128, rotation)},
          .fused_hadamard = fused,
          .slices = 8};
}

}  // namespace

Scheme qwd() {
  return {.name = "qwd",
          .summary = "SDP4Bit's weight compression alone: INT4 differences, FP32 gradients",
          .source = kSdp4bitPaper,
          .zero = {1, 2},
          .weights = weight_differences(),
          .twin = "sharded"};
}

Scheme tlq() {
  return {.name = "tlq",
          .summary = "two-level gradients: INT8 inside a node, INT4 between nodes",
          .source = kSdp4bitPaper,
          .zero = {1, 2, 3},
          .gradients = two_level(Element::int8, Rotation::none),
          .twin = "sharded"};
}

Scheme tlq_hs() {
  return {.name = "tlq_hs",
          .summary = "tlq with a Hadamard transform: SDP4Bit's gradient compression",
          .source = kSdp4bitPaper,
          .zero = {1, 2, 3},
          .gradients = two_level(Element::int8, Rotation::hadamard),
          .twin = "sharded"};
}

Scheme ulq() {
  return {.name = "ulq",
          .summary = "one precision at both levels: INT4 inside and between nodes",
          .source = kSdp4bitPaper,
          .zero = {1, 2, 3},
          .gradients = two_level(Element::int4, Rotation::none),
          .twin = "sharded"};
}

Scheme sdp4bit() {
  return {.name = "sdp4bit",
          .summary = "SDP4Bit: qwd for the weights and tlq_hs for the gradients",
          .source = kSdp4bitPaper,
          .zero = {1, 2},
          .weights = weight_differences(),
          .gradients = two_level(Element::int8, Rotation::hadamard),
          .twin = "sharded"};
}

Scheme sdp4bit_unfused() {
  return {.name = "sdp4bit_unfused",
          .summary = "SDP4Bit with the Hadamard transform as a separate kernel",
          .source = kSdp4bitPaper,
          .zero = {1, 2},
          .weights = weight_differences(),
          .gradients = two_level(Element::int8, Rotation::hadamard, false),
          .twin = "sharded"};
}

}  // namespace sim
