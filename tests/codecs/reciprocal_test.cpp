// SPDX-License-Identifier: Apache-2.0
// FBGEMM's FP8 of rows: its codes and scales, from its own conversion.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "codecs/group/group.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

float float_at(const std::vector<std::byte>& wire, std::size_t offset) {
  float value = 0;
  std::memcpy(&value, &wire[offset], sizeof value);
  return value;
}

// FBGEMM's conversion to 1 + exponent + mantissa bits, as its hfp8 functions define it: the float
// is cut off at the largest value and rounded to the mantissa's bits, ties to even, or in the
// subnormals to multiples of 2^(1 - bias - mantissa).
std::uint32_t hfp8_code(float value, int mantissa, int bias, double largest) {
  const std::uint32_t sign = std::signbit(value) ? 0x80u : 0u;
  const double y = std::min(std::abs(static_cast<double>(value)), largest);
  const int exponent = std::max(y == 0 ? 1 - bias : std::ilogb(y), 1 - bias);
  const auto multiple = static_cast<std::uint32_t>(
      std::nearbyint(std::ldexp(y, mantissa - exponent)));  // carries into the exponent
  const int binade = exponent + bias - 1;
  return sign | (multiple + (static_cast<std::uint32_t>(binade) << mantissa));
}

TEST(Reciprocal, GivesTheCodesAndScalesOfFbgemm) {
  struct Row {
    const Codec* codec;
    int mantissa;
    int bias;
    double largest;
  };
  for (const Row& row :
       {Row{&fbgemm_e4m3_g32, 3, 15, 0.9375}, Row{&fbgemm_e5m2_g32, 2, 31, 0.875}}) {
    for (const float unit : {1.0f, 0x1p-60f, 1e-21f, 0x1p-120f, 0x1p110f}) {
      std::vector<float> values = draw(distribution_named("lognormal"), 5, std::size_t{32} * 500);
      for (float& value : values) value *= unit;
      const auto wire = encoded(*row.codec, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto group = std::span(values).subspan(i / 32 * 32, 32);
        float amax = 0;
        for (const float value : group) amax = std::max(amax, std::abs(value));
        const float scale = static_cast<float>(row.largest) / (1e-20f + amax);
        ASSERT_EQ(float_at(wire, values.size() + i / 32 * 8), scale);
        ASSERT_EQ(float_at(wire, values.size() + i / 32 * 8 + 4), 0.0f);
        ASSERT_EQ(std::to_integer<std::uint32_t>(wire[i]),
                  hfp8_code(values[i] * scale, row.mantissa, row.bias, row.largest))
            << row.codec->name << " " << values[i] << " of " << amax;
      }
    }
  }
}

// Half of the largest value is a binade lower, 8 codes.
TEST(Reciprocal, HasTheDrawnLayout) {
  std::vector<float> values(33, 0.0f);
  values[0] = 0.9375f;
  values[1] = -0.46875f;
  values[32] = -3;
  const auto wire = encoded(fbgemm_e4m3_g32, values);
  ASSERT_EQ(wire.size(), 48u + 16u);
  EXPECT_EQ(wire[0], std::byte{0x77});
  EXPECT_EQ(wire[1], std::byte{0xEF});
  EXPECT_EQ(wire[32], std::byte{0xF7});
  EXPECT_EQ(float_at(wire, 48), 1.0f);
  EXPECT_EQ(float_at(wire, 52), 0.0f);
  EXPECT_EQ(float_at(wire, 56), 0.9375f / 3);
  EXPECT_EQ(decoded(fbgemm_e4m3_g32, wire, 33), values);
  EXPECT_EQ(encoded(fbgemm_e5m2_g32, values)[0], std::byte{0x7B});
}

// Whose k is denormal.
TEST(Reciprocal, ReachesTheLargestFloats) {
  const float large = -std::numeric_limits<float>::max() * (1 - 0x1p-19f);
  const std::vector<float> values(32, large);
  for (const Codec* codec : {&fbgemm_e4m3_g32, &fbgemm_e5m2_g32}) {
    EXPECT_NEAR(decoded(*codec, encoded(*codec, values), 32)[0] / large, 1, 0x1p-20);
  }
}

}  // namespace
}  // namespace codecs
