// SPDX-License-Identifier: Apache-2.0
// Signs: what their scales are, and what error feedback makes of them.
#include "codecs/sign/sign.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "codecs/error/error.hpp"
#include "codecs/feedback/feedback.hpp"
#include "codecs/sums/sums.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

Codec signs(Scale scale, std::size_t group) {
  Codec codec = sign_g2048;
  codec.format.scale = scale;
  codec.format.group = group;
  return codec;
}

// A binary tree over n values is off by at most log2(n) roundings and a few.
TEST(OrderedSums, AreThoseOfFloat64) {
  for (const std::size_t elements : {0u, 1u, 17u, 513u, 8192u, 3'000'017u}) {
    const std::vector<float> values = normal_values(elements);
    double value = 0, magnitude = 0, square = 0;
    for (const double x : values) {
      value += x;
      magnitude += std::abs(x);
      square += x * x;
    }
    EXPECT_NEAR(sum_tensor(values, Term::value), value, 1e-5 * magnitude);
    EXPECT_NEAR(sum_tensor(values, Term::magnitude), magnitude, 1e-5 * magnitude);
    EXPECT_NEAR(sum_tensor(values, Term::square), square, 1e-5 * square);
    EXPECT_NEAR(sum_group(values, Term::magnitude), magnitude, 1e-3 * magnitude);
  }
}

// Sums of small integers are exact in any order: every value is counted once.
TEST(OrderedSums, CountEveryValueOnce) {
  std::vector<float> values(2000);
  std::iota(values.begin(), values.end(), 1.0f);
  EXPECT_EQ(sum_tensor(values, Term::value), 2000 * 2001 / 2);
  EXPECT_EQ(sum_group(values, Term::value), 2000 * 2001 / 2);
}

TEST(Signs, DecodeToTheMeanOfTheirGroup) {
  const std::vector<float> values{3, -1, 0, -0.0f, -4};
  const std::vector<float> expected{1.6f, -1.6f, 1.6f, 1.6f, -1.6f};  // (3 + 1 + 4) / 5
  EXPECT_EQ(decoded(sign_g2048, encoded(sign_g2048, values), 5), expected);
  EXPECT_EQ(decoded(sign_tensor, encoded(sign_tensor, values), 5), expected);
  const float rms = std::sqrt(26.0f / 5);
  EXPECT_EQ(decoded(one_bit, encoded(one_bit, values), 5),
            (std::vector<float>{rms, -rms, rms, rms, -rms}));
}

TEST(Signs, BitsOfAByteGoUpward) {
  std::vector<float> values(20, 1.0f);
  values[0] = values[3] = values[17] = -1;
  const auto wire = encoded(sign_g2048, values);
  EXPECT_EQ(wire[0], std::byte{0b1001});
  EXPECT_EQ(wire[2], std::byte{0b10});
}

// The squared error is |x|^2 - |x|_1^2 / n for the mean; a scale of the root mean square keeps the
// norm, and its squared error is 2 |x|^2 (1 - |x|_1 / (sqrt(n) |x|)).
TEST(Signs, LoseWhatTheNormsSay) {
  for (const std::size_t group : {std::size_t{128}, std::size_t{8192}, kWholeTensor}) {
    const std::vector<float> values = normal_values(group_elements({.group = group}));
    const auto n = static_cast<double>(values.size());
    double one = 0, two = 0;
    for (const double x : values) {
      one += std::abs(x);
      two += x * x;
    }
    const double cosine = one / std::sqrt(n * two);
    const Codec mean = signs(Scale::mean_magnitude, group);
    const Codec rms = signs(Scale::root_mean_square, group);
    const auto loss = [&](const Codec& codec) {
      return compare(values, encode_and_decode(codec, values, {})).relative_l2;
    };
    EXPECT_NEAR(loss(mean), std::sqrt(1 - cosine * cosine), 1e-5);
    EXPECT_NEAR(loss(rms), std::sqrt(2 - 2 * cosine), 1e-5);
  }
}

// E|x| / sqrt(E x^2) is sqrt(2/pi), sqrt(1/2) and sqrt(3/4) for the distributions; 10^6 draws know
// it to 0.1 %.
TEST(Signs, LoseWhatTheDistributionsSay) {
  for (const auto& [name, cosine2] :
       {std::pair{"normal", 0.63662}, {"laplace", 0.5}, {"uniform", 0.75}}) {
    const std::vector<float> values = draw(distribution_named(name), 5, 1'000'000);
    const auto loss = [&](const Codec& codec) {
      return compare(values, encode_and_decode(codec, values, {})).relative_l2;
    };
    EXPECT_NEAR(loss(sign_tensor), std::sqrt(1 - cosine2), 2e-3) << name;
    EXPECT_NEAR(loss(one_bit), std::sqrt(2 - 2 * std::sqrt(cosine2)), 2e-3) << name;
  }
}

// Finite values whose sum is not are no silent loss.
TEST(Signs, SumsBeyondFloat32AreNaN) {
  const std::vector<float> values(300, 3e38f);
  for (const float value : decoded(sign_g2048, encoded(sign_g2048, values), 300)) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Signs, SumWiresInTheirOrder) {
  const Format format = signs(Scale::mean_magnitude, 128).format;
  std::vector<std::byte> wires;
  std::vector<float> expected(1000, 0.0f);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Codec codec = sign_g2048;
    codec.format = format;
    const auto wire = encoded(codec, normal_values(1000, seed));
    wires.insert(wires.end(), wire.begin(), wire.end());
    const auto one = decoded(codec, wire, 1000);
    for (std::size_t i = 0; i < 1000; ++i) expected[i] += one[i];
  }
  std::vector<float> sums(1000);
  decode_reduce_signs(format, wires, 3, sums);
  EXPECT_EQ(sums, expected);
}

TEST(Signs, RefuseFormatsOfOthers) {
  for (const std::size_t group : {std::size_t{64}, std::size_t{384}, std::size_t{16384}}) {
    EXPECT_THROW(encoded(signs(Scale::mean_magnitude, group), normal_values(10)),
                 std::invalid_argument);
  }
  EXPECT_THROW(encoded(signs(Scale::norm, 128), normal_values(10)), std::invalid_argument);
}

// Telescoping: sum of what was sent = sum of the values - the last residual. 30 steps of float32
// differ from that by their roundings.
TEST(SignFeedback, SendsAllButTheLastResidual) {
  constexpr std::size_t kElements = 5000;
  for (const Codec* codec : {&sign_g2048, &sign_tensor, &one_bit}) {
    std::vector<float> residual(kElements, 0.0f);
    std::vector<double> values_sum(kElements), sent_sum(kElements);
    for (std::uint64_t step = 0; step < 30; ++step) {
      const std::vector<float> values = normal_values(kElements, 100 + step);
      std::vector<std::byte> wire(encoded_bytes(codec->format, kElements));
      encode_with_feedback(*codec, {}, values, {}, residual, wire);
      const std::vector<float> sent = decoded(*codec, wire, kElements);
      for (std::size_t i = 0; i < kElements; ++i) {
        values_sum[i] += values[i];
        sent_sum[i] += sent[i];
      }
    }
    for (std::size_t i = 0; i < kElements; ++i) {
      ASSERT_NEAR(sent_sum[i], values_sum[i] - residual[i], 30 * 0x1p-20) << codec->name;
    }
  }
}

}  // namespace
}  // namespace codecs
