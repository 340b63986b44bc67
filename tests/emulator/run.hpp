// SPDX-License-Identifier: Apache-2.0
// How the emulator's own tests launch kernels.
#pragma once

#include "codecs/cuda/resources.hpp"

namespace emulator {

using codecs::cuda::check;
using codecs::cuda::DeviceBuffer;

inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

struct Grid {
  dim3 blocks{1};
  dim3 threads{1};
};

template <typename... Parameters, typename... Arguments>
void run(void (*kernel)(Parameters...), const Grid& grid, const Arguments&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace emulator
