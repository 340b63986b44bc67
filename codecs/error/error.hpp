// SPDX-License-Identifier: Apache-2.0
// Errors of decoded values, and gradients for measuring whole reductions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

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

// Gradients of all ranks in a reduction, and their exact mean.
struct Gradients {
  std::vector<std::vector<float>> of_rank;
  std::vector<float> mean;
};
[[nodiscard]] std::vector<float> mean_of(std::span<const std::vector<float>> of_rank);
// `common` is the part of the variance shared by the ranks: 0 for independent gradients, the worst
// case for the relative error of their mean.
struct GradientDraw {
  const struct Distribution* distribution = nullptr;
  double common = 0;
  std::uint64_t seed = 0;
};
[[nodiscard]] Gradients draw_gradients(const GradientDraw& draw, std::size_t ranks,
                                       std::size_t elements);

}  // namespace codecs
