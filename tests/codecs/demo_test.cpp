// Laws of the tiles' discrete cosine transform and of DeMo.
#include "codecs/demo/demo.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "codecs/demo/dct.hpp"
#include "codecs/error/error.hpp"
#include "codecs/feedback/feedback.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

TEST(Dct, BasisIsTheCosinesRounded) {
  const DctBasis basis = dct_basis();
  for (std::size_t k = 0; k < 64; ++k) {
    for (std::size_t n = 0; n < 64; ++n) {
      const double angle = std::numbers::pi * static_cast<double>((2 * n + 1) * k) / 128;
      const double exact = std::sqrt((k == 0 ? 1 : 2) / 64.0) * std::cos(angle);
      EXPECT_NEAR(basis.values[k * 64 + n], exact, 1e-8) << k << " " << n;
    }
  }
}

TEST(Dct, OfAConstantIsOneCoefficient) {
  std::vector<float> tile(kDctTile, 0.5f);
  dct_tiles(tile);
  EXPECT_NEAR(tile[0], 64 * 0.5, 1e-4);
  for (std::size_t i = 1; i < kDctTile; ++i) EXPECT_NEAR(tile[i], 0, 1e-4);
}

// cos(pi (2 c + 1) 5 / 128) along the rows alone: the coefficient (0, 5), of norm sqrt(64 * 32).
TEST(Dct, OfACosineIsItsCoefficient) {
  std::vector<float> tile(kDctTile);
  for (std::size_t i = 0; i < kDctTile; ++i) {
    tile[i] = static_cast<float>(
        std::cos(std::numbers::pi * static_cast<double>((2 * (i % 64) + 1) * 5) / 128));
  }
  dct_tiles(tile);
  for (std::size_t i = 0; i < kDctTile; ++i) {
    EXPECT_NEAR(tile[i], i == 5 ? std::sqrt(64.0 * 32.0) : 0, 1e-4) << i;
  }
}

TEST(Dct, IsInvertedAndKeepsTheNorm) {
  const std::vector<float> values = normal_values(2 * kDctTile);
  std::vector<float> there = values;
  dct_tiles(there);
  double before = 0, after = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    before += double{values[i]} * values[i];
    after += double{there[i]} * there[i];
  }
  EXPECT_NEAR(after / before, 1, 1e-6);
  inverse_dct_tiles(there);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(there[i], values[i], 1e-5);
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
  std::vector<float> values(kDctTile);
  for (std::size_t i = 0; i < kDctTile; ++i) {
    const std::size_t r = i / 64, c = i % 64;
    const auto row = static_cast<double>(r), column = static_cast<double>(c);
    values[i] = static_cast<float>(3 + std::cos(std::numbers::pi * (2 * row + 1) * 7 / 128) -
                                   2 * std::cos(std::numbers::pi * (2 * column + 1) * 30 / 128));
  }
  EXPECT_LT(compare(values, encode_and_decode(demo_top32, values, {})).relative_l2, 1e-5);
}

// delta = decay delta + rate g, then less what was sent: what is left has no large coefficient.
TEST(Demo, TakesWhatItSendsOutOfTheMomentum) {
  constexpr std::size_t kElements = 2 * kDctTile;
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
  const std::vector<float> values = normal_values(kDctTile);
  std::vector<float> thrice = values, averages(kDctTile), signs(kDctTile);
  for (float& x : thrice) x *= 3;
  auto wires = encoded(demo_top32, values);
  const std::vector<float> once = decoded(demo_top32, wires, kDctTile);
  const auto other = encoded(demo_top32, thrice);
  wires.insert(wires.end(), other.begin(), other.end());
  average_demo(demo_top32.format, wires, 2, DemoStep::average, averages);
  average_demo(demo_top32.format, wires, 2, DemoStep::sign, signs);
  for (std::size_t i = 0; i < kDctTile; ++i) {
    EXPECT_NEAR(averages[i], 2 * once[i], 1e-5);
    EXPECT_EQ(signs[i], averages[i] > 0 ? 1 : -1);
  }
}

}  // namespace
}  // namespace codecs
