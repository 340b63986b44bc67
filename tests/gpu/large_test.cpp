// Tensors that need a GPU's memory and its time: what the emulated one leaves out.
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
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

}  // namespace
}  // namespace codecs::cuda
