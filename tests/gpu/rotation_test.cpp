// SPDX-License-Identifier: Apache-2.0
// Kernels of rotations, of rotated groups and of EDEN against their references, byte for byte.
#include "codecs/rotation/rotation.hpp"

#include <array>

#include "codecs/eden/eden.hpp"
#include "codecs/eden/kernels.hpp"
#include "codecs/group/group.hpp"
#include "codecs/rotation/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kRotationKey{
    .seed = 31, .step = 2, .tensor = 8, .rank = 3, .first_element = 16 * 0x500000003};

constexpr std::array kEden{&eden1_g4096, &eden2_g4096, &eden3_g4096, &eden4_g4096};

Codec with_group(Codec codec, std::size_t group) {
  codec.format.group = codec.format.block = group;
  return codec;
}

TEST(RotationKernels, EqualTheirReferencesThereAndBack) {
  for (std::size_t block = kSmallestRotation; block <= kLargestRotation; block *= 2) {
    for (const std::size_t blocks : {std::size_t{0}, std::size_t{1}, 4096 / block + 3}) {
      std::vector<float> values = awkward_values(blocks * block);
      const SignKey signs = sign_key(kRotationKey);
      const DeviceBuffer<float> device{std::span<const float>(values)};
      rotate_async(block, signs, {device.get(), values.size()}, nullptr);
      rotate(block, signs, values);
      EXPECT_EQ(first_difference(device.to_host(), values), values.size()) << block;
      rotate_back_async(block, signs, {device.get(), values.size()}, nullptr);
      rotate_back(block, signs, values);
      EXPECT_EQ(first_difference(device.to_host(), values), values.size()) << block;
    }
  }
}

TEST(RotationKernels, RefuseOtherBlocks) {
  for (const std::size_t block : {0u, 8u, 24u, 16384u}) {
    EXPECT_THROW(rotate_async(block, {}, {nullptr, 49152}, nullptr), std::invalid_argument);
  }
  EXPECT_THROW(rotate_async(32, {}, {nullptr, 48}, nullptr), std::invalid_argument);
}

std::vector<std::byte> eden_on_gpu(const Codec& codec, const std::vector<float>& values,
                                   unsigned& nonfinite) {
  const DeviceBuffer<float> input{std::span(values)};
  const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
  const GuardedBytes wire(encoded_bytes(codec.format, values.size()));
  encode_eden_async(codec.format, Tensor<const float>{input.get(), values.size()},
                    {.wires = wire.get(), .key = kRotationKey, .nonfinite = flag.get()}, nullptr);
  nonfinite = flag.to_host().front();
  return wire.to_host();
}

void expect_reference_bytes(const Codec& codec, const std::vector<float>& values, bool finite) {
  unsigned nonfinite = 0;
  const auto expected = encoded(codec, values, kRotationKey);
  EXPECT_EQ(first_difference(eden_on_gpu(codec, values, nonfinite), expected), expected.size())
      << codec.name << " " << codec.format.group << " " << values.size();
  EXPECT_EQ(nonfinite, finite ? 0u : 1u);
  const DeviceBuffer<std::byte> input{std::span<const std::byte>(expected)};
  const GuardedBytes out(values.size() * sizeof(float));
  decode_reduce_eden_async(codec.format, {.bytes = input.get()},
                           Tensor<float>{reinterpret_cast<float*>(out.get()), values.size()},
                           nullptr);
  EXPECT_EQ(
      first_difference(as_values<float>(out.to_host()), decoded(codec, expected, values.size())),
      values.size())
      << codec.name << " " << codec.format.group << " " << values.size();
}

TEST(EdenKernels, EqualTheirReferenceWithEveryGroup) {
  for (const Codec* row : kEden) {
    for (const std::size_t group : {128u, 1024u, 2048u, 4096u, 8192u}) {
      const Codec codec = with_group(*row, group);
      for (const std::size_t elements :
           {std::size_t{1}, group - 1, group, group + 1, 3 * group + 17}) {
        expect_reference_bytes(codec, awkward_values(elements), true);
      }
    }
  }
}

// From the smallest group that is not all zeros to one whose transform overflows.
TEST(EdenKernels, EqualTheirReferenceAtEveryMagnitude) {
  for (const float factor : {0x1p-149f, 0x1p-126f, 0x1p-119f, 0x1p-60f, 0x1p60f, 0x1p112f, 0x1p115f,
                             0x1p118f, 0x1p124f, 0x1p127f}) {
    std::vector<float> values(9000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (static_cast<float>(i % 17) - 8) / 8 * factor;
    }
    expect_reference_bytes(eden2_g4096, values, true);
    expect_reference_bytes(with_group(eden4_g4096, 128), values, true);
  }
}

TEST(EdenKernels, TellNaNsAndInfinities) {
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t group : {128u, 2048u, 8192u}) {
      expect_reference_bytes(with_group(eden3_g4096, group),
                             with_value(awkward_values(9000), 8500, special), false);
    }
  }
}

// 1, 3, 4, 5 and 9 inputs: within, with and beyond the kernels' batches of two or four.
template <typename Reduce, typename Reference>
void expect_sums(const Codec& codec, Reduce reduce, Reference reference) {
  for (const std::size_t inputs : {1u, 3u, 4u, 5u, 9u}) {
    const std::size_t elements = codec.format.block + 133;
    std::vector<std::byte> wires;
    for (std::uint32_t rank = 0; rank < inputs; ++rank) {
      const auto wire = encoded(codec, awkward_values(elements, rank), {.rank = rank});
      wires.insert(wires.end(), wire.begin(), wire.end());
    }
    std::vector<float> expected(elements);
    reference(codec.format, wires, inputs, expected);
    const auto on_gpu = [&] {
      const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
      const GuardedBytes sums(elements * sizeof(float));
      reduce(codec.format, Wires{input.get(), static_cast<int>(inputs)},
             Tensor<float>{reinterpret_cast<float*>(sums.get()), elements}, nullptr);
      return as_values<float>(sums.to_host());
    };
    EXPECT_EQ(first_difference(on_gpu(), expected), elements) << codec.name << " " << inputs;
    if (inputs == 1) continue;
    wires[wires.size() / inputs * (inputs - 1) + 5] ^= std::byte{4};  // the last wire's key
    for (const float sum : on_gpu()) ASSERT_TRUE(std::isnan(sum)) << codec.name;
  }
}

TEST(EdenKernels, SumWiresOfEqualSignsAlone) {
  for (const Codec* codec : kEden) {
    expect_sums(
        *codec,
        [](const Format& format, const Wires& wires, Tensor<float> sums, cudaStream_t stream) {
          decode_reduce_eden_async(format, wires, sums, stream);
        },
        decode_reduce_eden);
  }
}

TEST(RotatedGroupKernels, SumWiresOfEqualSignsAlone) {
  for (const Codec* codec : {&int4_g128_rht128_sr, &int4_g128_rht4096, &nvfp4_rht16}) {
    expect_sums(*codec, decode_reduce_rotated_async, decode_reduce_rotated);
  }
}

TEST(RotatedGroupKernels, DrawTheBitsOfThePieceInItsTensor) {
  for (const Codec* codec : {&int4_g128_rht128_sr, &int4_g128_rht4096, &nvfp4_rht16_sr}) {
    const std::vector<float> values = awkward_values(5000);
    const auto expected = encoded(*codec, values, kRotationKey);
    const DeviceBuffer<float> input{std::span(values)};
    const GuardedBytes wire(expected.size()), scratch(sizeof(float));
    encode_rotated_async(codec->format, Tensor<const float>{input.get(), values.size()},
                         {.wires = wire.get(), .key = kRotationKey, .scratch = scratch.get()},
                         nullptr);
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << codec->name;
  }
}

template <typename Encode>
void expect_bf16_like_floats(const Codec& codec, Encode encode) {
  for (const std::size_t elements : edge_lengths(codec.format)) {
    if (elements > 20'000) continue;
    const std::vector<Bf16> values = as_bf16(awkward_values(elements));
    std::vector<float> floats(elements);
    std::ranges::transform(values, floats.begin(), to_float);
    const DeviceBuffer<Bf16> input{std::span(values)};
    const GuardedBytes wire(encoded_bytes(codec.format, elements));
    encode(codec.format, Tensor<const Bf16>{input.get(), elements},
           Encoding{.wires = wire.get(), .key = kRotationKey}, nullptr);
    const auto expected = encoded(codec, floats, kRotationKey);
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << codec.name;
  }
}

TEST(RotationKernels, ReadBfloat16LikeItsFloats) {
  const auto eden = [](const Format& format, Tensor<const Bf16> values, const Encoding& to,
                       cudaStream_t stream) { encode_eden_async(format, values, to, stream); };
  const auto rotated = [](const Format& format, Tensor<const Bf16> values, const Encoding& to,
                          cudaStream_t stream) {
    encode_rotated_async(format, values, to, stream);
  };
  expect_bf16_like_floats(eden3_g4096, eden);
  expect_bf16_like_floats(int4_g128_rht128_sr, rotated);
  expect_bf16_like_floats(int4_g128_rht4096, rotated);
}

TEST(EdenKernels, WriteBfloat16) {
  const std::vector<float> values = awkward_values(5001);
  const auto wire = encoded(eden4_g4096, values, kRotationKey);
  const DeviceBuffer<std::byte> input{std::span<const std::byte>(wire)};
  const GuardedBytes out(values.size() * sizeof(Bf16));
  decode_reduce_eden_async(eden4_g4096.format, {.bytes = input.get()},
                           Tensor<Bf16>{reinterpret_cast<Bf16*>(out.get()), values.size()},
                           nullptr);
  EXPECT_EQ(as_values<Bf16>(out.to_host()), as_bf16(decoded(eden4_g4096, wire, values.size())));
}

TEST(EdenKernels, RefuseAFormatWithoutKernels) {
  for (const std::size_t group : {64u, 256u}) {
    EXPECT_THROW(encode_eden_async(with_group(eden1_g4096, group).format,
                                   Tensor<const float>{nullptr, 100}, {}, nullptr),
                 std::invalid_argument);
  }
  EXPECT_THROW(
      encode_eden_async(int4_g128_sr.format, Tensor<const float>{nullptr, 100}, {}, nullptr),
      std::invalid_argument);
}

}  // namespace
}  // namespace codecs::cuda
