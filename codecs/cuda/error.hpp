// Trouble with the device is an exception that names the call's place.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace codecs::cuda {

// A CUDA call failed, or there is no device. Exit code 3.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, std::source_location at = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw CudaError(std::string(at.file_name()) + ":" + std::to_string(at.line()) + ": " +
                  cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

}  // namespace codecs::cuda
