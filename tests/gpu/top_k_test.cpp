// SPDX-License-Identifier: Apache-2.0
// The top-k kernels against their reference: feedback, sums, every chunk, and values that their
// first guess of a threshold does not fit.
#include "codecs/top_k/top_k.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "codecs/feedback/feedback.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

Format top(std::size_t keep, std::size_t chunk, Element element = Element::fp32) {
  return {.element = element, .group = chunk, .keep = keep, .layout = &kSparseLayout};
}

Format enumerated(std::size_t keep, std::size_t chunk, Element element = Element::fp32) {
  Format format = top(keep, chunk, element);
  format.layout = &kEnumeratedLayout;
  return format;
}

Codec codec_of(const Format& format) {
  return {.name = "", .format = format, .encode = encode_top_k, .decode = decode_top_k};
}

template <typename Value>
void expect_wire(const Format& format, const std::vector<Value>& values,
                 const std::vector<std::byte>& expected) {
  const DeviceBuffer<Value> input{std::span(values)};
  const GuardedBytes wire(expected.size());
  const GuardedBytes scratch(top_k_scratch_bytes(format, values.size()));
  encode_top_k_async(format, Tensor<const Value>{input.get(), values.size()},
                     {.wires = wire.get(), .scratch = scratch.get()}, nullptr);
  EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size())
      << format_name(format) << " " << values.size() << " of " << sizeof(Value) << " bytes";
  (void)scratch.to_host();
}

void expect_reference_bytes(const Format& format, const std::vector<float>& values) {
  const auto expected = encoded(codec_of(format), values);
  expect_wire(format, values, expected);

  const DeviceBuffer<std::byte> encoded_input{std::span(expected)};
  const GuardedBytes out(values.size() * sizeof(float));
  decode_top_k_async(format, encoded_input.get(),
                     {reinterpret_cast<float*>(out.get()), values.size()}, nullptr);
  EXPECT_EQ(first_difference(as_values<float>(out.to_host()),
                             decoded(codec_of(format), expected, values.size())),
            values.size())
      << format_name(format) << " " << values.size();
}

TEST(TopKKernels, EqualTheReferenceForEveryChunkAndElement) {
  for (const std::size_t chunk : {256u, 512u, 1024u, 2048u, 4096u, 8192u}) {
    for (const Element element : {Element::fp32, Element::fp16, Element::bf16, Element::codebook2,
                                  Element::sign_magnitude2, Element::sign}) {
      for (const std::size_t keep : {std::size_t{2}, std::size_t{6}, chunk / 64, chunk / 8}) {
        const std::size_t even = (keep + 1) / 2 * 2;
        expect_reference_bytes(top(even, chunk, element), awkward_values(2 * chunk + 333));
      }
    }
  }
}

// Where many values reach the bound: all equal, few distinct, sorted, NaNs, and runs that give a
// few threads all of the large ones.
TEST(TopKKernels, SelectTheLowestOfEqualsAndOfManyCandidates) {
  constexpr std::size_t kElements = 2 * 4096 + 1000;
  std::vector<float> equal(kElements, -2.5f), few = normal_values(kElements), sorted = few,
                                              runs = few, nans = few, sparse(kElements, 0.0f);
  for (std::size_t i = 0; i < kElements; ++i) {
    few[i] = std::round(few[i]);
    if (i % 1024 < 256) runs[i] *= 100;
    if (i % 7 == 3) nans[i] = std::numeric_limits<float>::quiet_NaN();
    if (i % 200 == 17) sparse[i] = -1;
  }
  // Ties at the threshold with many candidates around, and no value but zeros and minus zeros.
  std::vector<float> ties = normal_values(kElements), zeros(kElements, 0.0f);
  for (std::size_t i = 0; i < kElements; ++i) {
    if (i % 40 == 3) ties[i] = i % 80 == 3 ? 6.0f : -6.0f;
    if (i % 3 == 0) zeros[i] = -0.0f;
  }
  std::ranges::sort(sorted);
  // Ties among fewer candidates.
  std::vector<float> few_ties = normal_values(kElements);
  for (std::size_t i = 7; i < kElements; i += 50) few_ties[i] = i % 4 == 0 ? 6.0f : -6.0f;
  for (const auto& values : {equal, few, sorted, runs, nans, sparse, ties, zeros, few_ties}) {
    for (const Format& format :
         {top(64, 4096), top(128, 4096, Element::bf16), top(410, 4096, Element::sign_magnitude2)}) {
      expect_reference_bytes(format, values);
      const std::vector<Bf16> rounded = as_bf16(values);
      expect_wire(format, rounded, encoded(codec_of(format), as_floats(rounded)));
    }
  }
}

// Ranks from 1 bit to the most that kernels take, which begin anywhere in a word.
TEST(EnumeratedKernels, EqualTheReferenceForEveryChunkAndElement) {
  for (const auto& [keep, chunk] : {std::pair{2u, 3u},
                                    {2u, 256u},
                                    {6u, 100u},
                                    {32u, 64u},
                                    {64u, 513u},
                                    {64u, 4096u},
                                    {54u, 8192u}}) {
    for (const std::size_t elements : {1u, 2 * chunk + 1, 7 * chunk - 1, 40 * chunk}) {
      expect_reference_bytes(enumerated(keep, chunk, Element::bf16), awkward_values(elements));
    }
  }
  for (const Element element : {Element::codebook2, Element::sign_magnitude2, Element::sign}) {
    expect_reference_bytes(enumerated(64, 4096, element), awkward_values(3 * 4096 + 333));
  }
  for (const std::size_t chunk : {2u, 30u, 256u, 1000u, 8192u}) {
    expect_reference_bytes(enumerated(chunk, chunk, Element::codebook2),
                           awkward_values(5 * chunk + 1));
  }
}

// The two neighbours, up to `most`, between which the first value's code becomes `code`.
std::pair<float, float> edge_of_code(std::vector<float> values, unsigned code, float most) {
  float below = -most, from = most;
  while (std::nextafter(below, from) != from) {
    values[0] = std::midpoint(below, from);
    const auto wire = encoded(codebook2, values);
    const auto first =
        std::to_integer<unsigned>(wire[sparse_wire(codebook2.format, values.size()).codes]);
    ((first & 3u) >= code ? from : below) = values[0];
  }
  return {below, from};
}

// The kernels compare with what the reference divides.
TEST(EnumeratedKernels, ChangeACodeWhereTheReferenceDoes) {
  for (const float scale : {1.0f, 3e-39f, 1e37f}) {
    std::vector<float> values = normal_values(1500);
    for (float& value : values) value *= scale;
    for (const unsigned code : {1u, 2u, 3u}) {
      const auto [below, from] = edge_of_code(values, code, 20 * scale);
      for (const float edge : {below, from}) {
        values[0] = edge;
        expect_reference_bytes(codebook2.format, values);
      }
    }
  }
}

// The lowest rank is 0, and the highest one less than there are sets. The rank of a run is one less than
// there are sets below the number after it: the nearest that a rank comes to a set with a larger member.
TEST(EnumeratedKernels, RankRuns) {
  constexpr std::size_t kChunks = 64;
  std::vector<float> values(kChunks * 4096, 0.0f);
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    const std::size_t first = chunk * 4096 + chunk * (4096 - 64) / (kChunks - 1);
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), 64, 1.0f);
  }
  expect_reference_bytes(enumerated(64, 4096), values);
}

// Also what no encode writes: ranks beyond the last set's.
TEST(EnumeratedKernels, DecodeWhateverTheBytesHold) {
  constexpr std::size_t kElements = 3 * 4096 + 100;
  for (const Format& format : {sparseloco_enumerated.format, codebook2.format}) {
    std::vector<std::byte> wire = encoded(codec_of(format), normal_values(kElements));
    const SparseWire layout = sparse_wire(format, kElements);
    for (std::size_t i = layout.indices; i < wire.size(); ++i) {
      wire[i] = static_cast<std::byte>(i < layout.indices + 59 ? 255 : 37 * i);
    }
    const DeviceBuffer<std::byte> input{std::span<const std::byte>(wire)};
    const GuardedBytes out(kElements * sizeof(float));
    decode_top_k_async(format, input.get(), {reinterpret_cast<float*>(out.get()), kElements},
                       nullptr);
    EXPECT_EQ(first_difference(as_values<float>(out.to_host()),
                               decoded(codec_of(format), wire, kElements)),
              kElements)
        << format_name(format);
  }
}

TEST(EnumeratedKernels, RefuseRanksThatAreTooLong) {
  for (const Format& format : {enumerated(66, 1024), enumerated(64, 8192)}) {
    EXPECT_THROW(encode_top_k_async(format, Tensor<const float>{nullptr, 1}, {}, nullptr),
                 std::invalid_argument);
    EXPECT_THROW(decode_top_k_async(format, nullptr, {nullptr, 1}, nullptr), std::invalid_argument);
  }
  EXPECT_THROW(
      encode_top_k_async(enumerated(4096, 4096), Tensor<const float>{nullptr, 1}, {}, nullptr),
      std::invalid_argument);
}

void expect_reference_feedback(const Format& format, const Feedback& feedback,
                               std::size_t elements) {
  std::vector<float> residual = awkward_values(elements, 5);
  const DeviceBuffer<float> on_gpu{std::span<const float>(residual)};
  for (std::uint64_t step = 0; step < 3; ++step) {
    const std::vector<float> values = awkward_values(elements, 31 + step);
    std::vector<std::byte> expected(encoded_bytes(format, elements));
    encode_with_feedback(codec_of(format), feedback, values, {}, residual, expected);
    const DeviceBuffer<float> input{std::span(values)};
    const GuardedBytes wire(expected.size()), scratch(top_k_scratch_bytes(format, elements));
    encode_top_k_feedback_async(format, feedback, {input.get(), elements}, on_gpu.get(),
                                {.wires = wire.get(), .scratch = scratch.get()}, nullptr);
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size())
        << format_name(format) << " " << step;
    EXPECT_EQ(first_difference(on_gpu.to_host(), residual), elements)
        << format_name(format) << " " << step;
  }
}

TEST(TopKKernels, UpdateTheResidualLikeTheReference) {
  const Feedback sparseloco_feedback{.gain = 0.5f, .carry = 0.95f};
  const Feedback low_pass{.gain = 1, .carry = 1, .keep = 0.75f, .take = 0.25f};
  const Feedback alternating{.gain = 1, .carry = -1};
  // Large values become infinities in 16 bits.
  for (const Element element : {Element::codebook2, Element::sign_magnitude2, Element::sign,
                                Element::bf16, Element::fp16}) {
    for (const std::size_t elements : {1u, 1000u, 4096u, 20'003u}) {
      expect_reference_feedback(top(64, 4096, element), sparseloco_feedback, elements);
    }
    expect_reference_feedback(top(64, 4096, element), alternating, 8192);
    expect_reference_feedback(top(16, 1024, element), low_pass, 5000);
    expect_reference_feedback(top(128, 8192, element), low_pass, 9000);
  }
}

// 1, 3, 4, 5 and 20 wires: less, as many and more than a block takes at a time; 512 entries a wire:
// more than the block has threads.
TEST(TopKKernels, SumWiresLikeTheReference) {
  for (const Format& format : {sparseloco.format, sparseloco_enumerated.format, codebook2.format,
                               topk64_sign_magnitude.format, top(512, 4096), top(96, 1024)}) {
    for (const std::size_t inputs : {1u, 3u, 4u, 5u, 20u}) {
      constexpr std::size_t kElements = 9001;
      std::vector<std::byte> wires;
      for (std::uint64_t rank = 0; rank < inputs; ++rank) {
        const auto wire = encoded(codec_of(format), awkward_values(kElements, rank));
        wires.insert(wires.end(), wire.begin(), wire.end());
      }
      std::vector<float> expected(kElements);
      decode_reduce_top_k(format, wires, inputs, expected);
      const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
      const GuardedBytes sums(kElements * sizeof(float));
      decode_reduce_top_k_async(format, {input.get(), static_cast<int>(inputs)},
                                {reinterpret_cast<float*>(sums.get()), kElements}, nullptr);
      EXPECT_EQ(first_difference(as_values<float>(sums.to_host()), expected), kElements)
          << format_name(format) << " " << inputs;
    }
  }
}

// So many chunks that their sums are folded first, of the least that a chunk can have.
TEST(TopKKernels, FoldTheSumsOfManyChunks) {
  expect_reference_bytes(top(2, 2, Element::codebook2), normal_values(2 * 8 * 1024 + 3));
  expect_reference_bytes(enumerated(2, 2, Element::codebook2), normal_values(2 * 8 * 1024 + 3));
}

// Wherever it is: 512 are kept, more than a block has threads.
TEST(TopKKernels, ReportAValueThatIsNotFinite) {
  for (const std::size_t at : {0u, 1000u, 4095u}) {
    std::vector<float> values = normal_values(4096);
    for (const unsigned expected : {0u, 1u}) {
      if (expected == 1) values[at] = std::numeric_limits<float>::infinity();
      const DeviceBuffer<float> input{std::span<const float>(values)};
      const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
      const GuardedBytes wire(encoded_bytes(top(512, 4096), 4096));
      encode_top_k_async(top(512, 4096), {input.get(), 4096},
                         {.wires = wire.get(), .nonfinite = flag.get()}, nullptr);
      EXPECT_EQ(flag.to_host().front(), expected) << at;
    }
  }
}

TEST(TopKKernels, RefuseToKeepMoreThanAnEighth) {
  EXPECT_THROW(encode_top_k_async(top(514, 4096), Tensor<const float>{nullptr, 1}, {}, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace codecs::cuda
