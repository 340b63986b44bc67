// SPDX-License-Identifier: Apache-2.0
// Random-k's kernels against their reference: feedback and sums.
#include "codecs/random_k/random_k.hpp"

#include "codecs/feedback/feedback.hpp"
#include "codecs/random_k/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kRandomKKey{
    .seed = 11, .step = 3, .tensor = 2, .rank = 5, .first_element = 1 << 20};

TEST(RandomKKernels, UpdateTheResidualLikeTheReference) {
  const Feedback feedback{.gain = 0.5f, .carry = 0.95f, .keep = 0.25f, .take = 0.75f};
  for (const Codec* codec : {&random_k64, &random_k64_unscaled}) {
    for (const std::size_t elements : {1u, 513u, 4099u, 20'003u}) {
      std::vector<float> residual = awkward_values(elements, 5);
      const std::vector<float> values = awkward_values(elements, 6);
      const DeviceBuffer<float> input{std::span(values)}, on_gpu{std::span<const float>(residual)};
      std::vector<std::byte> expected(encoded_bytes(codec->format, elements));
      encode_with_feedback(*codec, feedback, values, kRandomKKey, residual, expected);
      const GuardedBytes wire(expected.size());
      encode_random_k_feedback_async(codec->format, feedback, {input.get(), elements}, on_gpu.get(),
                                     {.wires = wire.get(), .key = kRandomKKey}, nullptr);
      EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << elements;
      EXPECT_EQ(first_difference(on_gpu.to_host(), residual), elements) << elements;
    }
  }
}

// Wires of one key, as ranks have them, and of others.
TEST(RandomKKernels, SumWiresLikeTheReference) {
  constexpr std::size_t kElements = 10'001;
  std::vector<std::byte> wires;
  for (const std::uint32_t step : {0u, 0u, 1u, 1u, 0u}) {
    const auto wire = encoded(random_k64, awkward_values(kElements, step), {.step = step});
    wires.insert(wires.end(), wire.begin(), wire.end());
  }
  std::vector<float> expected(kElements);
  decode_reduce_random_k(random_k64.format, wires, 5, expected);
  const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
  const GuardedBytes sums(kElements * sizeof(float));
  decode_reduce_random_k_async(random_k64.format, {input.get(), 5},
                               {reinterpret_cast<float*>(sums.get()), kElements}, nullptr);
  EXPECT_EQ(first_difference(as_values<float>(sums.to_host()), expected), kElements);
}

}  // namespace
}  // namespace codecs::cuda
