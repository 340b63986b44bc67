// SPDX-License-Identifier: Apache-2.0
// Every row of the CPU registry against its reference, byte for byte: for every instruction set that
// this processor has, in one thread and in several.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <string>

#include "tests/codecs/awkward.hpp"
#include "tests/cpu/runs.hpp"

namespace codecs::cpu {
namespace {

constexpr RandomKey kKey{.seed = 0x123456789ABCDEFu, .step = 5, .tensor = 6, .rank = 7};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The kernels of one codec, whether or not it is a row of the registry.
struct Kernel {
  CpuCodec row;
  Codec codec;

  void expect_reference_bytes(const std::vector<float>& values, const RandomKey& key = kKey) const {
    const auto expected = encoded(codec, values, key);
    const auto out = decoded(codec, expected, values.size());
    for_every_run([&](const Run& run) {
      Guarded<float> input(values);
      Guarded<std::byte> wire(expected.size());
      row.encode(codec.format, input.span(), key, wire.span(), run);
      EXPECT_EQ(first_difference(wire.values(), expected), expected.size()) << values.size();
      Guarded<float> back(values.size());
      row.decode(codec.format, wire.span(), back.span(), run);
      EXPECT_EQ(first_difference(back.values(), out), values.size()) << values.size();
    });
  }

  // -0 is among the values.
  void expect_reference_added(const std::vector<float>& values) const {
    const auto wire = encoded(codec, values, kKey);
    std::vector<float> expected = awkward_values(values.size(), 7);
    const auto terms = decoded(codec, wire, values.size());
    std::ranges::transform(expected, terms, expected.begin(), std::plus{});
    for_every_run([&](const Run& run) {
      Guarded<float> sums(awkward_values(values.size(), 7));
      row.decode_add(codec.format, wire, sums.span(), run);
      EXPECT_EQ(first_difference(sums.values(), expected), values.size()) << values.size();
    });
  }

  void expect_reference_feedback(const Feedback& rule, const std::vector<float>& values,
                                 const std::vector<float>& residual) const {
    std::vector<std::byte> expected(encoded_bytes(codec.format, values.size()));
    std::vector<float> after = residual;
    encode_with_feedback(codec, rule, values, kKey, after, expected);
    for_every_run([&](const Run& run) {
      Guarded<float> kept(residual);
      Guarded<std::byte> wire(expected.size());
      row.encode_feedback(codec.format, rule, values, kKey, kept.span(), wire.span(), run);
      EXPECT_EQ(first_difference(wire.values(), expected), expected.size()) << values.size();
      EXPECT_EQ(first_difference(kept.values(), after), values.size()) << values.size();
    });
  }

  void expect_reference_sum(std::size_t elements, std::uint32_t inputs) const {
    std::vector<std::byte> wires;
    for (std::uint32_t rank = 0; rank < inputs; ++rank) {
      const auto wire = encoded(codec, awkward_values(elements, rank), {.rank = rank});
      wires.insert(wires.end(), wire.begin(), wire.end());
    }
    std::vector<float> expected(elements);
    reference_sum(codec)(codec.format, wires, inputs, expected);
    for_every_run([&](const Run& run) {
      Guarded<float> sums(elements);
      row.decode_reduce(codec.format, wires, inputs, sums.span(), run);
      EXPECT_EQ(first_difference(sums.values(), expected), elements) << inputs;
    });
  }
};

class EveryCpuCodec : public testing::TestWithParam<CpuCodec> {
 protected:
  const Kernel kernel{.row = GetParam(), .codec = *GetParam().codec};
};

TEST_P(EveryCpuCodec, EqualsItsReferenceAtEveryLength) {
  for (const std::size_t elements : edge_lengths(kernel.codec.format)) {
    kernel.expect_reference_bytes(awkward_values(elements));
  }
}

TEST_P(EveryCpuCodec, EqualsItsReferenceOnNaNsAndInfinities) {
  for (const float special : {kNaN, -kNaN, kInfinity, -kInfinity}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{4097}, std::size_t{9999}}) {
      kernel.expect_reference_bytes(with_value(awkward_values(10'000), at, special));
    }
  }
}

TEST_P(EveryCpuCodec, AddsWhatTheReferenceDecodes) {
  for (const std::size_t elements : {0u, 1u, 127u, 4133u}) {
    kernel.expect_reference_added(awkward_values(elements));
  }
}

TEST_P(EveryCpuCodec, DrawsTheBitsOfThePieceInItsTensor) {
  RandomKey key = kKey;
  // The block's index has a high word, and reaches the next one.
  for (const std::uint64_t first :
       {(std::uint64_t{1} << 37) + 4096, (std::uint64_t{3} << 36) - 48}) {
    key.first_element = first;
    kernel.expect_reference_bytes(awkward_values(5000), key);
  }
}

TEST_P(EveryCpuCodec, KeepsTheReferencesResidualAtEveryLength) {
  for (const std::size_t elements : {0u, 1u, 127u, 513u, 2049u, 30'011u}) {
    kernel.expect_reference_feedback({}, awkward_values(elements), awkward_values(elements, 4));
  }
}

TEST_P(EveryCpuCodec, KeepsTheReferencesResidualByEveryRule) {
  for (const Feedback& rule :
       {Feedback{.gain = 0.25f, .carry = 0.95f}, Feedback{.keep = 0.8f, .take = 0.2f},
        Feedback{.carry = 0.5f, .keep = 0.5f, .take = 0.5f}}) {
    kernel.expect_reference_feedback(rule, awkward_values(9001), awkward_values(9001, 4));
  }
}

TEST_P(EveryCpuCodec, KeepsTheReferencesResidualOnNaNsAndInfinities) {
  for (const float special : {kNaN, kInfinity, -kInfinity}) {
    kernel.expect_reference_feedback({}, with_value(awkward_values(9001), 777, special),
                                     awkward_values(9001, 4));
    kernel.expect_reference_feedback({}, awkward_values(9001),
                                     with_value(awkward_values(9001, 4), 8192, special));
  }
}

class EveryCpuSum : public EveryCpuCodec {};

TEST_P(EveryCpuSum, EqualsTheReference) {
  for (const std::uint32_t inputs : {1u, 3u, 5u}) {
    for (const std::size_t elements : {0u, 1u, 127u, 4133u}) {
      kernel.expect_reference_sum(elements, inputs);
    }
  }
}

TEST_P(EveryCpuCodec, RefusesWiresOfAnotherLength) {
  std::vector<float> values(100);
  std::vector<std::byte> wire(encoded_bytes(kernel.codec.format, 100) + 1);
  EXPECT_THROW(kernel.row.encode(kernel.codec.format, values, kKey, wire, {}),
               std::invalid_argument);
  EXPECT_THROW(kernel.row.decode(kernel.codec.format, wire, values, {}), std::invalid_argument);
  EXPECT_THROW(kernel.row.decode_add(kernel.codec.format, wire, values, {}), std::invalid_argument);
  EXPECT_THROW(kernel.row.encode_feedback(kernel.codec.format, {}, values, kKey, values, wire, {}),
               std::invalid_argument);
}

std::string name_of(const testing::TestParamInfo<CpuCodec>& row) {
  return std::string(row.param.codec->name);
}

std::vector<CpuCodec> codecs_with_sums() {
  std::vector<CpuCodec> rows(all_cpu_codecs().begin(), all_cpu_codecs().end());
  std::erase_if(rows, [](const CpuCodec& row) { return row.decode_reduce == nullptr; });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCpuCodec,
                         testing::ValuesIn(all_cpu_codecs().begin(), all_cpu_codecs().end()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Registry, EveryCpuSum, testing::ValuesIn(codecs_with_sums()), name_of);

// Groups that are no power of two, end within 16 elements, are longer than a segment, or the tensor.
TEST(CpuGroups, EqualTheReferenceForEveryGroup) {
  for (const Codec* like :
       {&int8_g128, &int8_g128_sr, &int4_g128_sr, &int4_full_g128, &int8_minmax_g1024_sr,
        &int4_minmax_g512, &fp8_e4m3_g128, &int4_g128_hadamard_sr}) {
    const bool rotated = like->format.rotation != Rotation::none;
    for (const std::size_t group :
         {std::size_t{8}, std::size_t{24}, std::size_t{160}, std::size_t{3072}, kWholeTensor}) {
      if (rotated && group < 32) continue;
      Kernel kernel{.row = row_of(*like), .codec = *like};
      kernel.codec.format.group = group;
      SCOPED_TRACE(format_name(kernel.codec.format));
      for (const std::size_t elements : {1u, 31u, 2055u, 7001u}) {
        if (group == 24 && elements % 2 != 0 && like->format.rotation != Rotation::none) continue;
        kernel.expect_reference_bytes(awkward_values(elements));
        kernel.expect_reference_feedback({.carry = 0.9f}, awkward_values(elements),
                                         awkward_values(elements, 4));
        kernel.expect_reference_sum(elements, 2);
        kernel.expect_reference_added(awkward_values(elements));
      }
    }
  }
}

// SDP4Bit's second hop and others: sums in the wire's domain, into one wire or several.
TEST(CpuGroups, RequantiseSumsLikeTheReference) {
  const auto pair = [](const Codec& from, const Codec& to) {
    return std::pair{from.format, to.format};
  };
  for (const auto& [from, to] :
       {pair(int8_g128_hadamard_sr, int4_g128_hadamard_sr), pair(int8_g128_sr, int4_g128),
        pair(fp8_e4m3_g128, int8_g128_sr), pair(int8_g2048, int4_g2048_sr)}) {
    for (const std::size_t wires_out : {1u, 3u}) {
      const std::size_t elements = wires_out == 1 ? 4133 : wires_out * 2 * from.group;
      const Requantise shape{
          .wire = from, .wire_out = to, .inputs = 3, .elements = elements, .wires_out = wires_out};
      std::vector<std::byte> wires;
      for (std::uint32_t rank = 0; rank < shape.inputs; ++rank) {
        const auto wire =
            encoded(codec_named(format_name(from)), awkward_values(elements, rank), {.rank = rank});
        wires.insert(wires.end(), wire.begin(), wire.end());
      }
      std::vector<std::byte> expected(wires_out * encoded_bytes(to, elements / wires_out));
      codecs::decode_reduce_encode(shape, wires, kKey, expected);
      for_every_run([&](const cpu::Run& run) {
        Guarded<std::byte> out(expected.size());
        cpu::decode_reduce_encode(shape, wires, kKey, out.span(), run);
        EXPECT_EQ(first_difference(out.values(), expected), expected.size())
            << format_name(shape.wire_out);
      });
    }
  }
}

TEST(CpuSigns, EqualTheReferenceForEveryGroupAndMean) {
  for (const std::size_t group :
       {std::size_t{128}, std::size_t{512}, std::size_t{8192}, kWholeTensor}) {
    for (const Scale scale : {Scale::mean_magnitude, Scale::root_mean_square}) {
      Kernel kernel{.row = row_of(sign_g2048), .codec = sign_g2048};
      kernel.codec.format.group = group;
      kernel.codec.format.scale = scale;
      for (const std::size_t elements : {1u, 127u, 513u, 2049u, 50'003u}) {
        // The squares of values of 2^100 would hide every other.
        std::vector<float> values = awkward_values(elements);
        for (float& value : values) value = std::abs(value) > 0x1p60f ? -1.5f : value;
        kernel.expect_reference_bytes(values);
        kernel.expect_reference_feedback({}, values, awkward_values(elements, 4));
        kernel.expect_reference_added(values);
      }
    }
  }
}

Kernel top(std::size_t keep, std::size_t chunk, Element element = Element::codebook2) {
  Kernel kernel{.row = row_of(sparseloco), .codec = sparseloco};
  kernel.codec.format.element = element;
  kernel.codec.format.group = chunk;
  kernel.codec.format.keep = keep;
  return kernel;
}

TEST(CpuTopK, EqualsTheReferenceForEveryChunkAndElement) {
  for (const std::size_t chunk : {2u, 6u, 250u, 1024u, 8192u}) {
    for (const Element element :
         {Element::fp32, Element::codebook2, Element::sign_magnitude2, Element::sign}) {
      for (const std::size_t keep : {std::size_t{2}, chunk / 64 * 2, chunk / 2 / 2 * 2}) {
        if (keep == 0) continue;
        const Kernel kernel = top(keep, chunk, element);
        SCOPED_TRACE(format_name(kernel.codec.format));
        kernel.expect_reference_bytes(awkward_values(2 * chunk + 333));
        kernel.expect_reference_feedback({.gain = 0.5f, .carry = 0.95f},
                                         awkward_values(2 * chunk + 333),
                                         awkward_values(2 * chunk + 333, 5));
        kernel.expect_reference_sum(2 * chunk + 333, 4);
      }
    }
  }
}

// Where many values reach the bound: all equal, few distinct, sorted, NaNs, runs, ties, zeros.
TEST(CpuTopK, SelectsTheLowestOfEqualsAndOfManyCandidates) {
  constexpr std::size_t kElements = 2 * 4096 + 1000;
  std::vector<float> equal(kElements, -2.5f), few = normal_values(kElements), sorted = few,
                                              runs = few, nans = few, ties = few,
                                              zeros(kElements, 0.0f);
  for (std::size_t i = 0; i < kElements; ++i) {
    few[i] = std::round(few[i]);
    if (i % 1024 < 256) runs[i] *= 100;
    if (i % 7 == 3) nans[i] = kNaN;
    if (i % 40 == 3) ties[i] = i % 80 == 3 ? 6.0f : -6.0f;
    if (i % 3 == 0) zeros[i] = -0.0f;
  }
  std::ranges::sort(sorted);
  for (const auto& values : {equal, few, sorted, runs, nans, ties, zeros}) {
    top(64, 4096).expect_reference_bytes(values);
    top(410, 4096, Element::sign_magnitude2).expect_reference_bytes(values);
  }
}

TEST(CpuAggregate, EqualsTheReference) {
  for (const Codec* codec : {&sparseloco, &topk64_sign_magnitude}) {
    for (const std::size_t peers : {1u, 2u, 9u}) {
      constexpr std::size_t kElements = 20'001;
      std::vector<std::byte> wires;
      for (std::uint64_t rank = 0; rank < peers; ++rank) {
        std::vector<float> values = normal_values(kElements, rank);
        for (float& value : values) value *= 1.0f + static_cast<float>(rank);
        // The third peer's values are not finite.
        const auto wire = encoded(*codec, rank == 2 ? with_value(values, 5, kNaN) : values);
        wires.insert(wires.end(), wire.begin(), wire.end());
      }
      for (const Aggregation& rule : {Aggregation{}, Aggregation{Average::peers, false}}) {
        std::vector<float> expected(kElements);
        codecs::aggregate(codec->format, rule, wires, peers, expected);
        for_every_run([&](const cpu::Run& run) {
          Guarded<float> averages(kElements);
          cpu::aggregate(codec->format, rule, wires, peers, averages.span(), run);
          EXPECT_EQ(first_difference(averages.values(), expected), kElements) << peers;
        });
      }
    }
  }
}

TEST(CpuTargets, HaveNamesOfTheirOwnAndEndWithWhatEveryProcessorHas) {
  std::set<std::string_view> names;
  for (const Target& target : targets()) EXPECT_TRUE(names.insert(target.name).second);
  EXPECT_FALSE(names.empty());
}

TEST(CpuRegistry, HasEveryCodecOnce) {
  std::set<const Codec*> seen;
  for (const CpuCodec& row : all_cpu_codecs()) {
    EXPECT_TRUE(seen.insert(row.codec).second) << row.codec->name;
  }
}

}  // namespace
}  // namespace codecs::cpu
