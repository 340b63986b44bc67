// SPDX-License-Identifier: Apache-2.0
// The C interface of the kernels gives the references' bytes, for every codec.
#include <algorithm>
#include <string>

#include "codecs/c/gardenhose_codecs_cuda.h"
#include "codecs/cuda/registry.hpp"
#include "codecs/group/group.hpp"
#include "codecs/two_level/two_level.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr gardenhose_random_key kCKey{5, 6, 7, 8, 16};
constexpr RandomKey kSameKey{.seed = 5, .step = 6, .tensor = 7, .rank = 8, .first_element = 16};

std::size_t scratch_of(const Codec& codec, gardenhose_cuda_operation operation,
                       std::size_t elements) {
  std::size_t bytes = 0;
  EXPECT_EQ(gardenhose_cuda_scratch_bytes(codec.name.data(), operation, elements, &bytes),
            GARDENHOSE_OK);
  return bytes;
}

void expect_wires(const CudaCodec& row) {
  const Codec& codec = *row.codec;
  for (const std::size_t elements : {0u, 1u, 31u, 4133u}) {
    const std::vector<float> values = awkward_values(elements);
    const std::vector<std::byte> expected = encoded(codec, values, kSameKey);
    const DeviceBuffer<float> input{std::span(values)};
    const GuardedBytes wire(expected.size()), out(elements * sizeof(float));
    const std::size_t needed = scratch_of(codec, GARDENHOSE_CUDA_ENCODE, elements);
    const GuardedBytes scratch(needed);
    const Stream stream;
    ASSERT_EQ(gardenhose_cuda_encode(codec.name.data(), input.get(), elements, &kCKey, wire.get(),
                                     expected.size(), scratch.get(), needed, stream.get()),
              GARDENHOSE_OK);
    ASSERT_EQ(gardenhose_cuda_decode(codec.name.data(), wire.get(), expected.size(),
                                     reinterpret_cast<float*>(out.get()), elements, stream.get()),
              GARDENHOSE_OK);
    stream.wait();
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << elements;
    EXPECT_EQ(first_difference(as_values<float>(out.to_host()), decoded(codec, expected, elements)),
              elements);
  }
}

void expect_sums(const CudaCodec& row) {
  const Codec& codec = *row.codec;
  constexpr std::size_t kElements = 4133, kInputs = 3;
  std::vector<std::byte> wires;
  std::vector<float> expected(kElements);
  for (std::size_t i = 0; i < kInputs; ++i) {
    std::vector<float> values(kElements);
    for (std::size_t j = 0; j < kElements; ++j) values[j] = static_cast<float>(j % 64 + i) - 32;
    const auto wire = encoded(codec, values, kSameKey);
    const auto terms = decoded(codec, wire, kElements);
    std::ranges::transform(expected, terms, expected.begin(), std::plus{});
    wires.insert(wires.end(), wire.begin(), wire.end());
  }
  const std::size_t bytes = wires.size() / kInputs;
  const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
  const DeviceBuffer<float> sums{std::vector<float>(kElements)};
  const std::size_t needed = scratch_of(codec, GARDENHOSE_CUDA_DECODE_ADD, kElements);
  const GuardedBytes scratch(needed);
  const Stream stream;
  for (std::size_t i = 0; i < kInputs; ++i) {
    const DeviceBuffer<std::byte> wire{std::span<const std::byte>(wires).subspan(i * bytes, bytes)};
    ASSERT_EQ(gardenhose_cuda_decode_add(codec.name.data(), wire.get(), bytes, sums.get(),
                                         kElements, scratch.get(), needed, stream.get()),
              GARDENHOSE_OK);
    stream.wait();
  }
  EXPECT_EQ(first_difference(sums.to_host(), expected), kElements);

  const gardenhose_status status = gardenhose_cuda_decode_reduce(
      codec.name.data(), input.get(), wires.size(), kInputs, sums.get(), kElements, stream.get());
  stream.wait();
  ASSERT_EQ(status, row.decode_reduce_async ? GARDENHOSE_OK : GARDENHOSE_UNSUPPORTED);
  const std::vector<float> sum = sums.to_host();
  for (std::size_t j = 0; j < kElements; ++j) {
    ASSERT_NEAR(sum[j], expected[j], 1e-4f * std::abs(expected[j]) + 1e-3f) << j;
  }
}

void expect_added_to_model(const CudaCodec& row) {
  const Codec& codec = *row.codec;
  for (const std::size_t elements : {1u, 1337u}) {
    const auto wire = encoded(codec, awkward_values(elements), kSameKey);
    std::vector<Bf16> expected = as_bf16(awkward_values(elements, 4));
    const GuardedBytes model(elements * sizeof(Bf16));
    upload(std::as_bytes(std::span<const Bf16>(expected)), model.get());
    const std::vector<Bf16> terms = as_bf16(decoded(codec, wire, elements));
    std::ranges::transform(expected, terms, expected.begin(),
                           [](Bf16 a, Bf16 b) { return to_bf16(to_float(a) + to_float(b)); });
    const DeviceBuffer<std::byte> input{std::span<const std::byte>(wire)};
    const std::size_t needed = scratch_of(codec, GARDENHOSE_CUDA_DECODE_ADD_BF16, elements);
    const GuardedBytes scratch(needed);
    ASSERT_EQ(gardenhose_cuda_decode_add_bf16(codec.name.data(), input.get(), wire.size(),
                                              reinterpret_cast<std::uint16_t*>(model.get()),
                                              elements, scratch.get(), needed, nullptr),
              GARDENHOSE_OK);
    EXPECT_EQ(first_difference(as_values<Bf16>(model.to_host()), expected), elements);
  }
}

void expect_feedback(const CudaCodec& row) {
  const Codec& codec = *row.codec;
  constexpr std::size_t kElements = 4133;
  const gardenhose_feedback feedback{0.5f, 0.9f, 0.25f, 0.75f};
  const Feedback rule{.gain = 0.5f, .carry = 0.9f, .keep = 0.25f, .take = 0.75f};
  const std::vector<float> values = awkward_values(kElements);
  std::vector<float> residual = awkward_values(kElements, 4);
  const DeviceBuffer<float> input{std::span(values)}, kept{std::span<const float>(residual)};
  std::vector<std::byte> expected(encoded_bytes(codec.format, kElements));
  encode_with_feedback(codec, rule, values, kSameKey, residual, expected);
  const std::size_t needed = scratch_of(codec, GARDENHOSE_CUDA_ENCODE_FEEDBACK, kElements);
  const GuardedBytes wire(expected.size()), scratch(needed);
  ASSERT_EQ(gardenhose_cuda_encode_feedback(codec.name.data(), &feedback, input.get(), kElements,
                                            &kCKey, kept.get(), wire.get(), expected.size(),
                                            scratch.get(), needed, nullptr),
            GARDENHOSE_OK);
  EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size());
  EXPECT_EQ(first_difference(kept.to_host(), residual), kElements);
}

template <typename Check>
void for_every_codec(const Check& check) {
  for (const CudaCodec& row : all_cuda_codecs()) {
    SCOPED_TRACE(row.codec->name);
    check(row);
  }
}

TEST(CLibrary, EncodesAndDecodesLikeTheReference) { for_every_codec(expect_wires); }
TEST(CLibrary, AddsAndSums) { for_every_codec(expect_sums); }
TEST(CLibrary, AddsToBfloat16) { for_every_codec(expect_added_to_model); }
TEST(CLibrary, KeepsWhatWasLost) { for_every_codec(expect_feedback); }

TEST(CLibrary, EncodesTheSumLikeTheReference) {
  constexpr std::size_t kElements = 1024, kInputs = 2, kOutputs = 4;
  const Requantise shape{.wire = int8_g128_sr.format,
                         .wire_out = int4_g128_sr.format,
                         .inputs = kInputs,
                         .elements = kElements,
                         .wires_out = kOutputs};
  std::vector<std::byte> wires;
  for (std::uint32_t rank = 0; rank < kInputs; ++rank) {
    const auto wire = encoded(int8_g128_sr, awkward_values(kElements, rank), {.rank = rank});
    wires.insert(wires.end(), wire.begin(), wire.end());
  }
  std::vector<std::byte> expected(kOutputs * encoded_bytes(shape.wire_out, kElements / kOutputs));
  decode_reduce_encode(shape, wires, kSameKey, expected);
  const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
  const GuardedBytes out(expected.size());
  const auto encode = [&](const char* to) {
    return gardenhose_cuda_decode_reduce_encode("int8_g128_sr", to, input.get(), wires.size(),
                                                kInputs, kElements, &kCKey, out.get(),
                                                expected.size(), kOutputs, nullptr, 0, nullptr);
  };
  ASSERT_EQ(encode("int4_g128_sr"), GARDENHOSE_OK);
  EXPECT_EQ(first_difference(out.to_host(), expected), expected.size());
  EXPECT_EQ(encode("int4_g2048_sr"), GARDENHOSE_WRONG_ARGUMENT);
  EXPECT_EQ(encode("sparseloco"), GARDENHOSE_UNSUPPORTED);
  EXPECT_EQ(encode("none"), GARDENHOSE_UNKNOWN_CODEC);
}

}  // namespace
}  // namespace codecs::cuda
