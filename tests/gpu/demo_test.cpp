// SPDX-License-Identifier: Apache-2.0
// DeMo's kernels against their reference: momentum, sums and averages.
#include "codecs/demo/demo.hpp"

#include <functional>

#include "codecs/demo/kernels.hpp"
#include "codecs/feedback/feedback.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr std::size_t kElements = 2 * 4096 + 777;

Codec demo_of(std::size_t side, std::size_t keep) {
  Codec codec = demo_top32;
  codec.format.block = side;
  codec.format.group = side * side;
  codec.format.keep = keep;
  return codec;
}

// Tiles of every side; few coefficients, and as many as kernels keep.
std::vector<Codec> every_demo() {
  return {demo_of(16, 16),  demo_of(16, 64), demo_of(32, 16),
          demo_of(32, 128), demo_top32,      demo_of(64, 512)};
}

template <typename Value, typename Round>
void expect_reference_momentum(const Codec& codec, Round round) {
  const Feedback feedback{.gain = 0.01f, .carry = 0.999f};
  std::vector<float> residual = normal_values(kElements, 5);
  const DeviceBuffer<float> on_gpu{std::span<const float>(residual)};
  for (std::uint64_t step = 0; step < 2; ++step) {
    const std::vector<Value> values = round(normal_values(kElements, 50 + step));
    std::vector<std::byte> expected(encoded_bytes(codec.format, kElements));
    encode_with_feedback(codec, feedback, as_floats(values), {}, residual, expected);
    const DeviceBuffer<Value> input{std::span(values)};
    const GuardedBytes wire(expected.size());
    const GuardedBytes scratch(demo_scratch_bytes(codec.format, kElements));
    encode_demo_feedback_async(codec.format, feedback, {input.get(), kElements}, on_gpu.get(),
                               {.wires = wire.get(), .scratch = scratch.get()}, nullptr);
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size())
        << format_name(codec.format);
    EXPECT_EQ(first_difference(on_gpu.to_host(), residual), kElements);
    (void)scratch.to_host();
  }
}

TEST(DemoKernels, UpdateTheMomentumLikeTheReference) {
  for (const Codec& codec : every_demo()) {
    expect_reference_momentum<float>(codec, std::identity{});
    expect_reference_momentum<Bf16>(codec, as_bf16);
  }
}

TEST(DemoKernels, SumAndAverageLikeTheReference) {
  for (const Codec& codec : every_demo()) {
    const Format& format = codec.format;
    std::vector<std::byte> wires;
    for (std::uint64_t rank = 0; rank < 3; ++rank) {
      const auto wire = encoded(codec, normal_values(kElements, rank));
      wires.insert(wires.end(), wire.begin(), wire.end());
    }
    const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
    const GuardedBytes out(kElements * sizeof(float));
    auto* const values = reinterpret_cast<float*>(out.get());
    std::vector<float> expected(kElements);
    decode_reduce_demo(format, wires, 3, expected);
    decode_reduce_demo_async(format, {input.get(), 3}, {values, kElements}, nullptr);
    EXPECT_EQ(first_difference(as_values<float>(out.to_host()), expected), kElements);
    for (const DemoStep step : {DemoStep::average, DemoStep::sign}) {
      const GuardedBytes scratch(demo_average_scratch_bytes(format, kElements, 3));
      average_demo(format, wires, 3, step, expected);
      average_demo_async(
          format, {input.get(), 3},
          {.averages = values, .elements = kElements, .step = step, .scratch = scratch.get()},
          nullptr);
      EXPECT_EQ(first_difference(as_values<float>(out.to_host()), expected), kElements)
          << format_name(format);
      (void)scratch.to_host();
    }
  }
}

}  // namespace
}  // namespace codecs::cuda
