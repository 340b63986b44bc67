// SDP4Bit (arXiv 2410.15526) and its parts, each alone: qWD quantises the difference of weights
// (section 3.1), TLq the gradients on two levels (3.2), HS smooths them by a Hadamard transform of
// 32 (3.3). Groups are those of its published runs: 2048 for weights, 128 for gradients.
#include "sim/schemes/formats.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {
namespace {

using Algorithm = GradientExchange::Algorithm;
using codecs::Element;
using codecs::Rotation;

constexpr WeightExchange kPlainWeights{.wire = formats::kBf16};
constexpr WeightExchange kWeightDifferences{.wire = formats::stochastic(Element::int4, 2048),
                                            .difference = true};

// Eight slices, as in its runs of 1.3B to 6.7B: one slice's leg between nodes runs beside the next
// one's leg inside the node.
constexpr GradientExchange two_level(Element inside, Rotation rotation, bool fused = true) {
  return {.algorithm = Algorithm::two_level,
          .inside = formats::stochastic(inside, 128, rotation),
          .between = formats::stochastic(Element::int4, 128, rotation),
          .fused_hadamard = fused,
          .slices = 8};
}

}  // namespace

extern const Scheme qwd{.name = "qwd",
                        .summary = "SDP4Bit's weights alone: INT4 differences, FP32 gradients",
                        .weights = kWeightDifferences,
                        .twin = "sharded"};

extern const Scheme tlq{.name = "tlq",
                        .summary = "two-level gradients: INT8 inside a node, INT4 between nodes",
                        .weights = kPlainWeights,
                        .gradients = two_level(Element::int8, Rotation::none),
                        .twin = "sharded"};

extern const Scheme tlq_hs{.name = "tlq_hs",
                           .summary = "tlq smoothed by a Hadamard transform: SDP4Bit's gradients",
                           .weights = kPlainWeights,
                           .gradients = two_level(Element::int8, Rotation::hadamard),
                           .twin = "sharded"};

extern const Scheme ulq{.name = "ulq",
                        .summary = "one precision on both levels: INT4 inside and between nodes",
                        .weights = kPlainWeights,
                        .gradients = two_level(Element::int4, Rotation::none),
                        .twin = "sharded"};

extern const Scheme sdp4bit{.name = "sdp4bit",
                            .summary = "SDP4Bit: qwd for the weights and tlq_hs for the gradients",
                            .weights = kWeightDifferences,
                            .gradients = two_level(Element::int8, Rotation::hadamard),
                            .twin = "sharded"};

extern const Scheme sdp4bit_unfused{
    .name = "sdp4bit_unfused",
    .summary = "SDP4Bit with the Hadamard transform as a kernel of its own",
    .weights = kWeightDifferences,
    .gradients = two_level(Element::int8, Rotation::hadamard, false),
    .twin = "sharded"};

}  // namespace sim
