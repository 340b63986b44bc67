// SPDX-License-Identifier: Apache-2.0
// Codes of tables against the reference around all midpoints: there, kernels that guess a code first
// would go wrong.
#include "codecs/element/tables.hpp"

#include <cmath>

#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

// Of both signs, with the floats beside each.
template <std::size_t kValues>
std::vector<float> with_neighbours(const std::array<float, kValues>& between) {
  std::vector<float> all;
  for (const float center : between) {
    for (const float value : {center, -center}) {
      const float below = std::nextafter(value, -2.0f), above = std::nextafter(value, 2.0f);
      for (const float near :
           {std::nextafter(below, -2.0f), below, value, above, std::nextafter(above, 2.0f)}) {
        all.push_back(near);
      }
    }
  }
  return all;
}

// Every 2^13-th float up to 1, with alternating signs.
std::vector<float> many_floats() {
  std::vector<float> all;
  for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(1.0f); bits += 1u << 13) {
    const auto value = std::bit_cast<float>(bits);
    all.push_back(all.size() % 2 == 0 ? value : -value);
  }
  return all;
}

// Each group also holds 1 or -1, so that its values are encoded as they are.
std::vector<float> in_groups(const std::vector<float>& values, std::size_t group) {
  std::vector<float> all;
  for (const float value : values) {
    if (all.size() % group == 0) all.push_back(all.size() / group % 2 == 0 ? 1.0f : -1.0f);
    all.push_back(value);
  }
  return all;
}

void expect_reference_codes(const Codec& codec, const std::vector<float>& values) {
  const DeviceBuffer<float> input{std::span(values)};
  const GuardedBytes wire(encoded_bytes(codec.format, values.size()));
  const Stream stream;
  encode_async(codec.format, {input.get(), values.size()}, {.wires = wire.get()}, stream.get());
  stream.wait();
  const auto codes = wire.to_host();
  EXPECT_EQ(first_difference(codes, encoded(codec, values)), codes.size());
}

TEST(TableKernels, TakeTheLowerValueAtAMidpoint) {
  expect_reference_codes(nf4_g64, in_groups(with_neighbours(kNf4Midpoints), nf4_g64.format.group));
  expect_reference_codes(bnb8_g4096,
                         in_groups(with_neighbours(kDynamic8Midpoints), bnb8_g4096.format.group));
}

TEST(TableKernels, TakeTheNearestValue) {
  for (const Codec* codec : {&nf4_g64, &bnb8_g4096}) {
    expect_reference_codes(*codec, in_groups(many_floats(), codec->format.group));
  }
}

}  // namespace
}  // namespace codecs::cuda
