// SPDX-License-Identifier: Apache-2.0
// EDEN against the theory of its paper and of its quantiser.
#include "codecs/eden/eden.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "codecs/error/error.hpp"
#include "codecs/rotation/rotation.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr std::array kRows{&eden1_g4096, &eden2_g4096, &eden3_g4096, &eden4_g4096};

Codec with_group(Codec codec, std::size_t group) {
  codec.format.group = codec.format.block = group;
  return codec;
}

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
double above(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

// What a quantiser of the normal distribution keeps of its variance: the sum of probability times
// centroid^2 over the cells. The unbiased scale's error is then sqrt(1 / kept - 1).
double kept_variance(std::span<const float> levels) {
  double kept = 0, lower = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto level = static_cast<double>(levels[i]);
    const bool last = i + 1 == levels.size();
    const double upper = last ? 1e9 : (level + static_cast<double>(levels[i + 1])) / 2;
    kept += 2 * (above(lower) - above(upper)) * level * level;
    lower = upper;
  }
  return kept;
}

// Lloyd and Max: a centroid is the mean of its cell.
TEST(Eden, CentroidsAreTheMeansOfTheirCells) {
  for (const std::span<const float> levels :
       {std::span<const float>(kLloydMax1), std::span<const float>(kLloydMax2),
        std::span<const float>(kLloydMax3), std::span<const float>(kLloydMax4)}) {
    double lower = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto level = static_cast<double>(levels[i]);
      const bool last = i + 1 == levels.size();
      const double upper = last ? 1e9 : (level + static_cast<double>(levels[i + 1])) / 2;
      EXPECT_NEAR((density(lower) - density(upper)) / (above(lower) - above(upper)), level, 1e-6);
      lower = upper;
    }
  }
}

// 0.7555, 0.3649, 0.1892, 0.0979: an independent implementation has 0.7553, 0.3646, 0.1890, 0.0979.
TEST(Eden, ErrorIsTheTheorysOnEveryDistribution) {
  const std::array kept{kept_variance(kLloydMax1), kept_variance(kLloydMax2),
                        kept_variance(kLloydMax3), kept_variance(kLloydMax4)};
  EXPECT_NEAR(std::sqrt(1 / kept[1] - 1), 0.3649, 0.0001);
  for (const Distribution& distribution : all_distributions()) {
    const std::vector<float> values = draw(distribution, 5, std::size_t{1} << 17);
    // Where one value rules its block, as in the lognormal, the error is smaller: a lone value has
    // none.
    const bool ruled = distribution.name == "lognormal";
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      const double expected = std::sqrt(1 / kept[i] - 1);
      const auto out = encode_and_decode(*kRows[i], values, {.seed = 3});
      const double error = compare(values, out).relative_l2;
      EXPECT_LE(error, 1.03 * expected) << kRows[i]->name << " " << distribution.name;
      EXPECT_GE(error, (ruled ? 0.5 : 0.97) * expected) << kRows[i]->name << distribution.name;
    }
  }
}

// The scale is the one with which decoded and exact group have the exact one's square as product.
TEST(Eden, ProjectionOnEveryGroupIsTheGroup) {
  for (const Codec* row : kRows) {
    for (const std::size_t group : {128u, 1024u, 8192u}) {
      const Codec codec = with_group(*row, group);
      const std::vector<float> values = draw(distribution_named("student_t3"), 6, 3 * group - 7);
      const auto out = decoded(codec, encoded(codec, values), values.size());
      // The last group's decoded zeros are cut off, and its exact ones count for nothing.
      for (std::size_t first = 0; first < values.size(); first += group) {
        double product = 0, square = 0;
        for (std::size_t i = first; i < std::min(first + group, values.size()); ++i) {
          product += static_cast<double>(out[i]) * static_cast<double>(values[i]);
          square += std::pow(static_cast<double>(values[i]), 2);
        }
        EXPECT_NEAR(product / square, 1, 1e-5) << row->name << " " << group;
      }
    }
  }
}

// The mean over S seeds has an error of e / sqrt(S), if it is unbiased.
TEST(Eden, MeanOverSeedsApproachesTheValues) {
  constexpr std::uint32_t kSeeds = 64;
  constexpr std::size_t kElements = 4096;
  const std::vector<float> values = draw(distribution_named("laplace"), 8, kElements);
  for (const Codec* codec : {&eden1_g4096, &eden3_g4096}) {
    std::vector<float> mean(kElements);
    double single = 0;
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      const auto out = encode_and_decode(*codec, values, {.seed = seed});
      single = compare(values, out).relative_l2;
      for (std::size_t i = 0; i < kElements; ++i) mean[i] += out[i] / kSeeds;
    }
    EXPECT_NEAR(compare(values, mean).relative_l2, single / 8, 0.1 * single / 8) << codec->name;
  }
}

// A group of one value: v is 1 or -1 throughout, so that the decoded group is exactly that value.
TEST(Eden, KeepsALoneValue) {
  for (const Codec* codec : kRows) {
    for (const float value : {1.0f, -0x1p-100f, 0x1p100f}) {
      std::vector<float> values(5000);
      values[77] = value;
      const auto out = decoded(*codec, encoded(*codec, values), values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(out[i], values[i], std::abs(value) * 1e-6f) << codec->name << " " << i;
      }
    }
  }
}

// Word t of the codes holds elements t, t + d / 16 ...; a lone value's rotated signs are those of a
// row of the matrix: of element 0, all the same.
TEST(Eden, WireIsAsItsHeaderSays) {
  const std::array bytes_of_word{2u, 4u, 6u, 8u};
  for (std::size_t b = 0; b < kRows.size(); ++b) {
    const Codec codec = with_group(*kRows[b], 128);
    std::vector<float> values(128);
    values[8] = 1;  // its rotated values change sign with bit 3 of their index: in no word of 8
    const auto wire = encoded(codec, values);
    ASSERT_EQ(wire.size(), kSignKeyBytes + std::size_t{8} * bytes_of_word[b] + 16);
    EXPECT_EQ(load_sign_key(wire), sign_key({}));
    // Neighbouring words are equal, and neighbouring codes of a word differ in sign.
    const std::size_t bytes = b == 2 ? 4 : bytes_of_word[b];
    for (std::size_t i = kSignKeyBytes; i < kSignKeyBytes + 7 * bytes; ++i) {
      EXPECT_EQ(wire[i], wire[i + bytes]);
    }
    if (b == 0) {
      EXPECT_TRUE(wire[16] == std::byte{0xAA} || wire[16] == std::byte{0x55});
    }
    float scale = 0;
    std::memcpy(&scale, &wire[wire.size() - 16], sizeof scale);
    EXPECT_GT(scale, 0);
  }
}

TEST(Eden, SumsOfWiresAreSumsOfTheirValues) {
  constexpr std::size_t kElements = 5000;
  for (const Codec* codec : kRows) {
    std::vector<std::byte> wires;
    std::vector<double> expected(kElements);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const auto wire = encoded(*codec, normal_values(kElements, rank), {.rank = rank});
      wires.insert(wires.end(), wire.begin(), wire.end());
      const auto values = decoded(*codec, wire, kElements);
      for (std::size_t i = 0; i < kElements; ++i) expected[i] += static_cast<double>(values[i]);
    }
    std::vector<float> sums(kElements);
    decode_reduce_eden(codec->format, wires, 3, sums);
    for (std::size_t i = 0; i < kElements; ++i) ASSERT_NEAR(sums[i], expected[i], 1e-4) << i;
    wires[0] ^= std::byte{1};
    EXPECT_THROW(decode_reduce_eden(codec->format, wires, 3, sums), std::invalid_argument);
  }
}

TEST(Eden, RefusesFormatsThatAreNotItsOwn) {
  std::vector<float> values(64);
  for (const std::size_t group : {64u, 192u, 16384u}) {
    const Codec codec = with_group(eden2_g4096, group);
    EXPECT_THROW((void)encoded(codec, values), std::invalid_argument) << group;
  }
  Codec codec = eden2_g4096;
  codec.format.group = 2048;
  EXPECT_THROW((void)encoded(codec, values), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
