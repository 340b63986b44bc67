// SPDX-License-Identifier: Apache-2.0
// Tensors whose offsets need 64 bits. The emulated GPU runs the blocks at their ends alone.
#include "codecs/cuda/registry.hpp"
#include "codecs/feedback/feedback.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/two_level/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kLargeKey{.seed = 0x123456789ABCDEFu, .step = 5, .tensor = 6, .rank = 7};

// Beyond 2^31 elements every offset needs 64 bits. The end of the wire must be that of the piece.
TEST(GroupKernels, ReachBeyond32Bits) {
  constexpr std::size_t kElements = (std::size_t{1} << 31) + 2048 + 77;
  constexpr std::size_t kPiece = (std::size_t{1} << 31) - 2048;
  const Format& format = int4_g128_sr.format;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  ASSERT_GE(free, std::size_t{7} << 30) << "this test needs 7 GiB of device memory";
  const DeviceBuffer<Bf16> values(kElements);
  check(cudaMemset(values.get(), 0, values.size_bytes()));
  const std::vector<Bf16> end = as_bf16(awkward_values(kElements - kPiece));
  upload(std::span(end), values.get() + kPiece);
  const DeviceBuffer<std::byte> wire(encoded_bytes(format, kElements));
  encode_async(format, Tensor<const Bf16>{values.get(), kElements},
               {.wires = wire.get(), .key = kLargeKey}, nullptr);

  std::vector<float> floats(end.size());
  std::ranges::transform(end, floats.begin(), to_float);
  RandomKey key = kLargeKey;
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

// A tensor of zeros but for its two ends, so that an offset which loses its upper bits puts one end's
// values into the other.
constexpr std::size_t kEnd = std::size_t{1} << 14;
constexpr std::size_t kLength = (std::size_t{1} << 31) + 77;
constexpr std::size_t kLast = kLength - kLength % kEnd - kEnd;  // where the last values begin

struct Ends {
  std::vector<float> first = awkward_values(kEnd, 1);
  std::vector<float> last = awkward_values(kLength - kLast, 2);
};

void put(const Ends& ends, float* tensor) {
  check(cudaMemset(tensor, 0, kLength * sizeof(float)));
  upload(std::span<const float>(ends.first), tensor);
  upload(std::span<const float>(ends.last), tensor + kLast);
}

// Each value by itself and what of it came: the sum of `times` equal wires' values.
void expect_ends(const float* tensor, const Ends& expected, float times) {
  for (const auto& [at, values] :
       {std::pair{std::size_t{0}, expected.first}, std::pair{kLast, expected.last}}) {
    std::vector<float> wanted = values, found(values.size());
    for (float& value : wanted) value *= times;
    check(cudaMemcpy(found.data(), tensor + at, found.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    EXPECT_EQ(first_difference(found, wanted), wanted.size()) << "from " << at;
  }
}

RandomKey key_from(std::size_t first) {
  RandomKey key = kLargeKey;
  key.first_element = first;
  return key;
}

std::vector<float> through(const Codec& codec, const std::vector<float>& values,
                           std::size_t first) {
  return decoded(codec, encoded(codec, values, key_from(first)), values.size());
}

// A row of each family of kernels whose blocks do not wait for the whole tensor.
class ElementOffsets : public testing::TestWithParam<const char*> {
 protected:
  const CudaCodec& row() const {
    const auto rows = all_cuda_codecs();
    return *std::ranges::find(rows, std::string_view(GetParam()),
                              [](const CudaCodec& one) { return one.codec->name; });
  }
  const Codec& codec() const { return *row().codec; }
  std::size_t wire_bytes() const { return encoded_bytes(codec().format, kLength); }
  DeviceBuffer<std::byte> scratch() const {
    const auto bytes = row().scratch_bytes;
    return DeviceBuffer<std::byte>(bytes == nullptr ? 0 : bytes(codec().format, kLength));
  }
};

TEST_P(ElementOffsets, ReachBeyond32Bits) {
  const Format& format = codec().format;
  const Ends ends;
  const DeviceBuffer<float> tensor(kLength);
  const std::size_t inputs = row().decode_reduce_async == nullptr ? 1 : 2;
  const DeviceBuffer<std::byte> wires(inputs * wire_bytes()), scratch = this->scratch();
  put(ends, tensor.get());
  std::byte* last = nullptr;
  for (std::size_t i = 0; i < inputs; ++i) {
    last = wires.get() + i * wire_bytes();
    row().encode_async(format, {tensor.get(), kLength},
                       {.wires = last, .key = kLargeKey, .scratch = scratch.get()}, nullptr);
  }
  const Ends expected{.first = through(codec(), ends.first, 0),
                      .last = through(codec(), ends.last, kLast)};
  row().decode_async(format, last, {tensor.get(), kLength}, nullptr);
  expect_ends(tensor.get(), expected, 1);
  if (row().decode_reduce_async != nullptr) {
    row().decode_reduce_async(format, {wires.get(), 2}, {tensor.get(), kLength}, nullptr);
    expect_ends(tensor.get(), expected, 2);
  }
}

// Of rows with error feedback.
class ResidualOffsets : public ElementOffsets {};

TEST_P(ResidualOffsets, ReachBeyond32Bits) {
  ASSERT_NE(row().encode_feedback_async, nullptr);
  const Ends ends;
  const Ends kept{.first = awkward_values(kEnd, 3), .last = awkward_values(kLength - kLast, 4)};
  const DeviceBuffer<float> tensor(kLength), residual(kLength);
  const DeviceBuffer<std::byte> wire(wire_bytes()), scratch = this->scratch();
  put(ends, tensor.get());
  put(kept, residual.get());
  row().encode_feedback_async(codec().format, {}, {tensor.get(), kLength}, residual.get(),
                              {.wires = wire.get(), .key = kLargeKey, .scratch = scratch.get()},
                              nullptr);
  const auto left = [&](const std::vector<float>& values, std::vector<float> own,
                        std::size_t first) {
    std::vector<std::byte> sent(encoded_bytes(codec().format, values.size()));
    encode_with_feedback(codec(), {}, values, key_from(first), own, sent);
    return own;
  };
  expect_ends(residual.get(),
              {.first = left(ends.first, kept.first, 0), .last = left(ends.last, kept.last, kLast)},
              1);
}

INSTANTIATE_TEST_SUITE_P(Kernels, ElementOffsets,
                         testing::Values("fp16", "mxfp4", "int4_g128_rht128_sr", "int4_full_g128",
                                         "int8_minmax_g1024", "bnb8_g4096", "int4_g128_sr",
                                         "sign_g2048", "int4_g128_rht4096", "eden2_g4096", "topk64",
                                         "random_k64", "demo_top32", "terngrad_g512"),
                         [](const auto& row) { return std::string(row.param); });
INSTANTIATE_TEST_SUITE_P(Kernels, ResidualOffsets,
                         testing::Values("int4_full_g128", "int4_g128_sr", "sign_g2048", "topk64",
                                         "random_k64", "demo_top32"),
                         [](const auto& row) { return std::string(row.param); });

TEST(TwoLevelKernels, ReachBeyond32Bits) {
  const Codec &in = int8_g128_sr, &out = int4_g128_sr;
  const Requantise shape{.wire = in.format, .wire_out = out.format, .elements = kLength};
  const Ends ends;
  const DeviceBuffer<float> tensor(kLength);
  const DeviceBuffer<std::byte> wire(encoded_bytes(in.format, kLength));
  const DeviceBuffer<std::byte> again(encoded_bytes(out.format, kLength));
  put(ends, tensor.get());
  encode_async(in.format, Tensor<const float>{tensor.get(), kLength},
               {.wires = wire.get(), .key = kLargeKey}, nullptr);
  decode_reduce_encode_async(shape, wire.get(), {.wires = again.get(), .key = kLargeKey}, nullptr);
  decode_reduce_async(out.format, {.bytes = again.get()}, Tensor<float>{tensor.get(), kLength},
                      nullptr);
  const auto twice = [&](const std::vector<float>& values, std::size_t first) {
    return through(out, through(in, values, first), first);
  };
  expect_ends(tensor.get(), {.first = twice(ends.first, 0), .last = twice(ends.last, kLast)}, 1);
}

}  // namespace
}  // namespace codecs::cuda
