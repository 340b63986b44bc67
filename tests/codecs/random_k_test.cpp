// SPDX-License-Identifier: Apache-2.0
// Laws of random-k: who is drawn, how often, and what that costs.
#include "codecs/random_k/random_k.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "codecs/error/error.hpp"
#include "codecs/feedback/feedback.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr std::size_t kGroup = 4096;

TEST(RandomK, SendsNoIndices) {
  EXPECT_EQ(encoded_bytes(random_k64.format, 10 * kGroup), 32 + 10 * 64 * 4);
  EXPECT_EQ(encoded_bytes(random_k64.format, 1), 32 + 32);  // one stratum of 512
  EXPECT_EQ(encoded_bytes(random_k64.format, 513), 32 + 64);
  EXPECT_EQ(stratum_elements(random_k64.format), 512);
}

TEST(RandomK, DrawsOneSectorOfEachStratum) {
  const std::vector<float> ones(8 * kGroup, 1.0f);
  const std::vector<float> out = encode_and_decode(random_k64_unscaled, ones, {.seed = 9});
  for (std::size_t first = 0; first < out.size(); first += 512) {
    std::size_t sent = 0;
    for (std::size_t i = first; i < first + 512; i += 8) {
      sent += out[i] == 1;
      for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(out[i + k], out[i]);
    }
    EXPECT_EQ(sent, 1);
  }
}

TEST(RandomK, DrawsTheSameOnAllRanksAndOthersEachStep) {
  const std::vector<float> values = normal_values(20'000);
  const auto base = encode_and_decode(random_k64, values, {.seed = 4});
  EXPECT_EQ(encode_and_decode(random_k64, values, {.seed = 4, .rank = 3}), base);
  EXPECT_NE(encode_and_decode(random_k64, values, {.seed = 4, .step = 1}), base);
}

// A sector is drawn 1 time in 64: 8192 steps draw each 128 times, with a deviation of 11.2.
TEST(RandomK, DrawsEverySectorEquallyOften) {
  const std::vector<float> ones(512, 1.0f);
  std::vector<int> draws(64, 0);
  for (std::uint32_t step = 0; step < 8192; ++step) {
    const auto out = encode_and_decode(random_k64_unscaled, ones, {.step = step});
    for (std::size_t sector = 0; sector < 64; ++sector) draws[sector] += out[8 * sector] == 1;
  }
  for (const int count : draws) EXPECT_NEAR(count, 128, 5 * 11.2);
}

// sqrt(64 - 1) and sqrt(1 - 1 / 64), up to the luck of 4096 draws of 8 values: 2 in 100 of the
// energy that is sent.
TEST(RandomK, ErrsAsItsDensitySays) {
  const std::vector<float> values = normal_values(std::size_t{1} << 21);
  EXPECT_NEAR(compare(values, encode_and_decode(random_k64, values, {})).relative_l2,
              std::sqrt(63.0), 0.03 * std::sqrt(63.0));
  EXPECT_NEAR(compare(values, encode_and_decode(random_k64_unscaled, values, {})).relative_l2,
              std::sqrt(63.0 / 64), 0.001);
}

// Sums of the values on the wire decode to the sum of the decoded: an all_reduce needs no decode.
TEST(RandomK, AddsUpOnTheWire) {
  const std::vector<float> a = normal_values(5000, 1), b = normal_values(5000, 2);
  auto wire = encoded(random_k64, a, {.rank = 0});
  const auto other = encoded(random_k64, b, {.rank = 1});
  std::vector<std::byte> both = wire;
  both.insert(both.end(), other.begin(), other.end());
  std::vector<float> sums(5000);
  decode_reduce_random_k(random_k64.format, both, 2, sums);
  for (std::size_t at = kRandomKHeaderBytes; at < wire.size(); at += sizeof(float)) {
    float x = 0, y = 0;
    std::memcpy(&x, &wire[at], sizeof(float));
    std::memcpy(&y, &other[at], sizeof(float));
    x += y;
    std::memcpy(&wire[at], &x, sizeof(float));
  }
  EXPECT_EQ(decoded(random_k64, wire, 5000), sums);
}

TEST(RandomK, RefusesFormatsThatItCannotHold) {
  Format format = random_k64.format;
  format.keep = 24;
  EXPECT_THROW((void)encoded_bytes(format, 10), std::invalid_argument);
  format = random_k64.format;
  format.element = Element::bf16;
  EXPECT_THROW((void)encoded_bytes(format, 10), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
