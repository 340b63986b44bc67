// SPDX-License-Identifier: Apache-2.0
// Deep gradient compression against its reference: wires and state over steps, and means.
#include "codecs/dgc/dgc.hpp"

#include "codecs/dgc/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

template <typename Value>
void expect_reference_steps(const Dgc& dgc, const std::vector<std::vector<Value>>& gradients) {
  const std::size_t elements = gradients.front().size();
  std::vector<float> momentum(elements, 0.0f), gathered(elements, 0.0f);
  const DeviceBuffer<float> u{std::span<const float>(momentum)},
      v{std::span<const float>(gathered)};
  const DgcWire layout = dgc_wire(dgc, elements);
  for (const std::vector<Value>& gradient : gradients) {
    std::vector<std::byte> expected(layout.bytes);
    encode_dgc(dgc, as_floats(gradient), {momentum, gathered}, expected);
    const DeviceBuffer<Value> input{std::span(gradient)};
    const GuardedBytes wire(layout.bytes), scratch(dgc_scratch_bytes(elements));
    const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
    encode_dgc_async(dgc, {input.get(), u.get(), v.get(), elements},
                     {.wires = wire.get(), .nonfinite = flag.get(), .scratch = scratch.get()},
                     nullptr);
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << elements;
    EXPECT_EQ(first_difference(u.to_host(), momentum), elements) << elements;
    EXPECT_EQ(first_difference(v.to_host(), gathered), elements) << elements;
    const std::vector<float> floats = as_floats(gradient);
    const bool finite = std::ranges::all_of(floats, [](float x) { return std::isfinite(x); });
    EXPECT_EQ(flag.to_host().front(), finite ? 0u : 1u);
    (void)scratch.to_host();
  }
}

TEST(DgcKernels, EqualTheReferenceOverSteps) {
  for (const std::size_t elements : {1u, 99u, 4096u, 20'003u}) {
    expect_reference_steps<float>(
        {.density = 0.01},
        {awkward_values(elements, 1), awkward_values(elements, 2), awkward_values(elements, 3)});
    expect_reference_steps<float>(
        {.density = 0.05, .momentum = 0.5f, .stride = 7, .rounds = 3, .most = 1.5, .least = 0.5},
        {normal_values(elements, 1), normal_values(elements, 2)});
  }
}

TEST(DgcKernels, ReadBfloat16LikeItsFloats) {
  expect_reference_steps<Bf16>(
      {.density = 0.01}, {as_bf16(awkward_values(20'003, 1)), as_bf16(awkward_values(20'003, 2))});
}

TEST(DgcKernels, EqualTheReferenceOnTiesAndNaNs) {
  expect_reference_steps<float>({}, {std::vector<float>(10'000, 1.0f)});
  expect_reference_steps<float>({}, {std::vector<float>(10'000, 0.0f)});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  expect_reference_steps<float>(
      {}, {normal_values(9000, 1), with_value(normal_values(9000, 2), 4444, nan),
           with_value(normal_values(9000, 3), 4445, -infinity), normal_values(9000, 4)});
  expect_reference_steps<float>({}, {std::vector<float>(5000, nan), normal_values(5000)});
}

TEST(DgcKernels, MeanWiresLikeTheReference) {
  const Dgc dgc{.density = 0.02};
  constexpr std::size_t kElements = 9001;
  std::vector<std::byte> wires;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    std::vector<float> momentum(kElements, 0.0f), gathered(kElements, 0.0f);
    std::vector<std::byte> wire(dgc_wire(dgc, kElements).bytes);
    encode_dgc(dgc, normal_values(kElements, rank), {momentum, gathered}, wire);
    wires.insert(wires.end(), wire.begin(), wire.end());
  }
  std::vector<float> expected(kElements);
  decode_mean_dgc(dgc, wires, 3, expected);
  const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
  const GuardedBytes means(kElements * sizeof(float));
  decode_mean_dgc_async(dgc, {input.get(), 3}, {reinterpret_cast<float*>(means.get()), kElements},
                        nullptr);
  EXPECT_EQ(first_difference(as_values<float>(means.to_host()), expected), kElements);
}

}  // namespace
}  // namespace codecs::cuda
