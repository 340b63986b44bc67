// SPDX-License-Identifier: Apache-2.0
// The codec that docs/examples/codec-as-folder builds, held to what its page and its header say.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "docs/examples/codec-as-folder/mxint8/mxint8.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

TEST(ExampleCodec, FillsExactlyItsEncodedBytes) {
  for (const std::size_t elements : edge_lengths(mxint8.format)) {
    const std::vector<float> values = normal_values(elements);
    std::vector<std::byte> wire(encoded_bytes(mxint8.format, elements), std::byte{0xA5});
    mxint8.encode(mxint8.format, values, {}, wire);
    EXPECT_EQ(wire, encoded(mxint8, values)) << elements;
  }
  EXPECT_DOUBLE_EQ(encoded_bytes_per_element(mxint8.format), 1 + 1.0 / 32);
}

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

TEST(ExampleCodec, KeepsZerosAndLosesNoNaN) {
  std::vector<float> values(96, 0.0f);
  values[40] = std::numeric_limits<float>::quiet_NaN();
  values[70] = -std::numeric_limits<float>::infinity();
  const std::vector<float> out = decoded(mxint8, encoded(mxint8, values), values.size());
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(std::isnan(out[i]), i >= 32) << i;
}

}  // namespace
}  // namespace codecs
