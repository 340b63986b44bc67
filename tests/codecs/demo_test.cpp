// SPDX-License-Identifier: Apache-2.0
// Laws of the tiles' discrete cosine transform and of DeMo.
#include "codecs/demo/demo.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "codecs/demo/dct.hpp"
#include "codecs/error/error.hpp"
#include "codecs/feedback/feedback.hpp"
#include "codecs/sparse/sparse.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr std::size_t kSides[] = {16, 32, 64};
constexpr std::size_t kTile = std::size_t{64} * 64;  // of demo_top32

// cos(pi (2 n + 1) k / (2 side)).
double cosine(std::size_t side, std::size_t k, std::size_t n) {
  return std::cos(std::numbers::pi * static_cast<double>((2 * n + 1) * k) /
                  static_cast<double>(2 * side));
}

TEST(Dct, BasisIsTheCosinesRounded) {
  for (const std::size_t side : kSides) {
    with_dct_side(side, [&]<std::size_t kSide>() {
      const DctBasis<kSide> basis = dct_basis<kSide>();
      for (std::size_t i = 0; i < side * side; ++i) {
        const std::size_t k = i / side;
        const double norm = std::sqrt((k == 0 ? 1.0 : 2.0) / static_cast<double>(side));
        EXPECT_NEAR(basis.values[i], norm * cosine(side, k, i % side), 2e-8) << side << " " << i;
      }
    });
  }
}

TEST(Dct, OfAConstantIsOneCoefficient) {
  for (const std::size_t side : kSides) {
    std::vector<float> tile(side * side, 0.5f);
    dct_tiles(side, tile);
    EXPECT_NEAR(tile[0], 0.5 * static_cast<double>(side), 1e-4);
    for (std::size_t i = 1; i < tile.size(); ++i) EXPECT_NEAR(tile[i], 0, 1e-4);
  }
}

// The fifth cosine along the rows alone: the coefficient (0, 5), of norm sqrt(side * side / 2).
TEST(Dct, OfACosineIsItsCoefficient) {
  for (const std::size_t side : kSides) {
    std::vector<float> tile(side * side);
    for (std::size_t i = 0; i < tile.size(); ++i) {
      tile[i] = static_cast<float>(cosine(side, 5, i % side));
    }
    dct_tiles(side, tile);
    for (std::size_t i = 0; i < tile.size(); ++i) {
      EXPECT_NEAR(tile[i], i == 5 ? static_cast<double>(side) * std::sqrt(0.5) : 0, 1e-4) << i;
    }
  }
}

TEST(Dct, IsInvertedAndKeepsTheNorm) {
  for (const std::size_t side : kSides) {
    const std::vector<float> values = normal_values(2 * side * side);
    std::vector<float> there = values;
    dct_tiles(side, there);
    double before = 0, after = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      before += double{values[i]} * values[i];
      after += double{there[i]} * there[i];
    }
    EXPECT_NEAR(after / before, 1, 1e-6);
    inverse_dct_tiles(side, there);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(there[i], values[i], 1e-5);
  }
}

// Two tiles of a few coefficients each come back whole.
TEST(Demo, SendsTilesOfFewCoefficientsWholeForEverySide) {
  for (const std::size_t side : kSides) {
    Codec codec = demo_top32;
    codec.format.block = side;
    codec.format.group = side * side;
    std::vector<float> values(2 * side * side, 0.0f);
    for (std::size_t i = 0; i < 20; ++i) values[i * side / 2] = static_cast<float>(i) + 1;
    inverse_dct_tiles(side, values);
    EXPECT_LT(compare(values, encode_and_decode(codec, values, {})).relative_l2, 1e-6) << side;
  }
}

TEST(Demo, RefusesTilesThatAreNoSquaresOrHaveNoTransform) {
  for (const Format& format :
       {Format{.group = 4096,
       .rotation = Rotation::dct,
       .block = 32,
       .keep = 2,
       .layout = &kSparseLayout},
        Format{.group = 64,
        .rotation = Rotation::dct,
        .block = 8,
        .keep = 2,
        .layout = &kSparseLayout},
        Format{.group = 4096, .block = 64, .keep = 2, .layout = &kSparseLayout}}) {
    std::vector<std::byte> wire(encoded_bytes(format, 100));
    EXPECT_THROW(encode_demo(format, normal_values(100), {}, wire), std::invalid_argument);
  }
}

// Normal values stay normal under a rotation: the error of the largest 32 of 4096 of them.
TEST(Demo, ErrsLikeTopKOfNormalValues) {
  for (const char* name : {"normal", "uniform", "student_t5"}) {
    const std::vector<float> values = draw(distribution_named(name), 3, std::size_t{1} << 17);
    const double l2 = compare(values, encode_and_decode(demo_top32, values, {})).relative_l2;
    EXPECT_NEAR(l2, 0.96468, 0.03 * 0.96468) << name;
  }
}

// A tile of few cosines needs no more than few coefficients.
TEST(Demo, SendsSmoothTilesWhole) {
  std::vector<float> values(kTile);
  for (std::size_t i = 0; i < kTile; ++i) {
    const std::size_t r = i / 64, c = i % 64;
    const auto row = static_cast<double>(r), column = static_cast<double>(c);
    values[i] = static_cast<float>(3 + std::cos(std::numbers::pi * (2 * row + 1) * 7 / 128) -
                                   2 * std::cos(std::numbers::pi * (2 * column + 1) * 30 / 128));
  }
  EXPECT_LT(compare(values, encode_and_decode(demo_top32, values, {})).relative_l2, 1e-5);
}

// delta = decay delta + rate g, then less what was sent: what is left has no large coefficient.
TEST(Demo, TakesWhatItSendsOutOfTheMomentum) {
  constexpr std::size_t kElements = 2 * kTile;
  std::vector<float> momentum(kElements, 0.0f);
  const std::vector<float> gradient = normal_values(kElements);
  std::vector<std::byte> wire(encoded_bytes(demo_top32.format, kElements));
  encode_with_feedback(demo_top32, {.gain = 0.01f, .carry = 0.999f}, gradient, {}, momentum, wire);
  const std::vector<float> sent = decoded(demo_top32, wire, kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    EXPECT_NEAR(momentum[i] + sent[i], 0.01f * gradient[i], 1e-6);
  }
}

TEST(Demo, AveragesOverThoseThatSent) {
  // Peers that send the same coefficients, times 1 and 3: the average is twice the first.
  const std::vector<float> values = normal_values(kTile);
  std::vector<float> thrice = values, averages(kTile), signs(kTile);
  for (float& x : thrice) x *= 3;
  auto wires = encoded(demo_top32, values);
  const std::vector<float> once = decoded(demo_top32, wires, kTile);
  const auto other = encoded(demo_top32, thrice);
  wires.insert(wires.end(), other.begin(), other.end());
  average_demo(demo_top32.format, wires, 2, DemoStep::average, averages);
  average_demo(demo_top32.format, wires, 2, DemoStep::sign, signs);
  for (std::size_t i = 0; i < kTile; ++i) {
    EXPECT_NEAR(averages[i], 2 * once[i], 1e-5);
    EXPECT_EQ(signs[i], averages[i] > 0 ? 1 : -1);
  }
}

}  // namespace
}  // namespace codecs
