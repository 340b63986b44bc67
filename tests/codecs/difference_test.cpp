// SPDX-License-Identifier: Apache-2.0
#include "codecs/difference/difference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "codecs/error/error.hpp"
#include "codecs/error/training.hpp"
#include "codecs/group/group.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

std::vector<Bf16> as_bf16(const std::vector<float>& values) {
  std::vector<Bf16> rounded(values.size());
  std::ranges::transform(values, rounded.begin(), to_bf16);
  return rounded;
}

// Differences that the code holds exactly (multiples of the scale) arrive exactly.
TEST(Difference, InstallsTheMasterWhereTheCodesAreExact) {
  std::vector<float> master(2048, 1.0f);
  std::vector<Bf16> model(2048, to_bf16(1.0f));
  for (std::size_t i = 0; i < 2048; ++i) {
    master[i] = 1.0f + static_cast<float>(static_cast<int>(i % 15) - 7) / 64;  // scale 1/64
  }
  std::vector<std::byte> wire(encoded_bytes(int4_g2048_sr.format, 2048));
  encode_difference(int4_g2048_sr.format, master, model, {}, wire);
  decode_add(int4_g2048_sr.format, wire, model);
  EXPECT_EQ(model, as_bf16(master));
}

// float32(1) - float32(bf16 0.9961) has more digits than the rounded masters: the difference is of
// the bfloat16 values.
TEST(Difference, RoundsTheMasterFirst) {
  const std::vector<float> master(128, 1.0f + 0x1p-9f);  // rounds to 1
  const std::vector<Bf16> model(128, to_bf16(1.0f));
  std::vector<std::byte> wire(encoded_bytes(int4_g128_sr.format, 128));
  encode_difference(int4_g128_sr.format, master, model, {}, wire);
  for (const float value : decoded(int4_g128_sr, wire, 128)) EXPECT_EQ(value, 0);
}

TEST(Difference, KeepsReplicasThatStartEqualEqual) {
  std::vector<Bf16> sender = as_bf16(normal_values(5000)), receiver = sender;
  for (std::uint32_t step = 0; step < 5; ++step) {
    const std::vector<float> master = normal_values(5000, step);
    std::vector<std::byte> wire(encoded_bytes(int4_g2048_sr.format, 5000));
    encode_difference(int4_g2048_sr.format, master, sender, {.step = step}, wire);
    decode_add(int4_g2048_sr.format, wire, sender);
    decode_add(int4_g2048_sr.format, wire, receiver);
    EXPECT_EQ(sender, receiver);
  }
}

// What one step's rounding loses is in the next difference: a constant master is approached until
// the difference is a bfloat16 rounding.
TEST(Difference, GivesBackWhatRoundingLost) {
  const std::vector<float> master = normal_values(4096);
  std::vector<Bf16> model(4096);
  std::vector<double> errors;
  for (std::uint32_t step = 0; step < 8; ++step) {
    std::vector<std::byte> wire(encoded_bytes(int4_g2048_sr.format, 4096));
    encode_difference(int4_g2048_sr.format, master, model, {.step = step}, wire);
    decode_add(int4_g2048_sr.format, wire, model);
    std::vector<float> current(4096);
    std::ranges::transform(model, current.begin(), to_float);
    errors.push_back(compare(master, current).relative_l2);
  }
  EXPECT_NEAR(errors[0], 0.21, 0.02);  // of INT4 in groups of 2048, stochastic, normal
  EXPECT_LT(errors[1], 0.3 * errors[0]);
  EXPECT_LT(errors[7], 0.002);  // bfloat16 of normal values: 0.00166
}

TEST(Difference, RefusesUnequalSizes) {
  std::vector<std::byte> wire(encoded_bytes(int4_g2048_sr.format, 10));
  const std::vector<float> master(10);
  const std::vector<Bf16> model(11);
  EXPECT_THROW(encode_difference(int4_g2048_sr.format, master, model, {}, wire),
               std::invalid_argument);
}

// After 60 steps of Adam at 6e-4, 4-bit weights are 0.21 off (the error of one quantisation), 4-bit
// differences 0.002 (bfloat16's own is 0.00166): two orders apart, as SDP4Bit's loss curves need.
TEST(WeightErrors, DifferencesAreTwoOrdersBelowWeights) {
  const AdamTrace trace{.weights = 8192, .phases = {{60, 6e-4}, {20, 6e-5}}, .seed = 2};
  const auto weights = weight_errors(trace, send_weights(int4_g2048_sr));
  const auto differences = weight_errors(trace, send_differences(int4_g2048_sr.format));
  const auto rounding = weight_errors(trace, send_weights(codec_named("bf16")));
  EXPECT_NEAR(weights[0], 0.213, 0.02);  // four groups: their largest values vary
  EXPECT_NEAR(rounding[0], 0.00166, 0.00005);
  for (const std::size_t phase : {0u, 1u}) {
    EXPECT_LT(differences[phase], weights[phase] / 90);
    EXPECT_GT(differences[phase], rounding[phase]);
  }
  EXPECT_LT(differences[1], differences[0]);  // smaller steps, smaller differences
}

}  // namespace
}  // namespace codecs
