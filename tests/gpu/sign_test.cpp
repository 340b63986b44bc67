// SPDX-License-Identifier: Apache-2.0
// The sign kernels against their reference, byte for byte: every group, both means, feedback.
#include "codecs/sign/sign.hpp"

#include "codecs/feedback/feedback.hpp"
#include "codecs/sign/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr std::size_t kGroups[] = {128, 256, 512, 1024, 2048, 4096, 8192, kWholeTensor};

Codec signs(Scale scale, std::size_t group) {
  Codec codec = sign_g2048;
  codec.format.scale = scale;
  codec.format.group = group;
  return codec;
}

std::vector<Codec> every_sign_codec() {
  std::vector<Codec> codecs;
  for (const std::size_t group : kGroups) {
    codecs.push_back(signs(Scale::mean_magnitude, group));
    codecs.push_back(signs(Scale::root_mean_square, group));
  }
  return codecs;
}

// Lengths that end in every tile of a strip, in a block's last warp and beyond it.
constexpr std::size_t kLengths[] = {1, 127, 512, 513, 1500, 2047, 2049, 8192 + 77, 16'384, 50'003};

// Values that the mean square does not overflow: those of 2^100 would hide every other sign.
std::vector<float> tame_values(std::size_t elements, std::uint64_t seed = 33) {
  std::vector<float> values = awkward_values(elements, seed);
  for (float& value : values) value = std::abs(value) > 0x1p60f ? -1.5f : value;
  return values;
}

struct Encoded {
  std::vector<std::byte> wire;
  std::vector<float> residual;
  unsigned nonfinite = 0;
};

template <typename Value>
Encoded encode_with_feedback_on_gpu(const Format& format, const Feedback& feedback,
                                    const std::vector<Value>& values,
                                    const std::vector<float>& residual) {
  const DeviceBuffer<Value> input{std::span(values)};
  const DeviceBuffer<float> kept{std::span(residual)};
  const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
  const GuardedBytes wire(encoded_bytes(format, values.size()));
  const GuardedBytes scratch(sign_scratch_bytes(format, values.size()));
  encode_signs_feedback_async(
      format, feedback, Tensor<const Value>{input.get(), values.size()}, kept.get(),
      {.wires = wire.get(), .nonfinite = flag.get(), .scratch = scratch.get()}, nullptr);
  (void)scratch.to_host();
  return {wire.to_host(), kept.to_host(), flag.to_host().front()};
}

TEST(SignKernels, EqualTheReferenceForEveryGroupAndMean) {
  for (const Codec& codec : every_sign_codec()) {
    for (const std::size_t elements : kLengths) {
      const std::vector<float> values = tame_values(elements);
      const DeviceBuffer<float> input{std::span(values)};
      const GuardedBytes wire(encoded_bytes(codec.format, elements));
      const GuardedBytes scratch(sign_scratch_bytes(codec.format, elements));
      encode_signs_async(codec.format, Tensor<const float>{input.get(), elements},
                         {.wires = wire.get(), .scratch = scratch.get()}, nullptr);
      const auto expected = encoded(codec, values);
      EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size())
          << format_name(codec.format) << " " << elements;
    }
  }
}

TEST(SignKernels, FeedBackLikeTheReference) {
  const Feedback rules[] = {{}, {.gain = 0.5f, .carry = 0.9f}, {.keep = 0.8f, .take = 0.2f}};
  for (const Codec& codec : every_sign_codec()) {
    for (const Feedback& rule : rules) {
      const std::size_t elements = 20'011;
      const std::vector<float> values = tame_values(elements);
      std::vector<float> residual = tame_values(elements, 5);
      const Encoded gpu = encode_with_feedback_on_gpu(codec.format, rule, values, residual);
      std::vector<std::byte> wire(encoded_bytes(codec.format, elements));
      encode_with_feedback(codec, rule, values, {}, residual, wire);
      EXPECT_EQ(first_difference(gpu.wire, wire), wire.size()) << format_name(codec.format);
      EXPECT_EQ(first_difference(gpu.residual, residual), elements) << format_name(codec.format);
      EXPECT_EQ(gpu.nonfinite, 0u);
    }
  }
}

TEST(SignKernels, FlagWhatTheResidualMakesInfinite) {
  for (const Codec* codec : {&sign_g2048, &one_bit}) {
    const std::vector<float> values(3000, 3e38f);
    const std::vector<float> residual(3000, 3e38f);
    const Encoded gpu = encode_with_feedback_on_gpu(codec->format, {}, values, residual);
    EXPECT_EQ(gpu.nonfinite, 1u);
    EXPECT_EQ(gpu.residual, residual);
  }
}

// Each value is finite, and what is sent is not.
TEST(SignKernels, FlagSumsBeyondFloat32) {
  for (const Codec* codec : {&sign_g2048, &sign_tensor, &one_bit}) {
    for (const std::size_t elements : {2047u, 3000u, 40'000u}) {
      const std::vector<float> values(elements, 3e36f), residual(elements, 0.5f);
      const Encoded gpu = encode_with_feedback_on_gpu(codec->format, {}, values, residual);
      EXPECT_EQ(gpu.nonfinite, 1u) << elements;
      EXPECT_EQ(gpu.residual, residual) << elements;
    }
  }
}

TEST(SignKernels, ReadBfloat16LikeItsFloats) {
  for (const Codec* codec : {&sign_g2048, &sign_tensor}) {
    const std::vector<Bf16> values = as_bf16(tame_values(9001));
    std::vector<float> floats(values.size()), residual(values.size(), 0.25f);
    std::ranges::transform(values, floats.begin(), to_float);
    const Encoded gpu = encode_with_feedback_on_gpu(codec->format, {}, values, residual);
    std::vector<std::byte> wire(encoded_bytes(codec->format, values.size()));
    encode_with_feedback(*codec, {}, floats, {}, residual, wire);
    EXPECT_EQ(first_difference(gpu.wire, wire), wire.size());
    EXPECT_EQ(first_difference(gpu.residual, residual), residual.size());
  }
}

// 1, 4, 5, 8, 9 and 17 inputs: without, with and beyond the kernel's batches of 4 and 8.
TEST(SignKernels, SumWiresLikeTheReference) {
  for (const std::size_t group : kGroups) {
    const Codec codec = signs(Scale::mean_magnitude, group);
    for (const std::size_t inputs : {1u, 4u, 5u, 8u, 9u, 17u}) {
      for (const std::size_t elements : {1u, 127u, 513u, 6007u}) {
        std::vector<std::byte> wires;
        for (std::uint32_t rank = 0; rank < inputs; ++rank) {
          const auto wire = encoded(codec, awkward_values(elements, rank));
          wires.insert(wires.end(), wire.begin(), wire.end());
        }
        std::vector<float> expected(elements);
        decode_reduce_signs(codec.format, wires, inputs, expected);
        const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
        const GuardedBytes sums(elements * sizeof(float));
        decode_reduce_signs_async(codec.format, {input.get(), static_cast<int>(inputs)},
                                  Tensor<float>{reinterpret_cast<float*>(sums.get()), elements},
                                  nullptr);
        EXPECT_EQ(first_difference(as_values<float>(sums.to_host()), expected), elements)
            << format_name(codec.format) << " " << inputs;
      }
    }
  }
}

}  // namespace
}  // namespace codecs::cuda
