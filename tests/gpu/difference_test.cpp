// SPDX-License-Identifier: Apache-2.0
// Kernels of weight differences against their references, byte for byte.
#include "codecs/difference/difference.hpp"

#include "codecs/difference/kernels.hpp"
#include "codecs/group/group.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kDifferenceKey{.seed = 3, .step = 1, .rank = 2};

// A master near the model, as after one step of the optimizer; far from it in every 7th place.
std::vector<float> moved(const std::vector<Bf16>& model) {
  std::vector<float> master(model.size());
  const std::vector<float> steps = normal_values(model.size(), 99);
  for (std::size_t i = 0; i < master.size(); ++i) {
    const float by = steps[i] * (i % 7 == 0 ? 1 : 0x1p-8f);
    master[i] = to_float(model[i]) * (1 + by);
  }
  return master;
}

class DifferenceKernels : public testing::TestWithParam<const Codec*> {
 protected:
  const Format& format() const { return GetParam()->format; }

  std::vector<std::byte> reference(const std::vector<float>& master,
                                   const std::vector<Bf16>& model) const {
    std::vector<std::byte> wire(encoded_bytes(format(), master.size()));
    encode_difference(format(), master, model, kDifferenceKey, wire);
    return wire;
  }
};

TEST_P(DifferenceKernels, EncodeLikeTheReference) {
  for (const std::size_t elements : edge_lengths(format())) {
    const std::vector<Bf16> model = as_bf16(awkward_values(elements));
    const std::vector<float> master = moved(model);
    const auto expected = reference(master, model);
    const DeviceBuffer<float> new_values{std::span(master)};
    const std::vector<Bf16> rounded = as_bf16(master);
    const DeviceBuffer<Bf16> rounded_values{std::span(rounded)};
    const DeviceBuffer<Bf16> old_values{std::span(model)};
    const GuardedBytes from_float(expected.size()), from_bf16(expected.size());
    encode_difference_async(format(), Tensor<const float>{new_values.get(), elements},
                            old_values.get(), {.wires = from_float.get(), .key = kDifferenceKey},
                            nullptr);
    encode_difference_async(format(), Tensor<const Bf16>{rounded_values.get(), elements},
                            old_values.get(), {.wires = from_bf16.get(), .key = kDifferenceKey},
                            nullptr);
    EXPECT_EQ(first_difference(from_float.to_host(), expected), expected.size()) << elements;
    EXPECT_EQ(first_difference(from_bf16.to_host(), expected), expected.size()) << elements;
  }
}

TEST_P(DifferenceKernels, AddLikeTheReference) {
  for (const std::size_t elements : edge_lengths(format())) {
    std::vector<Bf16> model = as_bf16(awkward_values(elements));
    const auto wire = reference(moved(model), model);
    const DeviceBuffer<std::byte> input{std::span(wire)};
    const GuardedBytes updated(elements * sizeof(Bf16));
    upload(std::span<const Bf16>(model), reinterpret_cast<Bf16*>(updated.get()));
    decode_add_async(format(), input.get(), {reinterpret_cast<Bf16*>(updated.get()), elements},
                     nullptr);
    decode_add(format(), wire, model);
    EXPECT_EQ(first_difference(as_values<Bf16>(updated.to_host()), model), elements) << elements;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, DifferenceKernels,
                         testing::Values(&int4_g2048_sr, &int4_g2048, &int4_g128_sr, &int2_g32_sr,
                                         &int8_g128_hadamard_sr),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace codecs::cuda
