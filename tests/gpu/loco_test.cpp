// SPDX-License-Identifier: Apache-2.0
// The LoCo kernel against its reference, byte for byte, wire and residual, over several steps.
#include "codecs/loco/loco.hpp"

#include "codecs/loco/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kLocoKey{
    .seed = 3, .step = 1, .tensor = 4, .rank = 1, .first_element = 1 << 14};

class LocoOnBoth {
 public:
  LocoOnBoth(const Loco& loco, std::size_t elements)
      : loco_(loco),
        residual_(encoded_bytes(residual_format(loco), elements)),
        device_residual_(std::span<const std::byte>(residual_)),
        elements_(elements) {}

  template <typename Value>
  void expect_equal_step(const std::vector<Value>& values, unsigned nonfinite) {
    const DeviceBuffer<Value> input{std::span<const Value>(values)};
    const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
    const GuardedBytes wire(encoded_bytes(loco_.wire, elements_));
    encode_loco_async(loco_, Tensor<const Value>{input.get(), elements_}, device_residual_.get(),
                      {.wires = wire.get(), .key = kLocoKey, .nonfinite = flag.get()}, nullptr);
    std::vector<std::byte> expected(encoded_bytes(loco_.wire, elements_));
    encode_loco(loco_, as_floats(values), kLocoKey, residual_, expected);
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << elements_;
    EXPECT_EQ(first_difference(device_residual_.to_host(), residual_), residual_.size());
    EXPECT_EQ(flag.to_host().front(), nonfinite);
  }

 private:
  Loco loco_;
  std::vector<std::byte> residual_;
  DeviceBuffer<std::byte> device_residual_;
  std::size_t elements_;
};

std::vector<Loco> every_loco() {
  std::vector<Loco> all;
  for (const Element element : {Element::int8, Element::int4}) {
    for (const std::size_t group : {16u, 128u, 512u, 1024u, 2048u}) {
      const Format wire{.element = element, .scale = Scale::amax, .group = group};
      Format full = wire, stochastic = wire;
      full.scale = Scale::amax_full;
      stochastic.rounding = Rounding::stochastic;
      for (const Format& format : {wire, full, stochastic}) all.push_back({.wire = format});
    }
  }
  return all;
}

TEST(LocoKernel, EqualsItsReferenceStepAfterStep) {
  for (const Loco& loco : every_loco()) {
    for (const std::size_t elements : {1u, 127u, 2047u, 2049u, 14'003u}) {
      LocoOnBoth both(loco, elements);
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const std::vector<float> values = awkward_values(elements, seed);
        both.expect_equal_step(values, 0);
      }
    }
  }
}

TEST(LocoKernel, ReadsBfloat16LikeItsFloats) {
  LocoOnBoth both({.wire = {.element = Element::int4, .scale = Scale::amax_full, .group = 2048},
                   .feedback = {.gain = 0.5f, .carry = 0.9f, .keep = 0.5f, .take = 0.5f}},
                  9001);
  for (const std::uint64_t seed : {1u, 2u}) {
    const std::vector<Bf16> values = as_bf16(awkward_values(9001, seed));
    both.expect_equal_step(values, 0);
  }
}

TEST(LocoKernel, FlagsNaNsAndInfinitiesAndKeepsNone) {
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    LocoOnBoth both({.wire = {.element = Element::int4, .scale = Scale::amax, .group = 128}}, 5000);
    const std::vector<float> values = with_value(awkward_values(5000), 130, special);
    both.expect_equal_step(awkward_values(5000, 1), 0);
    both.expect_equal_step(values, 1);
    both.expect_equal_step(awkward_values(5000, 2), 0);
  }
}

TEST(LocoKernel, RefusesFormatsWithoutKernels) {
  const Loco loco{.wire = {.element = Element::int2, .scale = Scale::amax, .group = 128}};
  EXPECT_THROW(encode_loco_async(loco, Tensor<const float>{nullptr, 100}, nullptr, {}, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace codecs::cuda
