// SPDX-License-Identifier: Apache-2.0
// Rotations by random signs, and the group formats that are sent rotated.
#include "codecs/rotation/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>

#include "codecs/group/group.hpp"
#include "codecs/random/random.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr RandomKey kKey{.seed = 4, .step = 3, .tensor = 2, .rank = 1};

std::vector<double> signs_of(const SignKey& key, std::size_t elements) {
  std::vector<double> signs(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint64_t element = key.first_element + i;
    const std::uint64_t draw = element / 128;
    const auto words = philox(
        {static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32), 0, 0}, key.key);
    signs[i] = (words.at(element % 128 / 32) >> (element % 32) & 1) != 0 ? -1 : 1;
  }
  return signs;
}

double norm(std::span<const float> values) {
  return Eigen::Map<const Eigen::VectorXf>(values.data(), static_cast<Eigen::Index>(values.size()))
      .cast<double>()
      .norm();
}

// H(i, j) = (-1)^popcount(i & j), in float64. The second key's counter has a high word, and begins
// in the middle of a draw.
TEST(Rotation, IsSylvestersMatrixOfTheSignedValues) {
  for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{3} << 39) + 80}) {
    const SignKey key{.key = sign_key(kKey).key, .first_element = first};
    for (const std::size_t block : {16u, 64u, 256u}) {
      const std::vector<float> before = normal_values(2 * block);
      const std::vector<double> signs = signs_of(key, before.size());
      std::vector<float> values = before;
      rotate(block, key, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        double expected = 0;
        for (std::size_t j = 0; j < block; ++j) {
          const std::size_t at = i / block * block + j;
          const double term = signs[at] * static_cast<double>(before[at]);
          expected += std::popcount(i % block & j) % 2 == 0 ? term : -term;
        }
        ASSERT_NEAR(values[i], expected, 1e-4) << block << " " << i;
      }
    }
  }
}

TEST(Rotation, KeepsTheNormUpToTheRootOfItsBlock) {
  for (std::size_t block = kSmallestRotation; block <= kLargestRotation; block *= 2) {
    const std::vector<float> before = normal_values(kLargestRotation);
    std::vector<float> values = before;
    rotate(block, sign_key(kKey), values);
    const double root = std::sqrt(static_cast<double>(block));
    EXPECT_NEAR(norm(values) / norm(before), root, 1e-6 * root) << block;
  }
}

TEST(Rotation, ThereAndBackIsExactForSmallIntegers) {
  for (std::size_t block = kSmallestRotation; block <= kLargestRotation; block *= 2) {
    std::vector<float> values(2 * kLargestRotation);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) - 6;
    const std::vector<float> before = values;
    rotate(block, sign_key(kKey), values);
    EXPECT_NE(values, before);
    rotate_back(block, sign_key(kKey), values);
    EXPECT_EQ(values, before) << block;
  }
}

TEST(Rotation, HasTheSameSignsOnEveryRankAndOthersElsewhere) {
  RandomKey other = kKey;
  other.rank = 7;
  EXPECT_EQ(sign_key(kKey), sign_key(other));
  for (const RandomKey& key :
       {RandomKey{.seed = 5, .step = 3, .tensor = 2}, RandomKey{.seed = 4, .step = 4, .tensor = 2},
        RandomKey{.seed = 4, .step = 3, .tensor = 3}}) {
    EXPECT_NE(sign_key(kKey).key, sign_key(key).key);
  }
}

TEST(Rotation, SignsAreBalancedAndIndependentOfTheirNeighbours) {
  constexpr std::size_t kSigns = 1 << 16;
  const std::vector<double> signs = signs_of(sign_key(kKey), kSigns + 1);
  double sum = 0, products = 0;
  for (std::size_t i = 0; i < kSigns; ++i) {
    sum += signs[i];
    products += signs[i] * signs[i + 1];
  }
  EXPECT_LE(std::abs(sum), 5 * 256);  // standard deviation: sqrt(2^16)
  EXPECT_LE(std::abs(products), 5 * 256);
}

TEST(Rotation, RefusesOtherBlocks) {
  std::vector<float> values(std::size_t{48} * 16384);
  for (const std::size_t block : {0u, 1u, 8u, 24u, 16384u}) {
    EXPECT_THROW(rotate(block, {}, values), std::invalid_argument) << block;
  }
  EXPECT_THROW(rotate(32, {}, std::span(values).first(48)), std::invalid_argument);
}

// Nearest: at most half a step for each rotated value, so for the root mean square of a block's
// errors half the largest step over the root of the block; stochastic: twice that and 2^-8.
TEST(RotatedGroups, ErrorOfABlockStaysBelowItsBound) {
  for (const Codec* codec : {&int4_g128_rht128_sr, &int4_g128_rht4096}) {
    const Format& format = codec->format;
    const std::size_t elements = 3 * format.block + 5;
    const std::vector<float> values = draw(distribution_named("student_t3"), 11, elements);
    const std::vector<float> rotated = rotated_values(format, sign_key(kKey), values);
    const std::vector<float> out = decoded(*codec, encoded(*codec, values, kKey), elements);
    const double steps = format.rounding == Rounding::stochastic ? 1 + 0x1p-8 : 0.5;
    for (std::size_t first = 0; first < elements; first += format.block) {
      double amax = 0, squares = 0;
      for (std::size_t i = first; i < first + format.block; ++i) {
        amax = std::max(amax, std::abs(static_cast<double>(rotated[i])));
        if (i < elements) squares += std::pow(static_cast<double>(out[i] - values[i]), 2);
      }
      EXPECT_LE(std::sqrt(squares), amax / 7 * steps * (1 + 1e-5)) << codec->name;
    }
  }
}

TEST(RotatedGroups, HoldTheirKeyAndTheGroupWireOfTheRotatedValues) {
  const Format& format = int4_g128_rht128_sr.format;
  const std::vector<float> values = normal_values(300);
  const std::vector<std::byte> wire = encoded(int4_g128_rht128_sr, values, kKey);
  EXPECT_EQ(load_sign_key(wire), sign_key(kKey));
  const std::vector<float> rotated = rotated_values(format, sign_key(kKey), values);
  EXPECT_EQ(rotated.size(), 384u);
  EXPECT_EQ(std::vector(wire.begin() + kSignKeyBytes, wire.end()),
            encoded(int4_g128_sr, rotated, kKey));
}

TEST(RotatedGroups, SumsOfWiresAreSumsOfTheirValues) {
  for (const Codec* codec : {&int4_g128_rht128_sr, &int4_g128_rht4096}) {
    constexpr std::size_t kElements = 5000;
    std::vector<std::byte> wires;
    std::vector<double> expected(kElements);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const auto wire = encoded(*codec, normal_values(kElements, rank), {.rank = rank});
      wires.insert(wires.end(), wire.begin(), wire.end());
      const auto values = decoded(*codec, wire, kElements);
      for (std::size_t i = 0; i < kElements; ++i) expected[i] += static_cast<double>(values[i]);
    }
    std::vector<float> sums(kElements);
    decode_reduce_rotated(codec->format, wires, 3, sums);
    for (std::size_t i = 0; i < kElements; ++i) ASSERT_NEAR(sums[i], expected[i], 1e-4) << i;
  }
}

TEST(RotatedGroups, RefuseToSumWiresOfDifferentSigns) {
  const Codec& codec = int4_g128_rht4096;
  std::vector<std::byte> wires = encoded(codec, normal_values(100), {.step = 1});
  const auto other = encoded(codec, normal_values(100), {.step = 2});
  wires.insert(wires.end(), other.begin(), other.end());
  std::vector<float> sums(100);
  EXPECT_THROW(decode_reduce_rotated(codec.format, wires, 2, sums), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
