// SPDX-License-Identifier: Apache-2.0
// 1-bit Adam's all_reduce: bytes, identities and what two residuals keep.
#include "codecs/one_bit/one_bit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "codecs/sign/sign.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

std::vector<OneBitState> fresh_states(const OneBit& shape) {
  return std::vector<OneBitState>(shape.ranks,
                                  {.worker = std::vector<float>(shape.elements),
                                   .server = std::vector<float>(shape.shard_elements())});
}

TEST(OneBit, SendsABitAnElementAndAScaleAShard) {
  const OneBit shape{.elements = std::size_t{4} * 1280, .ranks = 4};
  EXPECT_EQ(shape.wire_bytes(), 1280 / 8 + 16);
}

// Of one rank with values of one magnitude both compressions are exact.
TEST(OneBit, IsExactForOneMagnitude) {
  const OneBit shape{.elements = 1024, .ranks = 2};
  std::vector<float> values(1024, 0.5f);
  values[7] = values[900] = -0.5f;
  const std::vector<std::vector<float>> ranks(2, values);
  auto states = fresh_states(shape);
  EXPECT_EQ(all_reduce_one_bit(shape, ranks, states), values);
  for (const OneBitState& state : states) {
    EXPECT_EQ(state.worker, std::vector<float>(1024));
    EXPECT_EQ(state.server, std::vector<float>(512));
  }
}

TEST(OneBit, GivesEveryShardTheScaleOfTheTensor) {
  const OneBit shape{.elements = 512, .ranks = 4};
  std::vector<float> values = normal_values(512);
  for (std::size_t i = 0; i < 128; ++i) values[i] *= 100;
  std::vector<float> residual(512);
  std::vector<std::byte> wires(4 * shape.wire_bytes());
  encode_to_servers(shape, values, residual, wires);
  const auto whole = decoded(one_bit, encoded(one_bit, values), 512);
  std::vector<float> out(512);
  decode_from_servers(shape, wires, out);
  EXPECT_EQ(out, whole);
}

// Telescoping over both stages: what all ranks install, summed over the steps, is the sum of the
// mean values less the mean of the last worker residuals and the last server residual.
TEST(OneBit, SendsAllButTheLastResiduals) {
  const OneBit shape{.elements = 1024, .ranks = 4};
  auto states = fresh_states(shape);
  std::vector<double> balance(shape.elements);
  constexpr int kSteps = 20;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<std::vector<float>> values;
    for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
      values.push_back(normal_values(shape.elements, 10 * static_cast<std::uint64_t>(step) + rank));
    }
    const std::vector<float> installed = all_reduce_one_bit(shape, values, states);
    for (std::size_t i = 0; i < shape.elements; ++i) {
      for (const auto& of_rank : values) balance[i] += of_rank[i] / double{4};
      balance[i] -= installed[i];
    }
  }
  for (std::size_t i = 0; i < shape.elements; ++i) {
    double kept = states[i / 256].server[i % 256];
    for (const OneBitState& state : states) kept += state.worker[i] / double{4};
    EXPECT_NEAR(balance[i], kept, kSteps * 0x1p-19);
  }
}

TEST(OneBit, RefusesShardsThatDoNotFillBytes) {
  const OneBit shape{.elements = 1000, .ranks = 4};
  std::vector<float> values(1000), residual(1000);
  std::vector<std::byte> wires(4 * shape.wire_bytes());
  EXPECT_THROW(encode_to_servers(shape, values, residual, wires), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
