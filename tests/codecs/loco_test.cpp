// SPDX-License-Identifier: Apache-2.0
// LoCo: its rule, its residual of one byte, and what it gains over many steps.
#include "codecs/loco/loco.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "codecs/group/group.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr std::size_t kLocoElements = 8192;

struct Totals {
  std::vector<double> values = std::vector<double>(kLocoElements);  // sums over the steps
  std::vector<double> sent = std::vector<double>(kLocoElements);
  std::vector<float> residual = std::vector<float>(kLocoElements);  // after the last
};

// Gradients of a fixed mean and noise as large as it, as those of consecutive steps are.
Totals run(const Loco& loco, int steps) {
  Totals result;
  const Codec codec{.format = loco.wire, .encode = encode_groups, .decode = decode_groups};
  const std::vector<float> mean = normal_values(kLocoElements, 1);
  std::vector<std::byte> residual(encoded_bytes(residual_format(loco), kLocoElements));
  std::vector<std::byte> wire(encoded_bytes(loco.wire, kLocoElements));
  for (int step = 0; step < steps; ++step) {
    std::vector<float> values =
        normal_values(kLocoElements, 100 + static_cast<std::uint64_t>(step));
    for (std::size_t i = 0; i < kLocoElements; ++i) values[i] += mean[i];
    encode_loco(loco, values, {}, residual, wire);
    const std::vector<float> sent = decoded(codec, wire, kLocoElements);
    for (std::size_t i = 0; i < kLocoElements; ++i) {
      result.values[i] += values[i];
      result.sent[i] += sent[i];
    }
  }
  decode_groups(residual_format(loco), residual, result.residual);
  return result;
}

double norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

double relative_drift(const Totals& run) {
  std::vector<double> drift(kLocoElements);
  for (std::size_t i = 0; i < kLocoElements; ++i) drift[i] = run.sent[i] - run.values[i];
  return norm(drift) / norm(run.values);
}

constexpr Format kInt4{.element = Element::int4, .scale = Scale::amax_full, .group = 2048};

TEST(Loco, KeepsAboutAByteAnElement) {
  const Loco loco{.wire = kInt4};
  EXPECT_EQ(residual_format(loco).group, 2048u);
  EXPECT_EQ(encoded_bytes_per_element(residual_format(loco)), 1 + 4.0 / 2048);
}

// One step from zero bytes: the wire is the plain codec's, and the residual 1 - beta of what it
// lost, to half a step of INT8.
TEST(Loco, StartsWithoutAnError) {
  const Loco loco{.wire = kInt4};
  const Codec codec{.format = kInt4, .encode = encode_groups, .decode = decode_groups};
  const std::vector<float> values = normal_values(kLocoElements);
  std::vector<std::byte> residual(encoded_bytes(residual_format(loco), kLocoElements));
  std::vector<std::byte> wire(encoded_bytes(kInt4, kLocoElements));
  encode_loco(loco, values, {}, residual, wire);
  EXPECT_EQ(wire, encoded(codec, values));
  const std::vector<float> sent = decoded(codec, wire, kLocoElements);
  std::vector<float> kept(kLocoElements);
  decode_groups(residual_format(loco), residual, kept);
  float amax = 0;
  for (const float value : values) amax = std::max(amax, std::abs(value));
  for (std::size_t i = 0; i < kLocoElements; ++i) {
    // |lost| is at most the top code's clipping, amax / 8, so INT8's clipped step is amax / 8 /
    // 128.
    EXPECT_NEAR(kept[i], 0.2f * (values[i] - sent[i]), 0.2 * amax / 8 / 128 * 1.001);
  }
}

// With keep 0 and take 1 the sum of what is sent is that of the values but for the residual and its
// own rounding: an eighth of a step of INT4 over 16 each time, as INT8 has 16 times its steps.
TEST(Loco, WithoutAveragingLosesOnlyRoundings) {
  const Totals exact = run({.wire = kInt4, .feedback = {}}, 20);
  std::vector<double> gap(kLocoElements);
  for (std::size_t i = 0; i < kLocoElements; ++i) {
    gap[i] = exact.values[i] - exact.residual[i] - exact.sent[i];
  }
  EXPECT_LT(norm(gap) / norm(exact.values), 2e-3);
}

TEST(Loco, DriftsLessThanNoFeedback) {
  const Totals plain = run({.wire = kInt4, .feedback = {.carry = 0, .keep = 0, .take = 0}}, 50);
  const Totals loco = run({.wire = kInt4}, 50);
  EXPECT_LT(relative_drift(loco), relative_drift(plain));
}

TEST(Loco, RefusesTransforms) {
  const Loco loco{.wire = codec_named("int4_g128_hadamard_sr").format};
  std::vector<std::byte> residual(encoded_bytes(residual_format(loco), 10));
  std::vector<std::byte> wire(encoded_bytes(loco.wire, 10));
  EXPECT_THROW(encode_loco(loco, normal_values(10), {}, residual, wire), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
