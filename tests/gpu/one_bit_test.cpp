// SPDX-License-Identifier: Apache-2.0
// Both stages of 1-bit Adam's all_reduce against their reference, byte for byte.
#include "codecs/one_bit/one_bit.hpp"

#include "codecs/one_bit/kernels.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

TEST(OneBitKernels, EqualTheReferenceInBothStages) {
  for (const std::size_t ranks : {1u, 3u, 8u}) {
    for (const std::size_t shard : {128u, 2048u, 4096u + 384u}) {
      const OneBit shape{.elements = ranks * shard, .ranks = ranks};
      const std::vector<float> values = normal_values(shape.elements, 3);
      std::vector<float> residual = normal_values(shape.elements, 4);
      const DeviceBuffer<float> input{std::span(values)};
      const DeviceBuffer<float> kept{std::span<const float>(residual)};
      const GuardedBytes wires(ranks * shape.wire_bytes());
      const GuardedBytes scratch(one_bit_scratch_bytes(shape));
      encode_to_servers_async(shape, input.get(), kept.get(),
                              {.wires = wires.get(), .scratch = scratch.get()}, nullptr);
      std::vector<std::byte> expected(ranks * shape.wire_bytes());
      encode_to_servers(shape, values, residual, expected);
      EXPECT_EQ(first_difference(wires.to_host(), expected), expected.size()) << shard;
      EXPECT_EQ(first_difference(kept.to_host(), residual), residual.size()) << shard;

      // As if every rank had sent these: the server adds up the wires of all shards.
      std::vector<float> server = normal_values(shard, 5);
      const DeviceBuffer<float> server_kept{std::span<const float>(server)};
      const GuardedBytes wire(shape.wire_bytes());
      reduce_on_server_async(shape, wires.get(), server_kept.get(),
                             {.wires = wire.get(), .scratch = scratch.get()}, nullptr);
      std::vector<std::byte> reduced(shape.wire_bytes());
      reduce_on_server(shape, expected, server, reduced);
      EXPECT_EQ(first_difference(wire.to_host(), reduced), reduced.size()) << shard;
      EXPECT_EQ(first_difference(server_kept.to_host(), server), server.size()) << shard;

      const GuardedBytes mean(shape.elements * sizeof(float));
      decode_from_servers_async(shape, wires.get(), reinterpret_cast<float*>(mean.get()), nullptr);
      std::vector<float> decoded(shape.elements);
      decode_from_servers(shape, expected, decoded);
      EXPECT_EQ(first_difference(as_values<float>(mean.to_host()), decoded), decoded.size());
      (void)scratch.to_host();
    }
  }
}

}  // namespace
}  // namespace codecs::cuda
