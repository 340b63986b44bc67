// SPDX-License-Identifier: Apache-2.0
// From a run-time block of a rotation to the kernel that has it.
#pragma once

#include <type_traits>

#include "codecs/cuda/launch.cuh"
#include "codecs/cuda/random_signs.cuh"

namespace codecs::cuda {

template <int kLog>
using RotationLog = std::integral_constant<int, kLog>;

// Calls launch(RotationLog) for that of kLogs whose power of 2 is `block`; throws
// std::invalid_argument if none is.
template <int... kLogs, typename Launch>
void with_rotation(std::size_t block, Launch launch) {
  const bool found =
      ((block == std::size_t{1} << kLogs ? (launch(RotationLog<kLogs>{}), true) : false) || ...);
  require(found, "no CUDA kernel rotates blocks of this size");
}

template <typename Tile>
Grid rotation_grid(std::size_t elements, cudaStream_t stream) {
  return {
      .blocks = blocks_of(elements, Tile::kElements), .threads = Tile::kThreads, .stream = stream};
}

}  // namespace codecs::cuda
