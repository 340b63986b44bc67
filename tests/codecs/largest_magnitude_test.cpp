// SPDX-License-Identifier: Apache-2.0
// Up to the magnitude that a codec states, all values decode to finite ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "codecs/magnitude.hpp"
#include "codecs/rotation/rotation.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

// Constant, alternating, one alone, and those that a transform gathers in one value of each block.
std::vector<std::vector<float>> values_of_magnitude(const Format& format, std::size_t elements,
                                                    float magnitude) {
  const std::size_t block = format.rotation == Rotation::random_signs ? format.block : 16;
  std::vector<std::vector<float>> all(4, std::vector<float>(elements, magnitude));
  for (std::size_t i = 1; i < elements; i += 2) all[1][i] = -magnitude;
  std::ranges::fill(all[2], 0.0f);
  if (elements > 0) all[2][elements / 2] = magnitude;
  std::vector<float> gathered((elements + block - 1) / block * block);
  for (std::size_t i = 0; i < gathered.size(); i += block) gathered[i] = magnitude;
  rotate_back_unscaled(block, sign_key({}), gathered);
  std::copy_n(gathered.begin(), elements, all[3].begin());
  return all;
}

bool every_is_finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

TEST(LargestMagnitude, OfEveryCodecDecodesToFiniteValues) {
  for (const Codec* codec : all_codecs()) {
    SCOPED_TRACE(std::string(codec->name));
    for (const std::size_t elements : {std::size_t{1}, std::size_t{33}, std::size_t{2048},
                                       std::size_t{4096}, std::size_t{20'000}}) {
      const float largest = largest_magnitude(codec->format, elements);
      for (const auto& values : values_of_magnitude(codec->format, elements, largest)) {
        EXPECT_TRUE(every_is_finite(decoded(*codec, encoded(*codec, values), elements)))
            << elements;
      }
    }
  }
}

// Beyond half the range of float32 a step or a sum of two overflows; FP16's range ends far below.
TEST(LargestMagnitude, IsAnythingUpTo2To126WithoutSumsAndTransforms) {
  for (const Codec* codec : all_codecs()) {
    const float largest = largest_magnitude(codec->format, 1 << 20);
    EXPECT_GT(largest, 1e4f) << codec->name;
    EXPECT_LE(largest, 0x1p126f) << codec->name;
  }
  EXPECT_EQ(largest_magnitude(codec_named("int8_g128").format, 1 << 20), 0x1p126f);
  EXPECT_EQ(largest_magnitude(codec_named("fp16").format, 1 << 20), 65504);
}

// A sum of n values of magnitude m is n m, one of squares n m^2; there and back, a transform of b values
// may make b^2 m of m; and unbiased random-k sends 64 of 4096 values 64-fold.
TEST(LargestMagnitude, ShrinksWithSumsAndTransforms) {
  const auto largest = [](const char* name, std::size_t elements) {
    return largest_magnitude(codec_named(name).format, elements);
  };
  EXPECT_EQ(largest("sign_tensor", 1 << 20), 0x1p106f);
  EXPECT_EQ(largest("sign_g2048", 1 << 20), 0x1p115f);
  EXPECT_EQ(largest("one_bit", 1 << 20), 0x1p53f);
  EXPECT_EQ(largest("one_bit", 1), 0x1p63f);
  EXPECT_EQ(largest("int4_g128_hadamard", 8), 0x1p116f);
  EXPECT_EQ(largest("int4_g128_rht4096", 8), 0x1p102f);
  EXPECT_EQ(largest("random_k64", 8), 0x1p120f);
}

}  // namespace
}  // namespace codecs
