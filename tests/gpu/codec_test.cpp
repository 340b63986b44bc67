// SPDX-License-Identifier: Apache-2.0
// Every row of the CUDA registry against its reference, byte for byte.
#include <set>
#include <string>
#include <utility>

#include "codecs/cuda/registry.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/hadamard/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kKey{.seed = 0x123456789ABCDEFu, .step = 5, .tensor = 6, .rank = 7};

class EveryCudaCodec : public testing::TestWithParam<CudaCodec> {
 protected:
  const Codec& codec() const { return *GetParam().codec; }
  const Format& format() const { return codec().format; }

  std::size_t scratch_bytes(std::size_t elements) const {
    return GetParam().scratch_bytes == nullptr ? 0 : GetParam().scratch_bytes(format(), elements);
  }

  // What the GPU encodes, and whether it found a NaN or an infinity.
  template <typename Value, typename Encode>
  std::vector<std::byte> encode_on_gpu(Encode encode, const std::vector<Value>& values,
                                       const RandomKey& key, unsigned& nonfinite) const {
    const DeviceBuffer<Value> input{std::span(values)};
    const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
    const GuardedBytes wire(encoded_bytes(format(), values.size()));
    const GuardedBytes scratch(scratch_bytes(values.size()));
    const Stream stream;
    encode(format(), {input.get(), values.size()},
           {.wires = wire.get(), .key = key, .nonfinite = flag.get(), .scratch = scratch.get()},
           stream.get());
    stream.wait();
    nonfinite = flag.to_host().front();
    (void)scratch.to_host();
    return wire.to_host();
  }

  std::vector<float> decode_on_gpu(const std::vector<std::byte>& wire, std::size_t elements) const {
    const DeviceBuffer<std::byte> input{std::span(wire)};
    const GuardedBytes values(elements * sizeof(float));
    const Stream stream;
    GetParam().decode_async(format(), input.get(),
                            {reinterpret_cast<float*>(values.get()), elements}, stream.get());
    stream.wait();
    return as_values<float>(values.to_host());
  }

  static bool all_finite(const std::vector<float>& values) {
    return std::ranges::all_of(values, [](float x) { return std::isfinite(x); });
  }
  // The mean of a group, or of the tensor, where finite values sum beyond float32.
  bool overflows(const std::vector<float>& decoded) const {
    return format().element == Element::sign && !all_finite(decoded);
  }

  void expect_reference_bytes(const std::vector<float>& values, const RandomKey& key,
                              bool finite) const {
    const auto expected = encoded(codec(), values, key);
    unsigned nonfinite = 0;
    const auto wire = encode_on_gpu(GetParam().encode_async, values, key, nonfinite);
    EXPECT_EQ(first_difference(wire, expected), expected.size()) << values.size();
    const bool flags =
        format().keep > 0 ||
        format().element != Element::fp32;  // plain float32 is a copy that looks at nothing
    const auto out = decode_on_gpu(expected, values.size());
    const auto reference = decoded(codec(), expected, values.size());
    // Values that are not drawn are not looked at.
    const bool seen = format().choice == Choice::random ? !all_finite(reference)
                                                        : !finite || overflows(reference);
    EXPECT_EQ(nonfinite, flags && seen ? 1u : 0u) << values.size();
    EXPECT_EQ(first_difference(out, reference), values.size()) << values.size();
  }
};

TEST_P(EveryCudaCodec, EqualsItsReferenceAtEveryLength) {
  for (const std::size_t elements : edge_lengths(format())) {
    expect_reference_bytes(awkward_values(elements), kKey, true);
  }
}

TEST_P(EveryCudaCodec, ReadsBfloat16LikeItsFloats) {
  for (const std::size_t elements : edge_lengths(format())) {
    const std::vector<Bf16> values = as_bf16(awkward_values(elements));
    const auto expected = encoded(codec(), as_floats(values), kKey);
    unsigned nonfinite = 0;
    const auto wire = encode_on_gpu(GetParam().encode_bf16_async, values, kKey, nonfinite);
    EXPECT_EQ(first_difference(wire, expected), expected.size()) << elements;
    EXPECT_EQ(nonfinite, overflows(decoded(codec(), expected, elements)) ? 1u : 0u) << elements;
  }
}

TEST_P(EveryCudaCodec, EqualsItsReferenceOnNaNsAndInfinities) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  // Each of them in two places of the first, an inner and the last group.
  for (const auto& [special, places] : {std::pair{nan, std::pair{0, 9999}},
                                        {-nan, {4097, 9999}},
                                        {infinity, {0, 4097}},
                                        {-infinity, {4097, 9999}}}) {
    for (const int at : {places.first, places.second}) {
      expect_reference_bytes(
          with_value(awkward_values(10'000), static_cast<std::size_t>(at), special), kKey, false);
    }
  }
}

// Kernels that move 32 bytes at once promise to take what is aligned to 16.
TEST_P(EveryCudaCodec, TakesValuesThatAreAlignedTo16Bytes) {
  constexpr std::size_t kElements = 9000;
  const auto beside = [](const auto& memory) {  // a sector's second half
    static_assert(sizeof(memory.get()[0]) <= 16);
    return memory.get() + 16 / sizeof(memory.get()[0]);
  };
  const std::vector<float> values = awkward_values(kElements);
  const auto expected = encoded(codec(), values, kKey);
  std::vector<float> moved(values);
  moved.insert(moved.begin(), 16 / sizeof(float), 1e30f);
  const DeviceBuffer<float> input{std::span<const float>(moved)};
  const GuardedBytes wire(expected.size());
  const GuardedBytes scratch(scratch_bytes(kElements));
  const Stream stream;
  GetParam().encode_async(format(), {beside(input), kElements},
                          {.wires = wire.get(), .key = kKey, .scratch = scratch.get()},
                          stream.get());
  stream.wait();
  EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size());

  const DeviceBuffer<std::byte> sent{std::span(expected)};
  const DeviceBuffer<float> out{std::vector<float>(kElements + 16 / sizeof(float))};
  GetParam().decode_async(format(), sent.get(), {beside(out), kElements}, stream.get());
  stream.wait();
  std::vector<float> all = out.to_host();
  all.erase(all.begin(), all.begin() + 16 / sizeof(float));
  EXPECT_EQ(first_difference(all, decoded(codec(), expected, kElements)), kElements);
}

TEST_P(EveryCudaCodec, DrawsTheBitsOfThePieceInItsTensor) {
  RandomKey key = kKey;
  key.first_element = (std::uint64_t{1} << 37) + 4096;  // the block's index has a high word
  expect_reference_bytes(awkward_values(5000), key, true);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCudaCodec,
                         testing::ValuesIn(all_cuda_codecs().begin(), all_cuda_codecs().end()),
                         [](const auto& row) { return std::string(row.param.codec->name); });

// A layout has kernels for all of its codecs, or none.
TEST(CudaRegistry, HasEveryCodecOfItsLayoutsOnce) {
  std::set<const Codec*> seen;
  std::set<const Layout*> layouts;
  for (const CudaCodec& row : all_cuda_codecs()) {
    EXPECT_TRUE(seen.insert(row.codec).second);
    layouts.insert(row.codec->format.layout);
  }
  for (const Codec* codec : all_codecs()) {
    EXPECT_EQ(seen.contains(codec), layouts.contains(codec->format.layout)) << codec->name;
  }
}

// Rows whose reference is that of codecs/group: what else their kernels do.
class EveryGroupCodec : public EveryCudaCodec {};

TEST_P(EveryGroupCodec, WritesBfloat16LikeItsFloats) {
  for (const std::size_t elements : edge_lengths(format())) {
    const auto wire = encoded(codec(), awkward_values(elements), kKey);
    const DeviceBuffer<std::byte> input{std::span(wire)};
    const GuardedBytes out(elements * sizeof(Bf16));
    decode_reduce_async(format(), {.bytes = input.get()},
                        Tensor<Bf16>{reinterpret_cast<Bf16*>(out.get()), elements}, nullptr);
    EXPECT_EQ(
        first_difference(as_values<Bf16>(out.to_host()), as_bf16(decoded(codec(), wire, elements))),
        elements);
  }
}

// 1, 3, 4, 5 and 9 inputs: without, with and beyond the kernel's batches of four.
TEST_P(EveryGroupCodec, SumsWiresLikeTheReference) {
  for (const std::size_t inputs : {1u, 3u, 4u, 5u, 9u}) {
    for (const std::size_t elements : {1u, 127u, 4133u}) {
      std::vector<std::byte> wires;
      for (std::uint32_t rank = 0; rank < inputs; ++rank) {
        const auto wire = encoded(codec(), awkward_values(elements, rank), {.rank = rank});
        wires.insert(wires.end(), wire.begin(), wire.end());
      }
      std::vector<float> expected(elements);
      decode_reduce(format(), wires, inputs, expected);
      const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
      const GuardedBytes sums(elements * sizeof(float));
      GetParam().decode_reduce_async(format(), {input.get(), static_cast<int>(inputs)},
                                     Tensor<float>{reinterpret_cast<float*>(sums.get()), elements},
                                     nullptr);
      EXPECT_EQ(first_difference(as_values<float>(sums.to_host()), expected), elements) << inputs;
    }
  }
}

std::vector<CudaCodec> group_codecs() {
  std::vector<CudaCodec> rows;
  std::ranges::copy_if(all_cuda_codecs(), std::back_inserter(rows),
                       [](const CudaCodec& row) { return row.codec->decode == decode_groups; });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryGroupCodec, testing::ValuesIn(group_codecs()),
                         [](const auto& row) { return std::string(row.param.codec->name); });

TEST(GroupKernels, RefuseAFormatWithoutKernels) {
  const Format format{.element = Element::int4, .scale = Scale::amax, .group = 96};
  EXPECT_THROW(encode_async(format, Tensor<const float>{nullptr, 100}, {}, nullptr),
               std::invalid_argument);
}

TEST(HadamardKernel, EqualsItsReference) {
  for (const std::size_t elements : {0u, 32u, 512u, 544u, 100'000u}) {
    std::vector<float> values = awkward_values(elements);
    const DeviceBuffer<float> input{std::span<const float>(values)};
    hadamard_async({input.get(), elements}, nullptr);
    hadamard(values);
    EXPECT_EQ(first_difference(input.to_host(), values), elements);
  }
}

}  // namespace
}  // namespace codecs::cuda
