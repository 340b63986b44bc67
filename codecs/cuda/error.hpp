// SPDX-License-Identifier: Apache-2.0
// Device errors, as exceptions that name the place of the call.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace codecs::cuda {

// A CUDA call failed, or there is no device. Exit code 3.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The built-ins are the caller's place; clang 14 lacks std::source_location.
inline void check(cudaError_t status, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (status == cudaSuccess) return;
  throw CudaError(std::string(file) + ":" + std::to_string(line) + ": " + cudaGetErrorName(status) +
                  ": " + cudaGetErrorString(status));
}

}  // namespace codecs::cuda
