// Tensors that need a GPU's memory and its time: what the emulated one leaves out.
#include "codecs/cuda/registry.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/two_level/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr RandomKey kKey{.seed = 0x123456789ABCDEFu, .step = 5, .tensor = 6, .rank = 7};

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
  check(cudaMemcpy(tensor, ends.first.data(), kEnd * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(tensor + kLast, ends.last.data(), ends.last.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
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

std::vector<float> through(const Codec& codec, const std::vector<float>& values,
                           std::size_t first) {
  RandomKey key = kKey;
  key.first_element = first;
  return decoded(codec, encoded(codec, values, key), values.size());
}

class ElementOffsets : public testing::TestWithParam<const char*> {};

TEST_P(ElementOffsets, ReachBeyond32Bits) {
  const auto rows = all_cuda_codecs();
  const auto row = std::ranges::find(rows, std::string_view(GetParam()),
                                     [](const CudaCodec& one) { return one.codec->name; });
  ASSERT_NE(row, rows.end());
  const Format& format = row->codec->format;
  const std::size_t bytes = encoded_bytes(format, kLength);
  const Ends ends;
  const DeviceBuffer<float> tensor(kLength);
  const DeviceBuffer<std::byte> wires(2 * bytes);
  const DeviceBuffer<std::byte> scratch(
      row->scratch_bytes == nullptr ? 0 : row->scratch_bytes(format, kLength));
  put(ends, tensor.get());
  for (std::byte* const wire : {wires.get(), wires.get() + bytes}) {
    row->encode_async(format, {tensor.get(), kLength},
                      {.wires = wire, .key = kKey, .scratch = scratch.get()}, nullptr);
  }
  const Ends expected{.first = through(*row->codec, ends.first, 0),
                      .last = through(*row->codec, ends.last, kLast)};
  row->decode_async(format, wires.get() + bytes, {tensor.get(), kLength}, nullptr);
  expect_ends(tensor.get(), expected, 1);
  row->decode_reduce_async(format, {wires.get(), 2}, {tensor.get(), kLength}, nullptr);
  expect_ends(tensor.get(), expected, 2);
}

INSTANTIATE_TEST_SUITE_P(Kernels, ElementOffsets,
                         testing::Values("sign_g2048", "int4_g128_rht4096", "eden2_g4096", "topk64",
                                         "terngrad_g512"),
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
               {.wires = wire.get(), .key = kKey}, nullptr);
  decode_reduce_encode_async(shape, wire.get(), {.wires = again.get(), .key = kKey}, nullptr);
  decode_reduce_async(out.format, {.bytes = again.get()}, Tensor<float>{tensor.get(), kLength},
                      nullptr);
  const auto twice = [&](const std::vector<float>& values, std::size_t first) {
    return through(out, through(in, values, first), first);
  };
  expect_ends(tensor.get(), {.first = twice(ends.first, 0), .last = twice(ends.last, kLast)}, 1);
}

}  // namespace
}  // namespace codecs::cuda
