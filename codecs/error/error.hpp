// How far decoded values are from what was encoded, for one tensor, for a whole reduction, and for
// weights that are trained through a codec.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"
#include "codecs/two_level/two_level.hpp"

namespace codecs {

struct ErrorMetrics {
  double relative_l2 = 0;  // |decoded - exact| / |exact|, Euclidean
  double cosine = 0;       // of the angle between decoded and exact
  double max_abs = 0;      // largest |decoded - exact|
  double bias = 0;         // mean of decoded - exact, over the root mean square of exact
};

[[nodiscard]] ErrorMetrics compare(std::span<const float> exact, std::span<const float> decoded);

[[nodiscard]] std::vector<float> encode_and_decode(const Codec& codec,
                                                   std::span<const float> values,
                                                   const RandomKey& key);

// Gradients of all ranks of a two-level reduction and their exact mean.
struct Gradients {
  std::vector<std::vector<float>> of_rank;
  std::vector<float> mean;
};
// `common` is the part of the variance that the ranks share: 0 for independent gradients, the worst
// case for the relative error of their mean.
struct GradientDraw {
  const struct Distribution* distribution = nullptr;
  double common = 0;
  std::uint64_t seed = 0;
};
[[nodiscard]] Gradients draw_gradients(const GradientDraw& draw, std::size_t ranks,
                                       std::size_t elements);
[[nodiscard]] ErrorMetrics reduction_error(const TwoLevel& shape, const Gradients& gradients,
                                           const RandomKey& key);

// Training without a loss: weights N(0, 0.02), gradients N(0, 1), AdamW (beta 0.9 and 0.95, weight
// decay 0.1) on float32 masters, whose values reach the bfloat16 model through an exchange each
// step.
struct AdamTrace {
  struct Phase {
    int steps = 0;
    double learning_rate = 0;
  };
  std::size_t weights = 0;
  std::vector<Phase> phases = {};
  std::uint64_t seed = 0;
};
using WeightExchange =
    std::function<void(std::span<const float> master, const RandomKey& key, std::span<Bf16> model)>;
[[nodiscard]] WeightExchange send_weights(const Codec& codec);      // quantises the weights
[[nodiscard]] WeightExchange send_differences(const Codec& codec);  // quantises what changed
// |model - master| / |master| at the end of each phase.
[[nodiscard]] std::vector<double> weight_errors(const AdamTrace& trace,
                                                const WeightExchange& exchange);

}  // namespace codecs
