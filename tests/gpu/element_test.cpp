// SPDX-License-Identifier: Apache-2.0
// Casts of single values against the reference where the range of a format ends.
#include "codecs/element/element.hpp"

#include <cmath>
#include <limits>

#include "codecs/element/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

// Both ends of natural compression's range with the powers around them, what is between two powers, the
// smallest and largest floats and what is none, each under several random bytes.
std::vector<float> around_ends() {
  std::vector<float> all;
  const auto add = [&](float value) {
    for (int draw = 0; draw < 64; ++draw) all.push_back(draw % 2 == 0 ? value : -value);
  };
  for (const int end : {1 - kPowerOfTwoBias, 126 - kPowerOfTwoBias}) {
    for (int exponent = end - 3; exponent <= end + 3; ++exponent) {
      for (const float mantissa : {0x1p0f, 0x1.000002p0f, 0x1.007ffep0f, 0x1.008p0f, 0x1.8p0f,
                                   0x1.fefffep0f, 0x1.ffp0f, 0x1.fffffep0f}) {
        add(std::ldexp(mantissa, exponent));
      }
    }
  }
  using Limits = std::numeric_limits<float>;
  for (const float value : {0.0f, Limits::denorm_min(), Limits::min(), Limits::max(),
                            Limits::infinity(), Limits::quiet_NaN()}) {
    add(value);
  }
  return all;
}

TEST(NaturalKernels, RoundAndSaturateLikeTheReference) {
  const std::vector<float> values = around_ends();
  const RandomKey key{.seed = 3, .step = 1, .tensor = 4, .rank = 1};
  const DeviceBuffer<float> input{std::span(values)};
  const GuardedBytes wire(encoded_bytes(natural.format, values.size()));
  const Stream stream;
  encode_elements_async(natural.format, {input.get(), values.size()},
                        {.wires = wire.get(), .key = key}, stream.get());
  stream.wait();
  const auto codes = wire.to_host();
  EXPECT_EQ(first_difference(codes, encoded(natural, values, key)), codes.size());
}

// All codes, and NaNs' bits too.
TEST(NaturalKernels, DecodeEveryCodeLikeTheReference) {
  for (const std::size_t elements : {256, 251}) {
    std::vector<std::byte> codes(encoded_bytes(natural.format, elements));
    for (std::size_t i = 0; i < elements; ++i) codes[i] = static_cast<std::byte>(i);
    const DeviceBuffer<std::byte> wire{std::span(codes)};
    const GuardedBytes values(elements * sizeof(float));
    const Stream stream;
    decode_elements_async(natural.format, wire.get(),
                          {reinterpret_cast<float*>(values.get()), elements}, stream.get());
    stream.wait();
    const auto reference = decoded(natural, codes, elements);
    const auto* const bytes = reinterpret_cast<const std::byte*>(reference.data());
    EXPECT_EQ(values.to_host(), std::vector(bytes, bytes + elements * sizeof(float)));
  }
}

}  // namespace
}  // namespace codecs::cuda
