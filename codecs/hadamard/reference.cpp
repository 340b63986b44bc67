// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>

#include "codecs/codec.hpp"
#include "codecs/hadamard/hadamard.hpp"

namespace codecs {

void hadamard(std::span<float> values) {
  require(values.size() % kHadamardBlock == 0, "the transform takes whole blocks of 32");
  for (Eigen::Index stride = 1; stride < Eigen::Index{kHadamardBlock}; stride *= 2) {
    // Column j of `pairs` holds `stride` values a, then their partners b.
    Eigen::Map<Eigen::ArrayXXf> pairs(values.data(), 2 * stride,
                                      static_cast<Eigen::Index>(values.size()) / (2 * stride));
    const Eigen::ArrayXXf sum = pairs.topRows(stride) + pairs.bottomRows(stride);
    const Eigen::ArrayXXf difference = pairs.topRows(stride) - pairs.bottomRows(stride);
    pairs.topRows(stride) = sum;
    pairs.bottomRows(stride) = difference;
  }
}

void inverse_hadamard(std::span<float> values) {
  hadamard(values);
  Eigen::Map<Eigen::ArrayXf> all(values.data(), static_cast<Eigen::Index>(values.size()));
  all *= 1.0f / static_cast<float>(kHadamardBlock);
}

}  // namespace codecs
