// SPDX-License-Identifier: Apache-2.0
// The parts that codecs are built from: random bits, the transform, bfloat16, sizes and traffic.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>

#include "codecs/bf16/bf16.hpp"
#include "codecs/group/group.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/random/random.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers of philox4x32 with 7 rounds: kat_vectors of the Random123 library 1.14.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}));
}

TEST(RandomBytes, ComeFromTheDocumentedBlockAndByte) {
  const RandomKey key{.seed = 9, .step = 2, .tensor = 3, .rank = 4};
  RandomBytes bytes(key);
  // The second is beyond 2^36 elements, where the block's index takes its high word.
  for (const std::uint64_t element : {std::uint64_t{37}, (std::uint64_t{5} << 36) + 11}) {
    const std::uint64_t block = element / 16;
    const Words words =
        philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 3, 4},
               philox_key(key));
    EXPECT_EQ(bytes(element), words[element % 16 / 4] >> (8 * (element % 4)) & 0xFF);
  }
}

TEST(RandomBytes, AreUniform) {
  std::array<double, 256> counts{};
  RandomBytes bytes({.seed = 1});
  for (std::uint64_t i = 0; i < std::uint64_t{256} * 4096; ++i) ++counts[bytes(i)];
  double chi_squared = 0;
  for (const double count : counts) chi_squared += std::pow(count - 4096, 2) / 4096;
  // 255 degrees of freedom: mean 255, standard deviation sqrt(510) = 22.6; five of them.
  EXPECT_NEAR(chi_squared, 255, 5 * 22.6);
}

// H(i, j) = (-1)^popcount(i & j): Sylvester's matrix, in float64.
TEST(Hadamard, IsSylvestersMatrix) {
  std::vector<float> values = normal_values(64);
  Eigen::MatrixXd matrix(32, 32);
  for (unsigned i = 0; i < 32; ++i) {
    for (unsigned j = 0; j < 32; ++j) matrix(i, j) = std::popcount(i & j) % 2 == 0 ? 1 : -1;
  }
  const Eigen::Map<const Eigen::MatrixXf> before(values.data(), 32, 2);
  const Eigen::MatrixXd expected = matrix * before.cast<double>();
  hadamard(values);
  for (unsigned i = 0; i < 64; ++i) EXPECT_NEAR(values[i], expected(i % 32, i / 32), 1e-5);
}

TEST(Hadamard, TwiceIsThirtyTwoTimes) {
  std::vector<float> values = {1, 2, -3, 4};  // small integers: exact in float32
  values.resize(32, 5.0f);
  const std::vector<float> before = values;
  hadamard(values);
  hadamard(values);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], 32 * before[i]);
  inverse_hadamard(values);
  hadamard(values);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], 32 * before[i]);
}

TEST(Hadamard, RefusesAPartOfABlock) {
  std::vector<float> values(33);
  EXPECT_THROW(hadamard(values), std::invalid_argument);
}

TEST(Bf16, RoundsToTheNearestOfItsNeighbours) {
  EXPECT_EQ(to_bf16(1.0f).bits, 0x3F80);
  EXPECT_EQ(to_bf16(1 + 0x1p-8f).bits, 0x3F80);      // tie: the even one is below
  EXPECT_EQ(to_bf16(1 + 3 * 0x1p-8f).bits, 0x3F82);  // tie: the even one is above
  EXPECT_EQ(to_bf16(1 + 0x1p-8f + 0x1p-23f).bits, 0x3F81);
  EXPECT_EQ(to_bf16(-0.0f).bits, 0x8000);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()).bits, 0x7F80);  // beyond the largest
  EXPECT_EQ(to_bf16(-std::numeric_limits<float>::infinity()).bits, 0xFF80);
  // NaNs whose payload is in the lower half would become infinite by cutting.
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x7F800001u)).bits, kBf16NaN);
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0xFFFFFFFFu)).bits, kBf16NaN);
}

TEST(Bf16, KeepsEveryOneOfItsValues) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Bf16 value{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(value))) continue;
    ASSERT_EQ(to_bf16(to_float(value)), value);
  }
}

// Bytes counted by hand for SDP4Bit's kernels: scales are 4/128 = 0.03125 and 4/2048 = 0.001953.
TEST(MemoryTraffic, CountsEachByteOnce) {
  const Format int8 = int8_g128_hadamard_sr.format, int4 = int4_g128_hadamard_sr.format;
  const Format weights = int4_g2048_sr.format;
  const auto expect = [](const KernelShape& shape, double read, double written) {
    EXPECT_DOUBLE_EQ(memory_traffic(shape).read, read);
    EXPECT_DOUBLE_EQ(memory_traffic(shape).written, written);
  };
  expect({.operation = Operation::encode, .wire = int8}, 4, 1.03125);
  expect({.operation = Operation::decode, .wire = int8, .value_bytes = 2}, 1.03125, 2);
  expect({.operation = Operation::encode_difference, .wire = weights, .value_bytes = 2}, 4,
         0.501953125);
  expect({.operation = Operation::encode_difference, .wire = weights}, 6, 0.501953125);
  expect({.operation = Operation::decode_add, .wire = weights, .value_bytes = 2}, 2.501953125, 2);
  expect(
      {.operation = Operation::decode_reduce_encode, .wire = int8, .wire_out = int4, .inputs = 8},
      8 * 1.03125, 0.53125);
  expect({.operation = Operation::decode_reduce, .wire = int4, .inputs = 16}, 16 * 0.53125, 4);
}

// Of 4096 values 64 are drawn, as 8 sectors of 32 bytes; the wire has their float32 values.
TEST(MemoryTraffic, CountsWhatIsDrawnAlone) {
  const Format drawn = codec_named("random_k64").format;
  for (const int value_bytes : {2, 4}) {
    const Traffic traffic = memory_traffic({.wire = drawn, .value_bytes = value_bytes});
    EXPECT_DOUBLE_EQ(traffic.read, 8 * 32 / 4096.0);
    EXPECT_DOUBLE_EQ(traffic.written, 64 * 4 / 4096.0);
  }
  EXPECT_DOUBLE_EQ(memory_traffic({.operation = Operation::encode_feedback, .wire = drawn}).read, 8);
}

// First the largest magnitude of all, then the codes; of NVFP4, 4 bits and 8 for each 16.
TEST(MemoryTraffic, CountsValuesTwiceWhereAScaleIsOfTheWholeTensor) {
  const Format nvfp4 = codec_named("nvfp4").format, fp8 = codec_named("fp8_e4m3").format;
  EXPECT_DOUBLE_EQ(memory_traffic({.wire = nvfp4}).read, 2 * 4);
  EXPECT_DOUBLE_EQ(memory_traffic({.wire = nvfp4}).written, 0.5625);
  EXPECT_DOUBLE_EQ(memory_traffic({.wire = fp8, .value_bytes = 2}).read, 2 * 2);
  EXPECT_DOUBLE_EQ(memory_traffic({.operation = Operation::decode_reduce_encode,
                                   .wire = nvfp4,
                                   .wire_out = nvfp4,
                                   .inputs = 8})
                       .read,
                   2 * 8 * 0.5625);
  EXPECT_DOUBLE_EQ(memory_traffic({.operation = Operation::decode, .wire = nvfp4}).read, 0.5625);
}

}  // namespace
}  // namespace codecs
