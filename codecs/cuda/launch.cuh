// From run-time formats and lengths to kernels: which instance, how many blocks.
#pragma once

#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "codecs/cuda/decode.cuh"
#include "codecs/cuda/error.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// The formats that have kernels: those of the registry's group codecs.
using KernelFormats =
    std::tuple<StaticFormat<8, 128, false, false>, StaticFormat<8, 128, true, false>,
               StaticFormat<8, 128, true, true>, StaticFormat<4, 128, false, false>,
               StaticFormat<4, 128, true, false>, StaticFormat<4, 128, true, true>,
               StaticFormat<4, 2048, false, false>, StaticFormat<4, 2048, true, false>>;

template <typename Static>
bool is_format(const Format& format) {
  return bits_of(format.element) == Static::kBits && format.group == Static::kGroup &&
         (format.rounding == Rounding::stochastic) == Static::kStochastic &&
         (format.rotation == Rotation::hadamard) == Static::kHadamard;
}

// Calls launch(StaticFormat) for the one that is `format`; throws std::invalid_argument if none is.
template <typename Launch>
void with_format(const Format& format, Launch launch) {
  const bool found = std::apply(
      [&](auto... formats) {
        return ((is_format<decltype(formats)>(format) ? (launch(formats), true) : false) || ...);
      },
      KernelFormats{});
  require(found, "no CUDA kernel has this format");
}

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

inline unsigned blocks_for(std::size_t elements, std::size_t elements_per_warp) {
  const std::size_t per_block = elements_per_warp * kWarpsPerBlock;
  const std::size_t blocks = (elements + per_block - 1) / per_block;
  require(blocks <= 0x7FFFFFFFu, "more blocks than a grid has");
  return static_cast<unsigned>(blocks);
}

inline WireShape wire_shape(const Format& format, std::size_t elements) {
  const GroupWire wire = group_wire(format, elements);
  require(wire.groups < 0xFFFFFFFFu, "groups are counted in 32 bits");
  return {.bytes = wire.bytes,
          .payload_bytes = wire.payload_bytes,
          .groups = static_cast<std::uint32_t>(wire.groups),
          .padded_groups =
              static_cast<std::uint32_t>((wire.bytes - wire.payload_bytes) / sizeof(float))};
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

template <typename Static, typename Source, typename Place>
void launch_encode(const Source& source, const EncodeShape& shape, const Place& place,
                   const Encoding& to, cudaStream_t stream) {
  constexpr std::size_t kPerWarp = std::size_t{Static::kTilesPerGroup} * kTileElements;
  if (shape.elements == 0) return;
  launch(encode_kernel<Static, Source, Place>,
         {.blocks = blocks_for(shape.elements, kPerWarp), .stream = stream}, source, shape, place,
         EncodeOutput{to.wires, to.nonfinite});
}

// One wire, in the order of the source.
template <typename Source>
void launch_plain_encode(const Format& format, const Source& source, const Encoding& to,
                         cudaStream_t stream) {
  const EncodeShape shape{.elements = source.elements,
                          .wire = wire_shape(format, source.elements),
                          .draw = draw_of(to.key)};
  with_format(format, [&]<typename Static>(Static) {
    launch_encode<Static>(source, shape, InOrder{}, to, stream);
  });
}

template <typename Static>
SumSource<Static::kBits, Static::kGroup> sum_source(const Format& format, const Wires& wires,
                                                    std::size_t elements) {
  const GroupWire wire = group_wire(format, elements);
  return {.wires = wires.bytes,
          .wire_bytes = wire.bytes,
          .payload_bytes = wire.payload_bytes,
          .inputs = wires.inputs};
}

template <typename Sink>
void launch_decode(const Format& format, const Wires& wires, const Sink& sink,
                   cudaStream_t stream) {
  if (sink.elements == 0) return;
  with_format(format, [&]<typename Static>(Static) {
    const auto source = sum_source<Static>(format, wires, sink.elements);
    launch(decode_kernel<Static::kHadamard, decltype(source), Sink>,
           {.blocks = blocks_for(sink.elements, kTileElements), .stream = stream}, source,
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
