// SPDX-License-Identifier: Apache-2.0
// Shared by the launchers of codecs/<name>/kernels.hpp.
//
// Every launcher enqueues its kernels (usually one) on `stream` and returns: it neither allocates
// nor waits. Pointers are to device memory, aligned to 16 bytes, and must stay valid until the
// kernel has run. Any length works; for length 0 nothing is launched. The bytes equal the
// reference's. Formats without kernels throw std::invalid_argument, failed launches CudaError.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "codecs/codec.hpp"
#include "codecs/tiles/tiles.hpp"

namespace codecs::cuda {

// Output of an encode. *nonfinite becomes 1 if a value is NaN or infinite and is otherwise
// unchanged; null: not wanted.
struct Encoding {
  std::byte* wires = nullptr;
  RandomKey key = {};
  unsigned* nonfinite = nullptr;
  // Device memory for data between passes, as many bytes as codecs/cuda/registry.hpp gives. Its
  // contents before and after do not matter.
  std::byte* scratch = nullptr;
};

// Wires of equal length, laid end to end.
struct Wires {
  const std::byte* bytes = nullptr;
  int inputs = 1;
};

template <typename Value>
struct Tensor {
  Value* values = nullptr;
  std::size_t elements = 0;
};

// A matrix read or written tile by tile; a tile is a group of the format.
template <typename Value>
struct Tiled {
  TileShape tiles = {};
  Value* values = nullptr;
};

}  // namespace codecs::cuda
