// SPDX-License-Identifier: Apache-2.0
// TernGrad: its bias, its clipping, and what sigma is of.
#include "codecs/terngrad/terngrad.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

TEST(TernGrad, DecodesToThreeValues) {
  const std::vector<float> values = normal_values(4096);
  const auto out = decoded(terngrad, encoded(terngrad, values), values.size());
  float scale = 0;
  for (const float value : out) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(out[i] == 0 || std::abs(out[i]) == scale);
    EXPECT_GE(out[i] * values[i], 0) << "no sign changes";
  }
  EXPECT_NEAR(scale, 2.5, 0.1);  // 2.5 sigma of N(0, 1), below the largest of 4096
}

TEST(TernGrad, NothingIsClippedBelow2Point5Sigma) {
  std::vector<float> values(512, 1.0f);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = -1;
  EXPECT_EQ(decoded(terngrad_g512, encoded(terngrad_g512, values), 512), values);
}

// Sigma is about the mean: equal values have none, and all are clipped to 0.
TEST(TernGrad, EqualValuesHaveNoSigma) {
  const std::vector<float> values(512, 2.0f);
  for (const float value : decoded(terngrad_g512, encoded(terngrad_g512, values), 512)) {
    EXPECT_EQ(value, 0);
  }
}

// Over n draws the mean of an unclipped value is within 5 standard errors, s / 2 / sqrt(n), and the
// bias of 8 random bits, s / 512.
TEST(TernGrad, IsUnbiasedWhereNothingIsClipped) {
  constexpr int kDraws = 4000;
  const std::vector<float> values{0.9f, -0.5f, 0.1f, 1.0f, -1.0f, 0, -0.25f, 0.7f};
  std::vector<double> mean(values.size());
  for (std::uint32_t step = 0; step < kDraws; ++step) {
    const auto out = decoded(terngrad, encoded(terngrad, values, {.step = step}), values.size());
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += out[i] / double{kDraws};
  }
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(mean[i], values[i], 5 * 0.5 / std::sqrt(kDraws) + 1.0 / 512);
  }
}

// Squares that overflow are no reason to lose the values.
TEST(TernGrad, DoesNotClipWhatItCannotSquare) {
  std::vector<float> values(512, 0x1p100f);
  values[3] = -0x1p100f;
  EXPECT_EQ(decoded(terngrad_g512, encoded(terngrad_g512, values), 512), values);
}

}  // namespace
}  // namespace codecs
