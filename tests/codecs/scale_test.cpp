// SPDX-License-Identifier: Apache-2.0
// What each kind of scale does at its edges.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "codecs/group/steps.hpp"
#include "codecs/two_level/two_level.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr float kLargestFloat = std::numeric_limits<float>::max();

float scale_in(const std::vector<std::byte>& wire, std::size_t offset) {
  float value = 0;
  std::memcpy(&value, &wire[offset], sizeof value);
  return value;
}

std::vector<float> round_trip(const Codec& codec, const std::vector<float>& values) {
  return decoded(codec, encoded(codec, values), values.size());
}

// Byte u is 2^(u - 127). 448 is the largest E4M3 value: 1 unit; 449 needs 2, rounded down 1. 6 and
// E2M1 likewise; 7 = 1.75 * 4 counts as 8 once it is rounded to one digit after the point.
TEST(E8m0Scales, AreThePowersOfTwoOfTheirRule) {
  struct Case {
    const Codec* codec;
    float amax;
    int exponent;
  };
  for (const Case& one :
       {Case{&mxfp8, 448, 0}, Case{&mxfp8, 449, 1}, Case{&mxfp8_floor, 448, 0},
        Case{&mxfp8_floor, 511, 0}, Case{&mxfp8_floor, 512, 1}, Case{&mxfp8_e5m2, 57345, 1},
        Case{&mxfp4_ceil, 6, 0}, Case{&mxfp4_ceil, 6.001f, 1}, Case{&mxfp4_floor, 7.999f, 0},
        Case{&mxfp4, 6.999f, 0}, Case{&mxfp4, 7, 1}, Case{&mxfp4, 0x1p-20f, -22},
        Case{&mxfp8_floor, 0x1p-140f, -127}, Case{&mxfp8, 0, -127}}) {
    std::vector<float> values(32, 0.0f);
    values[3] = -one.amax;
    const auto wire = encoded(*one.codec, values);
    const std::size_t scales = group_wire(one.codec->format, 32).payload_bytes;
    EXPECT_EQ(std::to_integer<int>(wire[scales]) - 127, one.exponent)
        << one.codec->name << " " << one.amax;
  }
}

// Rounded down, a unit leaves the top of the binade beyond the grid; rounded up or even, it does
// not lose more than the rounding.
TEST(E8m0Scales, SaturateTheTopBinadeOnlyRoundedDown) {
  const std::vector<float> values(32, 1.99f);
  EXPECT_EQ(round_trip(mxfp8_floor, values)[0], 1.75f);
  EXPECT_EQ(round_trip(mxfp8, values)[0], 2.0f);
  EXPECT_EQ(round_trip(mxfp4_floor, values)[0], 1.5f);
  EXPECT_EQ(round_trip(mxfp4_ceil, values)[0], 2.0f);
  EXPECT_EQ(round_trip(mxfp4, values)[0], 2.0f);
}

TEST(E8m0Scales, ReachTheLargestFloat) {
  const std::vector<float> values(32, kLargestFloat);
  for (const Codec* codec : {&mxfp8_floor, &mxfp4_floor}) {
    EXPECT_GT(round_trip(*codec, values)[0], 0.7f * kLargestFloat);
  }
  const std::vector<float> powers(32, 0x1p127f);
  for (const Codec* codec : {&mxfp8, &mxfp8_e5m2, &mxfp4, &mxfp4_ceil}) {
    EXPECT_EQ(round_trip(*codec, powers)[0], 0x1p127f) << codec->name;
  }
}

// A mean's factor goes into the byte, and must be one.
TEST(E8m0Scales, TakeFactorsThatArePowersOfTwo) {
  const Eigen::ArrayXf values = Eigen::ArrayXf::Constant(32, 3.0f);
  const auto codes = [&](float factor) {
    return quantise({.format = mxfp8.format, .factor = factor}, values, 0);
  };
  EXPECT_EQ(codes(0.125f).scale.byte + 3, codes(1).scale.byte);
  EXPECT_TRUE((codes(0.125f).codes == codes(1).codes).all());
  EXPECT_THROW((void)codes(1.0f / 12), std::invalid_argument);
}

TEST(E8m0Scales, CarryAMeanThroughTwoLevels) {
  const TwoLevel shape = two_level(
      {.gpus_per_node = 2, .nodes = 2, .intra = mxfp8.format, .inter = mxfp8.format}, 1000);
  const std::vector<std::vector<float>> gradients(4, normal_values(1000));
  const auto mean = reduce_two_level(shape, gradients, {});
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_NEAR(mean[i], gradients[0][i], 0.13 * std::abs(gradients[0][i]) + 1e-4) << i;
  }
}

// 20 elements are 10 bytes of codes, padded to 16; float32 of the tensor and 12 zero bytes; a byte
// for each of 2 blocks, padded to 16. The largest magnitude is 448 * 6 units of the tensor's scale.
TEST(Nvfp4, HasTheDrawnLayout) {
  std::vector<float> values(20, 0.0f);
  values[0] = -2688;  // 6 * 448 at scale 1
  values[1] = 448;
  values[17] = 3;
  const auto wire = encoded(nvfp4, values);
  ASSERT_EQ(wire.size(), 16u + 16u + 16u);
  EXPECT_EQ(wire[0], std::byte{0x2F});  // -6 is 1111, 1 is 0010
  EXPECT_EQ(wire[8], std::byte{0x70});  // 6 at block scale 1/2
  EXPECT_EQ(scale_in(wire, 16), 1.0f);
  for (std::size_t i = 20; i < 32; ++i) EXPECT_EQ(wire[i], std::byte{0});
  EXPECT_EQ(wire[32], std::byte{0x7E});  // 448
  EXPECT_EQ(wire[33], std::byte{0x30});  // 1/2
  for (std::size_t i = 34; i < 48; ++i) EXPECT_EQ(wire[i], std::byte{0});
}

// The smallest E4M3 value is 2^-9, half of which is rounded to 0: 6 * 448 / (6 * 2^-10) = 2^18.8.
TEST(Nvfp4, FlushesBlocksFarBelowTheTensor) {
  std::vector<float> values(48, 0.0f);
  values[0] = 2688;
  values[16] = 6 * 0x1p-10f;
  values[32] = 6 * 0x1.002p-10f;
  const auto out = round_trip(nvfp4, values);
  EXPECT_EQ(out[16], 0);
  EXPECT_EQ(out[32], 3 * 0x1p-9f);
}

// Reciprocals that overflow make no NaN. Half a step of the smallest E8M0 scale is 2^-128.
TEST(TinyTensors, DecodeToNumbers) {
  for (const Codec* codec : all_codecs()) {
    for (const float tiny : {1e-33f, 1e-34f, 1e-36f, kTinyGroup, 1e-38f, 1e-40f}) {
      std::vector<float> values(64, tiny);
      values[1] = 0;
      values[17] = -tiny / 100;
      for (const float value : round_trip(*codec, values)) {
        EXPECT_LE(std::abs(value), 4 * tiny + 0x1p-128f) << codec->name << " " << tiny;
      }
    }
  }
}

// The most positive value has no code of its own; the most negative has.
TEST(FullRange, ClipsTheTopCode) {
  std::vector<float> values(128, 0.0f);
  values[0] = 8;
  values[1] = -8;
  const auto out = round_trip(int4_full_g128, values);
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[1], -8);
  values[1] = 0;
  values[0] = 256;
  Format format = int8_full_g2048.format;
  format.group = 128;
  std::vector<std::byte> wire(encoded_bytes(format, 128));
  encode_groups(format, values, {}, wire);
  EXPECT_EQ(wire[0], std::byte{127});
  EXPECT_EQ(scale_in(wire, 128), 2.0f);
}

TEST(MinMax, HasTheDrawnLayoutAndUnsignedCodes) {
  std::vector<float> values(33, 10.0f);
  values[1] = 265;  // minimum 10, step 1
  values[2] = 210;
  values[32] = -7;
  const auto wire = encoded(fbgemm_int8_g32, values);
  ASSERT_EQ(wire.size(), 48u + 16u);
  EXPECT_EQ(wire[0], std::byte{0});
  EXPECT_EQ(wire[1], std::byte{255});
  EXPECT_EQ(wire[2], std::byte{200});
  EXPECT_EQ(scale_in(wire, 48), 1.0f);
  EXPECT_EQ(scale_in(wire, 52), 10.0f);
  EXPECT_EQ(scale_in(wire, 56), 0.0f);  // one value has no range
  EXPECT_EQ(scale_in(wire, 60), -7.0f);
  EXPECT_EQ(decoded(fbgemm_int8_g32, wire, 33), values);
}

// The zeros that fill nothing are not there: a short group spans its own values.
TEST(MinMax, ShortGroupsHaveTheirOwnRange) {
  const std::vector<float> values{100, 101, 102, 115};
  EXPECT_EQ(round_trip(int4_minmax_g512, values), values);
  EXPECT_EQ(round_trip(int4_minmax_g512_sr, values), values);
}

TEST(MinMax, ARangeBeyondFloatsIsNaNAndNotLost) {
  std::vector<float> values(32, kLargestFloat);
  values[1] = -kLargestFloat;
  for (const float value : round_trip(fbgemm_int8_g32, values)) EXPECT_TRUE(std::isnan(value));
}

// 3, 4 -> norm 5, 7 levels: 4.2 and 5.6; one value alone has all levels.
TEST(Norm, IsEuclidean) {
  std::vector<float> values(512, 0.0f);
  values[0] = -1.5f;
  EXPECT_EQ(round_trip(qsgd_int4_g512, values), values);
  values[0] = 3;
  values[300] = 4;
  const auto wire = encoded(qsgd_int4_g512, values);
  EXPECT_EQ(scale_in(wire, 256), 5.0f / 7);
  const auto out = decoded(qsgd_int4_g512, wire, 512);
  EXPECT_TRUE(out[0] == 4 * (5.0f / 7) || out[0] == 5 * (5.0f / 7));
  EXPECT_TRUE(out[300] == 5 * (5.0f / 7) || out[300] == 6 * (5.0f / 7));
}

TEST(Norm, ThatOverflowsIsNaN) {
  const std::vector<float> values(512, 1e30f);
  for (const float value : round_trip(qsgd_int4_g512, values)) EXPECT_TRUE(std::isnan(value));
}

TEST(WholeTensor, HasOneScaleOfAnyLength) {
  std::vector<float> values = normal_values(5001);
  values[4000] = -448;
  const auto wire = encoded(fp8_e4m3, values);
  ASSERT_EQ(wire.size(), 5008u + 16u);
  EXPECT_EQ(wire[4000], std::byte{0xFE});
  EXPECT_EQ(scale_in(wire, 5008), 1.0f);
  EXPECT_EQ(encoded_bytes(fp8_e4m3.format, 0), 0u);
}

// Element 4 i is in the low two bits of byte i.
TEST(Int2, PacksFourCodesAByte) {
  std::vector<float> values(33, 0.0f);
  values[0] = 2;
  values[1] = -2;
  values[3] = 2;
  values[32] = -1;
  const auto wire = encoded(int2_g32_sr, values);
  ASSERT_EQ(wire.size(), 16u + 16u);
  EXPECT_EQ(wire[0], std::byte{0b01'00'11'01});
  EXPECT_EQ(wire[8], std::byte{0b11});
  EXPECT_EQ(decoded(int2_g32_sr, wire, 33), values);
}

TEST(Tables, ZeroGroupsHaveTheCodeOfZero) {
  const std::vector<float> zeros(64, 0.0f);
  EXPECT_EQ(encoded(nf4_g64, zeros)[0], std::byte{0x77});
  EXPECT_EQ(encoded(bnb8_g4096, zeros)[0], std::byte{127});
}

// As encoded together as apart: each wire adds its own decoded values.
TEST(DecodeReduce, AddsWiresOfEveryScale) {
  for (const Codec* codec :
       {&fp8_e5m2, &fbgemm_e5m2_g32, &mxfp8, &mxfp4_sr, &nvfp4, &int4_full_g128,
        &int8_minmax_g1024_sr, &int2_g32_sr, &nf4_g64, &qsgd_int8_g512}) {
    std::vector<std::byte> wires;
    std::vector<float> expected(1001);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const auto wire = encoded(*codec, normal_values(1001, rank), {.rank = rank});
      wires.insert(wires.end(), wire.begin(), wire.end());
      const auto out = decoded(*codec, wire, 1001);
      for (std::size_t i = 0; i < 1001; ++i) expected[i] += out[i];
    }
    std::vector<float> sums(1001);
    decode_reduce(codec->format, wires, 3, sums);
    for (std::size_t i = 0; i < 1001; ++i) EXPECT_NEAR(sums[i], expected[i], 1e-5) << codec->name;
  }
}

TEST(GroupFormats, RefuseWhatHasNoMeaning) {
  const std::vector<float> values(64, 1.0f);
  const auto encode = [&](const Format& format) {
    std::vector<std::byte> wire(encoded_bytes(format, values.size()));
    encode_groups(format, values, {}, wire);
  };
  Format format = int8_g128.format;
  EXPECT_NO_THROW(encode(format));
  format.group = 12;
  EXPECT_THROW(encode(format), std::invalid_argument);
  format = int8_g128.format;
  format.scale = Scale::e8m0_ceil;
  EXPECT_THROW(encode(format), std::invalid_argument);
  format = fp8_e4m3_g128.format;
  format.rounding = Rounding::stochastic;
  EXPECT_THROW(encode(format), std::invalid_argument);
  format = int4_g128_hadamard.format;
  format.group = 16;
  EXPECT_THROW(encode(format), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
