// Every row of the CUDA registry against its reference, byte for byte.
#include <string>

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

  // What the GPU encodes, and whether it found a NaN or an infinity.
  std::vector<std::byte> encode_on_gpu(const std::vector<float>& values, const RandomKey& key,
                                       unsigned& nonfinite) const {
    const DeviceBuffer<float> input{std::span(values)};
    const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
    const GuardedBytes wire(encoded_bytes(format(), values.size()));
    const Stream stream;
    GetParam().encode_async(format(), {input.get(), values.size()},
                            {.wires = wire.get(), .key = key, .nonfinite = flag.get()},
                            stream.get());
    stream.wait();
    nonfinite = flag.to_host().front();
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

  void expect_reference_bytes(const std::vector<float>& values, const RandomKey& key,
                              bool finite) const {
    const auto expected = encoded(codec(), values, key);
    unsigned nonfinite = 0;
    const auto wire = encode_on_gpu(values, key, nonfinite);
    EXPECT_EQ(first_difference(wire, expected), expected.size()) << values.size();
    const bool flags =
        codec().format.element != Element::fp32;  // float32 is a copy that looks at nothing
    EXPECT_EQ(nonfinite, flags && !finite ? 1u : 0u) << values.size();
    const auto out = decode_on_gpu(expected, values.size());
    const auto reference = decoded(codec(), expected, values.size());
    EXPECT_EQ(first_difference(out, reference), values.size()) << values.size();
  }
};

TEST_P(EveryCudaCodec, EqualsItsReferenceAtEveryLength) {
  for (const std::size_t elements : edge_lengths(format())) {
    expect_reference_bytes(awkward_values(elements), kKey, true);
  }
}

TEST_P(EveryCudaCodec, EqualsItsReferenceOnNaNsAndInfinities) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float special : {nan, -nan, infinity, -infinity}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{4097}, std::size_t{9999}}) {
      expect_reference_bytes(with_value(awkward_values(10'000), at, special), kKey, false);
    }
  }
}

TEST_P(EveryCudaCodec, DrawsTheBitsOfThePieceInItsTensor) {
  RandomKey key = kKey;
  key.first_element = (std::uint64_t{1} << 37) + 4096;  // the block's index has a high word
  expect_reference_bytes(awkward_values(5000), key, true);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCudaCodec,
                         testing::ValuesIn(all_cuda_codecs().begin(), all_cuda_codecs().end()),
                         [](const auto& row) { return std::string(row.param.codec->name); });

TEST(CudaRegistry, HasEveryCodecOnce) {
  ASSERT_EQ(all_cuda_codecs().size(), all_codecs().size());
  for (std::size_t i = 0; i < all_codecs().size(); ++i) {
    EXPECT_EQ(all_cuda_codecs()[i].codec, all_codecs()[i]);
  }
}

TEST(GroupKernels, ReadBfloat16LikeItsFloats) {
  for (const Codec* codec : {&int4_g128_sr, &int8_g128_hadamard_sr, &int4_g2048}) {
    for (const std::size_t elements : edge_lengths(codec->format)) {
      const std::vector<Bf16> values = as_bf16(awkward_values(elements));
      std::vector<float> floats(elements);
      std::ranges::transform(values, floats.begin(), to_float);
      const DeviceBuffer<Bf16> input{std::span(values)};
      const GuardedBytes wire(encoded_bytes(codec->format, elements));
      encode_async(codec->format, Tensor<const Bf16>{input.get(), elements},
                   {.wires = wire.get(), .key = kKey}, nullptr);
      const auto expected = encoded(*codec, floats, kKey);
      EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << codec->name;

      const DeviceBuffer<std::byte> encoded_input{std::span(expected)};
      const GuardedBytes out(elements * sizeof(Bf16));
      decode_reduce_async(codec->format, {.bytes = encoded_input.get()},
                          Tensor<Bf16>{reinterpret_cast<Bf16*>(out.get()), elements}, nullptr);
      EXPECT_EQ(first_difference(as_values<Bf16>(out.to_host()),
                                 as_bf16(decoded(*codec, expected, elements))),
                elements)
          << codec->name;
    }
  }
}

// 1, 3, 4, 5, 9 and 16 inputs: without, with and beyond the kernel's batches of four.
TEST(GroupKernels, SumWiresLikeTheReference) {
  for (const Codec* codec : {&int4_g128_hadamard_sr, &int8_g128, &int4_g2048_sr}) {
    for (const std::size_t inputs : {1u, 3u, 4u, 5u, 9u, 16u}) {
      for (const std::size_t elements : {1u, 127u, 4133u}) {
        std::vector<std::byte> wires;
        for (std::uint32_t rank = 0; rank < inputs; ++rank) {
          const auto wire = encoded(*codec, awkward_values(elements, rank), {.rank = rank});
          wires.insert(wires.end(), wire.begin(), wire.end());
        }
        std::vector<float> expected(elements);
        decode_reduce(codec->format, wires, inputs, expected);
        const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
        const GuardedBytes sums(elements * sizeof(float));
        decode_reduce_async(codec->format, {input.get(), static_cast<int>(inputs)},
                            Tensor<float>{reinterpret_cast<float*>(sums.get()), elements}, nullptr);
        EXPECT_EQ(first_difference(as_values<float>(sums.to_host()), expected), elements)
            << codec->name << " " << inputs;
      }
    }
  }
}

TEST(GroupKernels, RefuseAFormatWithoutKernels) {
  const Format format{.element = Element::int4, .scale = Scale::amax, .group = 64};
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

// Beyond 2^31 elements every offset needs 64 bits. The end of the wire must be that of the piece.
TEST(GroupKernels, ReachBeyond32Bits) {
  constexpr std::size_t kElements = (std::size_t{1} << 31) + 2048 + 77;
  constexpr std::size_t kPiece = (std::size_t{1} << 31) - 2048;
  const Format& format = int4_g128_sr.format;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  if (free < std::size_t{7} << 30) GTEST_SKIP() << "this test needs 7 GiB of device memory";
  const DeviceBuffer<Bf16> values(kElements);
  check(cudaMemset(values.get(), 0, values.size_bytes()));
  const std::vector<Bf16> end = as_bf16(awkward_values(kElements - kPiece));
  check(cudaMemcpy(values.get() + kPiece, end.data(), end.size() * sizeof(Bf16),
                   cudaMemcpyHostToDevice));
  const DeviceBuffer<std::byte> wire(encoded_bytes(format, kElements));
  encode_async(format, Tensor<const Bf16>{values.get(), kElements},
               {.wires = wire.get(), .key = kKey}, nullptr);

  std::vector<float> floats(end.size());
  std::ranges::transform(end, floats.begin(), to_float);
  RandomKey key = kKey;
  key.first_element = kPiece;
  const auto expected = encoded(int4_g128_sr, floats, key);
  const std::size_t payload = group_wire(format, floats.size()).payload_bytes;
  std::vector<std::byte> codes(payload);
  check(cudaMemcpy(codes.data(), wire.get() + kPiece / 2, payload, cudaMemcpyDeviceToHost));
  EXPECT_TRUE(std::equal(codes.begin(), codes.end(), expected.begin()));

  check(cudaMemset(values.get(), 0, values.size_bytes()));
  decode_reduce_async(format, {.bytes = wire.get()}, Tensor<Bf16>{values.get(), kElements},
                      nullptr);
  std::vector<Bf16> out(end.size());
  check(cudaMemcpy(out.data(), values.get() + kPiece, out.size() * sizeof(Bf16),
                   cudaMemcpyDeviceToHost));
  EXPECT_EQ(out, as_bf16(decoded(int4_g128_sr, expected, out.size())));
}

}  // namespace
}  // namespace codecs::cuda
