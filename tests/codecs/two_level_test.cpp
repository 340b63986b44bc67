// SPDX-License-Identifier: Apache-2.0
#include "codecs/two_level/two_level.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "codecs/error/distributions.hpp"
#include "codecs/error/error.hpp"
#include "codecs/group/group.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

const TwoLevel kHadamard{.gpus_per_node = 4,
                         .nodes = 3,
                         .slices = 2,
                         .intra = int8_g128_hadamard_sr.format,
                         .inter = int4_g128_hadamard_sr.format};

// Two nodes of four GPUs, one slice: partitions 0 1 2 3 4 5 6 7 are sent in the order 0 4 1 5 2 6
// 3 7.
TEST(Swizzle, OrdersPartitionsByGpuThenNode) {
  TwoLevel shape = kHadamard;
  shape.nodes = 2;
  shape.slices = 1;
  shape = two_level(shape, std::size_t{8} * 128);
  const std::vector<std::size_t> order{0, 4, 1, 5, 2, 6, 3, 7};
  for (std::size_t place = 0; place < 8; ++place) {
    EXPECT_EQ(swizzled(shape, order[place]), (WirePlace{place / 2, place % 2}));
  }
}

TEST(Swizzle, IsAPermutation) {
  const TwoLevel shape = two_level(kHadamard, 50'000);
  const std::size_t groups = shape.padded_elements() / 128;
  std::set<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t source = 0; source < groups; ++source) {
    const WirePlace place = swizzled(shape, source);
    EXPECT_LT(place.wire, shape.slices * shape.gpus_per_node);
    EXPECT_LT(place.group, shape.intra_wire_elements() / 128);
    places.emplace(place.wire, place.group);
  }
  EXPECT_EQ(places.size(), groups);
}

// The inverse in closed form: the group at (wire, group) comes from partition node * P + gpu.
TEST(Swizzle, InvertsToThePartition) {
  const TwoLevel shape = two_level(kHadamard, 50'000);
  const std::size_t groups = shape.slice_elements / 128;
  for (std::size_t source = 0; source < shape.padded_elements() / 128; ++source) {
    const WirePlace place = swizzled(shape, source);
    const std::size_t gpu = place.wire % 4, slice = place.wire / 4, node = place.group / groups;
    EXPECT_EQ(((node * 4 + gpu) * 2 + slice) * groups + place.group % groups, source);
  }
}

// A swizzled wire decodes to the slices that it is said to hold, times 1/(P M).
TEST(EncodeSwizzled, PutsEachSliceWhereItIsSaidToBe) {
  TwoLevel shape = kHadamard;
  shape.intra = int8_g128.format;  // nearest: one step bounds the error
  shape.inter = int4_g128.format;
  shape = two_level(shape, 10'000);
  std::vector<float> values = normal_values(10'000);
  const std::size_t bytes = encoded_bytes(shape.intra, shape.intra_wire_elements());
  std::vector<std::byte> wires(8 * bytes);
  encode_swizzled(shape, values, {}, wires);
  values.resize(shape.padded_elements());
  for (std::size_t wire = 0; wire < 8; ++wire) {
    std::vector<float> out(shape.intra_wire_elements());
    decode_groups(shape.intra, std::span(wires).subspan(wire * bytes, bytes), out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t partition = i / shape.slice_elements * 4 + wire % 4;
      const std::size_t source = partition * shape.shard_elements() +
                                 wire / 4 * shape.slice_elements + i % shape.slice_elements;
      ASSERT_NEAR(out[i] * 12, values[source], 5.0 / 127);
    }
  }
}

// Requantising to the same 8 bits must lose no more than half a step of the sum's scale.
TEST(DecodeReduceEncode, EncodesTheSumInTheWiresDomain) {
  const std::size_t elements = std::size_t{4} * 128;
  std::vector<std::byte> wires;
  std::vector<float> expected(elements);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    const auto wire = encoded(int8_g128, normal_values(elements, rank));
    wires.insert(wires.end(), wire.begin(), wire.end());
    const auto out = decoded(int8_g128, wire, elements);
    for (std::size_t i = 0; i < elements; ++i) expected[i] += out[i];
  }
  const std::size_t bytes = encoded_bytes(int8_g128.format, elements / 2);
  std::vector<std::byte> sums(2 * bytes);
  const Requantise shape{.wire = int8_g128.format,
                         .wire_out = int8_g128.format,
                         .inputs = 8,
                         .elements = elements,
                         .wires_out = 2};
  decode_reduce_encode(shape, wires, {}, sums);
  for (std::size_t part = 0; part < 2; ++part) {
    std::vector<float> out(elements / 2);
    decode_groups(int8_g128.format, std::span(sums).subspan(part * bytes, bytes), out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_NEAR(out[i], expected[part * elements / 2 + i], 0.5 * 15 / 127);  // |sum| < 15
    }
  }
}

// With 8 bits and no rounding noise on either hop, the result is the mean: nothing is lost, doubled
// or misplaced, in whatever way the gradient fits the ranks.
TEST(ReduceTwoLevel, IsTheMeanInPlace) {
  for (const std::size_t elements : {1u, 127u, 128u, 12u * 2 * 128, 12u * 2 * 128 + 1, 40'000u}) {
    TwoLevel shape = kHadamard;
    shape.intra = shape.inter = int8_g128.format;
    shape = two_level(shape, elements);
    const GradientDraw wanted{&distribution_named("normal"), 0.5, 3};
    const Gradients gradients = draw_gradients(wanted, shape.ranks(), elements);
    const auto mean = reduce_two_level(shape, gradients.of_rank, {});
    ASSERT_EQ(mean.size(), elements);
    for (std::size_t i = 0; i < elements; ++i) ASSERT_NEAR(mean[i], gradients.mean[i], 0.06);
  }
}

TEST(ReduceTwoLevel, CarriesANaNToTheMean) {
  const TwoLevel shape = two_level(kHadamard, 5000);
  std::vector<std::vector<float>> gradients(12, normal_values(5000));
  gradients[5][4000] = std::numeric_limits<float>::infinity();
  const auto mean = reduce_two_level(shape, gradients, {});
  for (std::size_t i = 0; i < 5000; ++i) EXPECT_EQ(std::isnan(mean[i]), i / 128 == 4000 / 128) << i;
}

TEST(ReduceTwoLevel, IsUnbiasedOverSeeds) {
  const TwoLevel shape = two_level(kHadamard, 2000);
  const Gradients gradients =
      draw_gradients({&distribution_named("normal"), 0.5, 3}, shape.ranks(), 2000);
  std::vector<float> average(2000);
  double single = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const auto mean = reduce_two_level(shape, gradients.of_rank, {.seed = seed});
    if (seed == 0) single = compare(gradients.mean, mean).relative_l2;
    for (std::size_t i = 0; i < 2000; ++i) average[i] += mean[i] / 64;
  }
  // Errors of 64 seeds average to an eighth if none is systematic.
  EXPECT_NEAR(compare(gradients.mean, average).relative_l2, single / 8, single / 40);
}

TEST(TwoLevel, RefusesHopsThatDoNotFit) {
  TwoLevel shape = kHadamard;
  shape.inter = int4_g128_sr.format;  // one hop transformed, the other not
  EXPECT_THROW((void)two_level(shape, 1000), std::invalid_argument);
  shape.inter = int4_g2048_sr.format;
  EXPECT_THROW((void)two_level(shape, 1000), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
