// SPDX-License-Identifier: Apache-2.0
// From run-time formats and lengths to kernels: which instance, how many blocks.
#pragma once

#include <algorithm>

#include "codecs/cuda/decode.cuh"
#include "codecs/cuda/encode_kernel.cuh"
#include "codecs/cuda/error.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

struct Grid {
  unsigned blocks = 1;
  int threads = kThreadsPerBlock;
  cudaStream_t stream = nullptr;
};

// kernel<<<...>>>(arguments...) as a function, so that any C++ compiler reads the code.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const Grid& grid, const Arguments&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid.blocks);
  config.blockDim = dim3(static_cast<unsigned>(grid.threads));
  config.stream = grid.stream;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

inline unsigned blocks_of(std::size_t items, std::size_t per_block) {
  const std::size_t blocks = (items + per_block - 1) / per_block;
  require(blocks <= 0x7FFFFFFFu, "more blocks than a grid has");
  return static_cast<unsigned>(blocks);
}

inline unsigned blocks_for(std::size_t elements, std::size_t elements_per_warp) {
  return blocks_of(elements, elements_per_warp * kWarpsPerBlock);
}

// Log2 of the group; 63 where it is the tensor.
inline int group_log2(const Format& format) {
  int log2 = 0;
  while (log2 < 63 && std::size_t{1} << log2 < format.group) ++log2;
  return log2;
}

inline WireShape wire_shape(const Format& format, std::size_t elements) {
  const GroupWire wire = group_wire(format, elements);
  require(wire.groups < 0xFFFFFFFFu, "groups are counted in 32 bits");
  return {.bytes = wire.bytes,
          .payload_bytes = wire.payload_bytes,
          .scales_offset = wire.scales_offset,
          .groups = static_cast<std::uint32_t>(wire.groups),
          .padded_groups = static_cast<std::uint32_t>((wire.bytes - wire.scales_offset) /
                                                      bytes_of(format.scale))};
}

inline Draw draw_of(const RandomKey& key) {
  require(key.first_element % kElementsPerDraw == 0, "first_element is a multiple of 16");
  const auto words = philox_key(key);
  return {.key0 = words[0],
          .key1 = words[1],
          .tensor = key.tensor,
          .rank = key.rank,
          .first_block = key.first_element / kElementsPerDraw};
}

// The code that the largest magnitude of a group becomes.
inline float largest_code(const Format& format) {
  const int bits = bits_of(format.element);
  switch (format.element) {
    case Element::nf4:
    case Element::dynamic8:
      return 1;
    case Element::e4m3:
      return 448;
    case Element::e5m2:
      return 57344;
    case Element::e2m1:
      return 6;
    default:
      break;
  }
  if (format.scale == Scale::min_max) return static_cast<float>((1 << bits) - 1);
  return static_cast<float>((1 << (bits - 1)) - (format.scale == Scale::amax_full ? 0 : 1));
}

// Scales that are the whole tensor's need a pass of their own, and 4 bytes of scratch for it.
inline bool needs_tensor_amax(const Format& format) {
  return format.group == kWholeTensor || format.scale == Scale::e4m3_tensor;
}

// One wire of `elements` values.
inline EncodeShape encode_shape(const Format& format, std::size_t elements, const Encoding& to) {
  return {.elements = elements,
          .group_log2 = group_log2(format),
          .lanes_per_group =
              static_cast<int>(std::min<std::size_t>(format.group, kTileElements)) / kLaneElements,
          .wire = wire_shape(format, elements),
          .rule = {.largest = largest_code(format),
                   .inverse = 1.0f / largest_code(format),
                   .scale = format.scale,
                   .tensor_amax = needs_tensor_amax(format)
                                      ? reinterpret_cast<const std::uint32_t*>(to.scratch)
                                      : nullptr},
          .draw = draw_of(to.key)};
}

template <typename Static, typename Source, typename Place>
void launch_encode(const Source& source, const EncodeShape& shape, const Place& place,
                   const Encoding& to, cudaStream_t stream) {
  constexpr std::size_t kPerWarp = std::size_t{kTilesOfWarp<Static, Source>} * kTileElements;
  if (shape.elements == 0) return;
  launch(encode_kernel<Static, Source, Place>,
         {.blocks = blocks_for(shape.elements, kPerWarp), .stream = stream}, source, shape, place,
         EncodeOutput{to.wires, to.nonfinite});
}

// Where a pass over a tensor leaves its largest magnitude: the scratch, which is set to 0.
inline std::uint32_t* zeroed_amax(const Encoding& to, cudaStream_t stream) {
  require(to.scratch != nullptr, "the scale of a whole tensor needs scratch");
  auto* const amax = reinterpret_cast<std::uint32_t*>(to.scratch);
  check(cudaMemsetAsync(amax, 0, sizeof *amax, stream));
  return amax;
}

template <typename Source>
void launch_amax(const Source& source, const Encoding& to, cudaStream_t stream) {
  launch(amax_kernel<Source>,
         {.blocks = std::min(kMostAmaxBlocks,
                             blocks_for(source.elements, std::size_t{kAmaxTiles} * kTileElements)),
          .stream = stream},
         source, source.elements, zeroed_amax(to, stream));
}

// One wire, in the order of the source.
template <typename Family, typename Source>
void launch_plain_encode(Family family, const Format& format, const Source& source,
                         const Encoding& to, cudaStream_t stream) {
  if (source.elements == 0) return;
  if (needs_tensor_amax(format)) launch_amax(source, to, stream);
  const EncodeShape shape = encode_shape(format, source.elements, to);
  with_format(family, format, [&]<typename Static>(Static) {
    launch_encode<Static>(source, shape, InOrder{}, to, stream);
  });
}

inline WireReader wire_reader(const Format& format, const Wires& wires, std::size_t elements) {
  const GroupWire wire = group_wire(format, elements);
  (void)tiles_of(format);  // throws where kernels do not take the group
  return {.wires = wires.bytes,
          .wire_bytes = wire.bytes,
          .payload_bytes = wire.payload_bytes,
          .scales_offset = wire.scales_offset,
          .group_log2 = group_log2(format),
          .inputs = wires.inputs};
}

template <typename Sink>
void launch_decode(const Format& format, const Wires& wires, const Sink& sink,
                   cudaStream_t stream) {
  if (sink.elements == 0) return;
  with_decoder(Decoders{}, format, [&]<typename Static>(Static) {
    using Source = SumSource<Static::kElement, Static::kCoding>;
    launch(decode_kernel<Static::kHadamard, Source, Sink>,
           {.blocks = blocks_for(sink.elements, kTileElements), .stream = stream},
           Source{.reader = wire_reader(format, wires, sink.elements), .elements = sink.elements},
           sink.elements, sink);
  });
}

template <bool kHadamard, typename Source, typename Sink>
void launch_copy(const Source& source, const Sink& sink, unsigned* nonfinite, cudaStream_t stream) {
  if (source.elements == 0) return;
  launch(copy_kernel<kHadamard, Source, Sink>,
         {.blocks = blocks_for(source.elements, kTileElements), .stream = stream}, source,
         source.elements, sink, nonfinite);
}

}  // namespace codecs::cuda
