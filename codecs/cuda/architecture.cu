// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/cuda/architecture.hpp"
#include "codecs/cuda/error.hpp"

namespace codecs::cuda {
namespace {

// Compiled as all kernels are.
__global__ void one_of_all_kernel() {}

}  // namespace

int code_architecture() {
  cudaFuncAttributes attributes{};
  const cudaError_t status =
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(one_of_all_kernel));
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
    (void)cudaGetLastError();
    return 0;
  }
  check(status);
  // The driver's own code is of the device's architecture, but does what its PTX says.
  return std::min(attributes.binaryVersion, attributes.ptxVersion);
}

}  // namespace codecs::cuda
