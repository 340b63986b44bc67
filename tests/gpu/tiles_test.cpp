// SPDX-License-Identifier: Apache-2.0
// Kernels over tiles of a matrix against the reference on an explicitly reordered copy.
#include "codecs/tiles/tiles.hpp"

#include <memory>

#include "codecs/aggregate/kernels.hpp"
#include "codecs/demo/demo.hpp"
#include "codecs/demo/kernels.hpp"
#include "codecs/feedback/feedback.hpp"
#include "codecs/top_k/kernels.hpp"
#include "codecs/top_k/top_k.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

// Templar's tiles of multiples of 64, of other sides, of sides that no vector of 16 bytes divides,
// of vectors, and of none but single elements.
std::vector<TileShape> shapes() {
  return {templar_tiles(128, 192),   templar_tiles(96, 160), templar_tiles(100, 64),
          templar_tiles(64, 100),    templar_tiles(50, 147), templar_tiles(67, 8),
          templar_tiles(1, 1024),    templar_tiles(1, 189),  templar_tiles(17, 71),
          templar_tiles(96, 160, 32)};
}

Codec tiled(Codec codec, const TileShape& tiles) {
  codec.format = templar_format(codec.format, tiles);
  return codec;
}

std::string name(const Codec& codec, const TileShape& tiles) {
  return format_name(codec.format) + " " + std::to_string(tiles.rows) + " x " +
         std::to_string(tiles.columns);
}

TEST(TiledKernels, EncodeAndDecodeLikeTheReference) {
  for (const TileShape& tiles : shapes()) {
    for (const Codec* row :
         {&sparseloco, &sparseloco_enumerated, &codebook2, &topk64, &topk64_sign_magnitude}) {
      if (row == &codebook2 && tile_elements(tiles) % 2 != 0) continue;  // an even number travels
      const Codec codec = tiled(*row, tiles);
      const std::vector<float> values = awkward_values(elements_of(tiles));
      const DeviceBuffer<float> input{std::span(values)};
      const GuardedBytes wire(encoded_bytes(codec.format, values.size()));
      const GuardedBytes scratch(top_k_scratch_bytes(codec.format, values.size()));
      encode_top_k_async(codec.format, {tiles, input.get()},
                         {.wires = wire.get(), .scratch = scratch.get()}, nullptr);
      const auto expected = encoded(codec, tile_order(tiles, values));
      EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << name(codec, tiles);
      const GuardedBytes out(values.size() * sizeof(float));
      decode_reduce_top_k_async(codec.format, {.bytes = wire.get()},
                                Tiled<float>{tiles, reinterpret_cast<float*>(out.get())}, nullptr);
      EXPECT_EQ(first_difference(as_values<float>(out.to_host()),
                                 memory_order(tiles, decoded(codec, expected, values.size()))),
                values.size())
          << name(codec, tiles);
    }
  }
}

// encode_with_feedback on reordered copies.
void feed_back(const Codec& codec, const TileShape& tiles, const Feedback& feedback,
               const std::vector<float>& values, std::vector<float>& residual,
               std::vector<std::byte>& wire) {
  std::vector<float> tiled_residual = tile_order(tiles, residual);
  encode_with_feedback(codec, feedback, tile_order(tiles, values), {}, tiled_residual, wire);
  residual = memory_order(tiles, tiled_residual);
}

template <typename Encode>
void expect_reference_feedback(const Codec& codec, const TileShape& tiles, std::size_t scratch_size,
                               Encode encode) {
  const Feedback feedback{.gain = 0.5f, .carry = 0.95f};
  const std::size_t elements = elements_of(tiles);
  std::vector<float> residual = normal_values(elements, 5);
  const DeviceBuffer<float> on_gpu{std::span<const float>(residual)};
  for (std::uint64_t step = 0; step < 2; ++step) {
    const std::vector<float> values = normal_values(elements, 31 + step);
    std::vector<std::byte> expected(encoded_bytes(codec.format, elements));
    feed_back(codec, tiles, feedback, values, residual, expected);
    const DeviceBuffer<float> input{std::span(values)};
    const GuardedBytes wire(expected.size()), scratch(scratch_size);
    encode(feedback, Tiled<const float>{tiles, input.get()}, on_gpu.get(),
           Encoding{.wires = wire.get(), .scratch = scratch.get()});
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << name(codec, tiles);
    EXPECT_EQ(first_difference(on_gpu.to_host(), residual), elements) << name(codec, tiles);
    (void)scratch.to_host();
  }
}

TEST(TiledKernels, UpdateTheResidualLikeTheReference) {
  for (const TileShape& tiles : shapes()) {
    for (const Codec* row : {&sparseloco, &sparseloco_enumerated, &codebook2, &topk64_sign}) {
      if (row == &codebook2 && tile_elements(tiles) % 2 != 0) continue;
      const Codec codec = tiled(*row, tiles);
      expect_reference_feedback(codec, tiles, top_k_scratch_bytes(codec.format, elements_of(tiles)),
                                [&](const Feedback& feedback, const Tiled<const float>& matrix,
                                    float* residual, const Encoding& to) {
                                  encode_top_k_feedback_async(codec.format, feedback, matrix,
                                                              residual, to, nullptr);
                                });
    }
  }
}

std::vector<std::byte> wires_of(const Codec& codec, std::size_t elements, std::uint64_t peers) {
  std::vector<std::byte> wires;
  for (std::uint64_t peer = 0; peer < peers; ++peer) {
    const auto wire = encoded(codec, normal_values(elements, peer));
    wires.insert(wires.end(), wire.begin(), wire.end());
  }
  return wires;
}

TEST(TiledKernels, StepLikeTheReference) {
  for (const TileShape& tiles : shapes()) {
    const Codec codec = tiled(sparseloco, tiles);
    const std::size_t elements = elements_of(tiles);
    const auto wires = wires_of(codec, elements, 3);
    std::vector<float> averages(elements), parameters = normal_values(elements, 9);
    aggregate(codec.format, {}, wires, 3, averages);
    averages = memory_order(tiles, averages);
    const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
    const DeviceBuffer<float> moved{std::span<const float>(parameters)};
    const GuardedBytes out(elements * sizeof(float));
    const GuardedBytes scratch(aggregate_scratch_bytes(codec.format, elements, 3));
    outer_step(0.7f, averages, parameters);
    aggregate_async(codec.format, {}, {input.get(), 3},
                    {.averages = reinterpret_cast<float*>(out.get()),
                     .parameters = moved.get(),
                     .elements = elements,
                     .tiles = tiles,
                     .learning_rate = 0.7f,
                     .scratch = scratch.get()},
                    nullptr);
    EXPECT_EQ(first_difference(as_values<float>(out.to_host()), averages), elements)
        << name(codec, tiles);
    EXPECT_EQ(first_difference(moved.to_host(), parameters), elements) << name(codec, tiles);
  }
}

void expect_reference_demo(const Codec& demo, const TileShape& tiles) {
  const std::size_t elements = elements_of(tiles);
  const Format& format = demo.format;
  expect_reference_feedback(demo, tiles, demo_scratch_bytes(format, elements),
                            [&](const Feedback& feedback, const Tiled<const float>& matrix,
                                float* residual, const Encoding& to) {
                              encode_demo_feedback_async(format, feedback, matrix, residual, to,
                                                         nullptr);
                            });
  const auto wires = wires_of(demo, elements, 3);
  const DeviceBuffer<std::byte> input{std::span<const std::byte>(wires)};
  std::vector<float> sums(elements), averages(elements);
  decode_reduce_demo(format, wires, 3, sums);
  average_demo(format, wires, 3, DemoStep::sign, averages);
  const GuardedBytes out(elements * sizeof(float));
  auto* const values = reinterpret_cast<float*>(out.get());
  decode_reduce_demo_async(format, {input.get(), 3}, Tiled<float>{tiles, values}, nullptr);
  EXPECT_EQ(first_difference(as_values<float>(out.to_host()), memory_order(tiles, sums)), elements);
  const GuardedBytes scratch(demo_average_scratch_bytes(format, elements, 3));
  average_demo_async(format, {input.get(), 3},
                     {.averages = values,
                      .elements = elements,
                      .tiles = tiles,
                      .step = DemoStep::sign,
                      .scratch = scratch.get()},
                     nullptr);
  EXPECT_EQ(first_difference(as_values<float>(out.to_host()), memory_order(tiles, averages)),
            elements);
}

TEST(TiledKernels, OfDemoEqualTheReference) {
  expect_reference_demo(demo_top32, templar_tiles(128, 192));
  Codec smaller = demo_top32;
  smaller.format.block = 32;
  smaller.format.group = std::size_t{32} * 32;
  expect_reference_demo(smaller, templar_tiles(64, 96, 32));
}

TEST(TiledKernels, ReadBfloat16LikeItsFloats) {
  for (const TileShape& tiles : shapes()) {
    const Codec codec = tiled(topk64, tiles);
    const std::vector<Bf16> values = as_bf16(awkward_values(elements_of(tiles)));
    const DeviceBuffer<Bf16> input{std::span(values)};
    const GuardedBytes wire(encoded_bytes(codec.format, values.size()));
    encode_top_k_async(codec.format, {tiles, input.get()}, {.wires = wire.get()}, nullptr);
    const auto expected = encoded(codec, tile_order(tiles, as_floats(values)));
    EXPECT_EQ(first_difference(wire.to_host(), expected), expected.size()) << name(codec, tiles);
  }
}

TEST(TiledKernels, RefuseTilesThatAreNoChunks) {
  const TileShape tiles = templar_tiles(96, 160);
  EXPECT_THROW(encode_top_k_async(topk64.format, Tiled<const float>{tiles, nullptr}, {}, nullptr),
               std::invalid_argument);
  EXPECT_THROW(
      encode_demo_async(demo_top32.format, Tiled<const float>{tiles, nullptr}, {}, nullptr),
      std::invalid_argument);
}

}  // namespace
}  // namespace codecs::cuda
