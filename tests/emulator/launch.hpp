// SPDX-License-Identifier: Apache-2.0
// Runs a kernel at once, before the launch returns; or, on a stream that is captured, when its graph is
// launched.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace emulator {

// Throws Misuse.
cudaError_t launch(const cudaLaunchConfig_t& config, const std::function<void()>& thread);

}  // namespace emulator

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               const Arguments&... arguments) {
  return emulator::launch(
      *config, [kernel, ... values = static_cast<Parameters>(arguments)] { kernel(values...); });
}
