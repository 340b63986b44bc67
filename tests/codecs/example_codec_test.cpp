// SPDX-License-Identifier: Apache-2.0
// The codec that docs/examples/codec-as-folder builds, held to its header's bound; contract_test.cpp
// has its other laws.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "docs/examples/codec-as-folder/mxint8/mxint8.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

// A group's scale is 2^-6 of the power of two below its largest magnitude.
TEST(ExampleCodec, IsOffByAScaleAtMost) {
  const std::vector<float> values = normal_values(4096);
  const std::vector<float> out = decoded(mxint8, encoded(mxint8, values), values.size());
  for (std::size_t first = 0; first < values.size(); first += 32) {
    float largest = 0;
    for (std::size_t i = first; i < first + 32; ++i)
      largest = std::max(largest, std::abs(values[i]));
    const float scale = std::exp2(std::floor(std::log2(largest)) - 6);
    for (std::size_t i = first; i < first + 32; ++i) {
      const float magnitude = std::abs(values[i]);
      const float bound = magnitude > 127 * scale ? scale : scale / 2;
      ASSERT_LE(std::abs(out[i] - values[i]), bound) << i;
    }
  }
}

}  // namespace
}  // namespace codecs
