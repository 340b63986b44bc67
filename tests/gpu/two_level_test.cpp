// SPDX-License-Identifier: Apache-2.0
// Kernels of the two-level reduction against their references, byte for byte.
#include "codecs/two_level/two_level.hpp"

#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/hadamard/kernels.hpp"
#include "codecs/two_level/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kTwoLevelKey{.seed = 11, .step = 4, .rank = 9};

struct Hops {
  const char* name;
  const Codec* intra;
  const Codec* inter;
};

class TwoLevelKernels : public testing::TestWithParam<Hops> {
 protected:
  TwoLevel shape(std::size_t elements) const {
    return two_level({.gpus_per_node = 4,
                      .nodes = 3,
                      .slices = 2,
                      .intra = GetParam().intra->format,
                      .inter = GetParam().inter->format},
                     elements);
  }
};

TEST_P(TwoLevelKernels, EncodeSwizzledLikeTheReference) {
  const std::size_t group = GetParam().intra->format.group;
  for (const std::size_t elements : {std::size_t{1}, group * 24, group * 24 + 1, 70'001ul}) {
    const TwoLevel wanted = shape(elements);
    const std::vector<float> values = awkward_values(elements);
    std::vector<std::byte> expected(wanted.slices * wanted.gpus_per_node *
                                    encoded_bytes(wanted.intra, wanted.intra_wire_elements()));
    encode_swizzled(wanted, values, kTwoLevelKey, expected);
    const DeviceBuffer<float> input{std::span(values)};
    const GuardedBytes wires(expected.size());
    encode_swizzled_async(wanted, {input.get(), elements},
                          {.wires = wires.get(), .key = kTwoLevelKey}, nullptr);
    EXPECT_EQ(first_difference(wires.to_host(), expected), expected.size()) << elements;
  }
}

// A reduction between the hops, cut into one wire for each node, and uncut with a tail.
TEST_P(TwoLevelKernels, DecodeReduceEncodeLikeTheReference) {
  const Codec& in = *GetParam().intra;
  const std::size_t group = in.format.group;
  struct Case {
    std::size_t inputs, elements, wires_out;
  };
  for (const Case& c : {Case{4, 6 * group, 3}, Case{8, 10 * group, 10}, Case{3, 4 * group + 77, 1},
                        Case{1, 5, 1}, Case{5, 0, 1}}) {
    std::vector<std::byte> wires;
    for (std::uint32_t rank = 0; rank < c.inputs; ++rank) {
      const auto wire = encoded(in, awkward_values(c.elements, rank), {.rank = rank});
      wires.insert(wires.end(), wire.begin(), wire.end());
    }
    const Requantise wanted{.wire = in.format,
                            .wire_out = GetParam().inter->format,
                            .inputs = c.inputs,
                            .elements = c.elements,
                            .wires_out = c.wires_out};
    std::vector<std::byte> expected(c.wires_out *
                                    encoded_bytes(wanted.wire_out, c.elements / c.wires_out));
    decode_reduce_encode(wanted, wires, kTwoLevelKey, expected);
    const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
    const GuardedBytes out(expected.size());
    decode_reduce_encode_async(wanted, input.get(), {.wires = out.get(), .key = kTwoLevelKey},
                               nullptr);
    EXPECT_EQ(first_difference(out.to_host(), expected), expected.size()) << c.elements;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Reductions, TwoLevelKernels,
    testing::Values(Hops{"TLqHS", &int8_g128_hadamard_sr, &int4_g128_hadamard_sr},
                    Hops{"TLq", &int8_g128_sr, &int4_g128_sr},
                    Hops{"ULq", &int4_g128_sr, &int4_g128_sr},
                    Hops{"Int8Twice", &int8_g128, &int8_g128},
                    Hops{"LargeGroups", &int4_g2048_sr, &int4_g2048_sr},
                    Hops{"SmallGroups", &int4_g32_sr, &int4_g32_sr},
                    Hops{"Int8Wide", &int8_g512, &int8_g512},
                    Hops{"ZeroPlusPlus", &int4_full_g128, &int4_full_g128},
                    Hops{"ZeroPlusPlusLarge", &int4_full_g2048, &int4_full_g2048}),
    [](const auto& row) { return row.param.name; });

class EveryRequantisation : public testing::TestWithParam<const Codec*> {};

// What a ring or a tree does at each of its ranks: sums wires, and sends the sum in the same
// format.
TEST_P(EveryRequantisation, GivesTheReferencesBytes) {
  const Format& format = GetParam()->format;
  for (const std::size_t inputs : {2u, 5u}) {
    for (const std::size_t elements : {1u, 4133u}) {
      std::vector<std::byte> wires;
      for (std::uint32_t rank = 0; rank < inputs; ++rank) {
        const auto wire = encoded(*GetParam(), awkward_values(elements, rank), {.rank = rank});
        wires.insert(wires.end(), wire.begin(), wire.end());
      }
      const Requantise wanted{
          .wire = format, .wire_out = format, .inputs = inputs, .elements = elements};
      std::vector<std::byte> expected(encoded_bytes(format, elements));
      decode_reduce_encode(wanted, wires, kTwoLevelKey, expected);
      const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
      const GuardedBytes out(expected.size()), scratch(scratch_bytes(format, elements));
      decode_reduce_encode_async(
          wanted, input.get(), {.wires = out.get(), .key = kTwoLevelKey, .scratch = scratch.get()},
          nullptr);
      EXPECT_EQ(first_difference(out.to_host(), expected), expected.size()) << elements;
    }
  }
}

std::vector<const Codec*> plain_group_codecs() {
  std::vector<const Codec*> rows;
  std::ranges::copy_if(all_codecs(), std::back_inserter(rows),
                       [](const Codec* codec) { return codec->decode == decode_groups; });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryRequantisation, testing::ValuesIn(plain_group_codecs()),
                         [](const auto& row) { return std::string(row.param->name); });

// The transform as a kernel of its own, then the plain encode: the same bytes as fused.
TEST(FusedTransform, GivesTheBytesOfTheUnfused) {
  constexpr std::size_t kElements = 100'000;
  const std::vector<float> values = awkward_values(kElements);
  const DeviceBuffer<float> input{std::span(values)};
  const GuardedBytes fused(encoded_bytes(int8_g128_hadamard_sr.format, kElements));
  const GuardedBytes unfused(encoded_bytes(int8_g128_sr.format, kElements));
  encode_async(int8_g128_hadamard_sr.format, Tensor<const float>{input.get(), kElements},
               {.wires = fused.get(), .key = kTwoLevelKey}, nullptr);
  check(cudaDeviceSynchronize());
  hadamard_async({input.get(), kElements}, nullptr);
  encode_async(int8_g128_sr.format, Tensor<const float>{input.get(), kElements},
               {.wires = unfused.get(), .key = kTwoLevelKey}, nullptr);
  EXPECT_EQ(fused.to_host(), unfused.to_host());
}

}  // namespace
}  // namespace codecs::cuda
