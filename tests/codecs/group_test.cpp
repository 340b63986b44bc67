// SPDX-License-Identifier: Apache-2.0
#include "codecs/group/group.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

float scale_at(const std::vector<std::byte>& wire, std::size_t offset) {
  float scale = 0;
  std::memcpy(&scale, &wire[offset], sizeof scale);
  return scale;
}

// 200 elements of INT4 in groups of 128: 100 bytes of codes, padded to 112; two scales, padded
// to 16.
TEST(GroupWire, HasTheDrawnLayout) {
  std::vector<float> values(200, 0.0f);
  values[0] = 7;    // low nibble of byte 0
  values[1] = -7;   // high nibble of byte 0
  values[199] = 1;  // the second group's largest, high nibble of byte 99
  const auto wire = encoded(int4_g128, values);
  ASSERT_EQ(wire.size(), 112u + 16u);
  EXPECT_EQ(wire[0], std::byte{0x97});  // 7 low, -7 = 0x9 high
  EXPECT_EQ(wire[99], std::byte{0x70});
  EXPECT_EQ(scale_at(wire, 112), 1.0f);
  EXPECT_EQ(scale_at(wire, 116), 1.0f / 7);
  for (std::size_t i = 100; i < 112; ++i) EXPECT_EQ(wire[i], std::byte{0});
  for (std::size_t i = 120; i < 128; ++i) EXPECT_EQ(wire[i], std::byte{0});
}

// Hadamard codes whole blocks of 32: 33 elements are 64 codes.
TEST(GroupWire, CodesTheWholeLastHadamardBlock) {
  EXPECT_EQ(encoded_bytes(int8_g128_hadamard_sr.format, 33), 64u + 16u);
  EXPECT_EQ(encoded_bytes(int8_g128.format, 33), 48u + 16u);
  EXPECT_EQ(encoded_bytes(int4_g2048.format, 2049), 1040u + 16u);  // 1024.5 -> 1040; 2 scales
  EXPECT_EQ(encoded_bytes(int4_g2048.format, 0), 0u);
}

TEST(GroupCodes, NeverUseTheMostNegativeCode) {
  std::vector<float> values = normal_values(100'000);
  for (std::size_t i = 0; i < values.size(); i += 128) values[i] = -10;  // code -127 at each scale
  const auto wire = encoded(int8_g128_sr, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NE(wire[i], std::byte{0x80});
    ASSERT_TRUE(i % 128 != 0 || wire[i] == std::byte{0x81});  // -127
  }
}

TEST(GroupCodes, RoundTiesToEven) {
  std::vector<float> values(128, 0.0f);
  values[0] = 127;  // scale 1
  values[1] = 2.5f;
  values[2] = 3.5f;
  values[3] = -0.5f;
  const auto wire = encoded(int8_g128, values);
  EXPECT_EQ(wire[1], std::byte{2});
  EXPECT_EQ(wire[2], std::byte{4});
  EXPECT_EQ(wire[3], std::byte{0});
}

// The smallest amax that is kept has the smallest normal scale; the next float below it is a zero
// group.
TEST(GroupCodes, TinyGroupsAreZeros) {
  for (const float amax : {kTinyGroup, std::nextafter(kTinyGroup, 0.0f)}) {
    const std::vector<float> values(128, amax);
    const auto out = decoded(int8_g128, encoded(int8_g128, values), 128);
    for (const float value : out) EXPECT_EQ(value, amax == kTinyGroup ? amax : 0.0f);
  }
}

TEST(GroupCodes, StoreOneNaNPatternWhateverCameIn) {
  for (const std::uint32_t bits : {0x7F800001u, 0xFFFFFFFFu, 0x7F800000u, 0xFF800000u}) {
    std::vector<float> values(128, 1.0f);
    values[5] = std::bit_cast<float>(bits);
    const auto wire = encoded(int8_g128, values);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(scale_at(wire, 128)), kNaNScale);
    for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(wire[i], std::byte{0});
  }
}

TEST(GroupCodes, KeepFloatsAlmostToTheLargest) {
  const float large = std::numeric_limits<float>::max() * (1 - 0x1p-20f);
  const std::vector<float> values(128, large);
  for (const float value : decoded(int8_g128, encoded(int8_g128, values), 128)) {
    EXPECT_NEAR(value / large, 1, 1e-6);
  }
}

// Each value v + f, v a code and f a fraction of a step, is encoded once for each of 10^6 elements.
// The mean code is v + f up to 1/512 (fractions have 8 bits) and up to sampling: sqrt(f (1 - f) /
// 10^6) <= 0.0005, five times.
TEST(StochasticRounding, IsUnbiasedToOne256thOfAStep) {
  constexpr std::size_t kDraws = 1'000'000;
  for (const double exact : {0.001, 0.25, 1.0 / 3, 2.5, -0.7, -3.999, 5.0}) {
    std::vector<float> values(kDraws, static_cast<float>(exact));
    for (std::size_t i = 0; i < kDraws; i += 128) values[i] = 7;  // scale 1
    const auto out = decoded(int4_g128_sr, encoded(int4_g128_sr, values, {.seed = 5}), kDraws);
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      if (i % 128 == 0) continue;
      ASSERT_TRUE(out[i] == std::floor(exact) || out[i] == std::ceil(exact)) << out[i];
      sum += out[i];
      ++count;
    }
    EXPECT_NEAR(sum / static_cast<double>(count), exact, 1.0 / 512 + 5 * 0.0005) << exact;
    EXPECT_NEAR(sum / static_cast<double>(count), exact, 1.0 / 256) << exact;
  }
}

// Errors of different ranks are independent: the mean of 64 encodings has an eighth of one's error.
// With the same bits on every rank it would have all of it.
TEST(StochasticRounding, ErrorsOfRanksAverageOut) {
  constexpr std::size_t kElements = 20'000;
  const std::vector<float> values = normal_values(kElements);
  std::vector<double> mean(kElements);
  double single = 0;
  double averaged = 0;
  for (std::uint32_t rank = 0; rank < 64; ++rank) {
    const auto out =
        decoded(int4_g128_sr, encoded(int4_g128_sr, values, {.rank = rank}), kElements);
    for (std::size_t i = 0; i < kElements; ++i) mean[i] += out[i] / 64.0;
    for (std::size_t i = 0; rank == 0 && i < kElements; ++i) {
      single += std::pow(out[i] - values[i], 2);
    }
  }
  for (std::size_t i = 0; i < kElements; ++i) averaged += std::pow(mean[i] - values[i], 2);
  EXPECT_NEAR(std::sqrt(averaged / single), 1.0 / 8, 0.005);
}

TEST(DecodeReduce, SumsTheWiresInOrder) {
  constexpr std::size_t kElements = 1000;
  std::vector<std::byte> wires;
  std::vector<float> expected(kElements);
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    const auto wire = encoded(int8_g128_sr, normal_values(kElements, rank), {.rank = rank});
    wires.insert(wires.end(), wire.begin(), wire.end());
    const auto out = decoded(int8_g128_sr, wire, kElements);
    for (std::size_t i = 0; i < kElements; ++i) expected[i] += out[i];
  }
  std::vector<float> sums(kElements);
  decode_reduce(int8_g128_sr.format, wires, 5, sums);
  for (std::size_t i = 0; i < kElements; ++i) EXPECT_NEAR(sums[i], expected[i], 5e-6) << i;
}

// The transform is linear: summing transformed wires and inverting once is summing decoded wires.
TEST(DecodeReduce, InvertsTheTransformOnceAfterTheSum) {
  const Codec& codec = int4_g128_hadamard_sr;
  std::vector<std::byte> wires;
  std::vector<float> expected(515);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const auto wire = encoded(codec, normal_values(515, rank), {.rank = rank});
    wires.insert(wires.end(), wire.begin(), wire.end());
    const auto out = decoded(codec, wire, 515);
    for (std::size_t i = 0; i < 515; ++i) expected[i] += out[i];
  }
  std::vector<float> sums(515);
  decode_reduce(codec.format, wires, 4, sums);
  for (std::size_t i = 0; i < 515; ++i) EXPECT_NEAR(sums[i], expected[i], 1e-5) << i;
}

}  // namespace
}  // namespace codecs
