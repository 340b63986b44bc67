// SPDX-License-Identifier: Apache-2.0
// In place of the functions of libcudart that the kernels' launchers call. Memory is reserved, so that
// addresses have their alignment, and never touched.
#include "apps/calibrate/launches/runtime.hpp"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cctype>
#include <span>
#include <stdexcept>
#include <utility>

namespace launches {
namespace {

struct Recorder {
  std::map<const void*, std::string> kernels;
  ParameterSizes sizes;
  std::vector<Launch> launches;
};

// Kernels are registered before main().
Recorder& recorder() {
  static Recorder one;
  return one;
}

std::string hexadecimal(const void* value, std::size_t bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : std::span(static_cast<const unsigned char*>(value), bytes)) {
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

void record(const cudaLaunchConfig_t& config, const void* kernel, void** arguments) {
  Launch launch{.kernel = recorder().kernels.at(kernel),
                .blocks = config.gridDim.x,
                .threads = config.blockDim.x};
  const auto sizes = recorder().sizes.find(launch.kernel);
  if (sizes == recorder().sizes.end()) {
    throw std::out_of_range("no parameter sizes of " + launch.kernel);
  }
  for (std::size_t i = 0; i < sizes->second.size(); ++i) {
    launch.parameters.push_back(hexadecimal(arguments[i], sizes->second[i]));
  }
  recorder().launches.push_back(std::move(launch));
}

cudaError_t record(const char* what, std::size_t bytes) {
  recorder().launches.push_back({.kernel = what, .bytes = bytes});
  return cudaSuccess;
}

}  // namespace

void expect_parameters(const ParameterSizes& sizes) { recorder().sizes = sizes; }

std::vector<Launch> taken() { return std::exchange(recorder().launches, {}); }

std::string without_hashes(const std::string& mangled) {
  std::string name;
  for (std::size_t at = 0; at < mangled.size();) {
    std::size_t end = at, length = 0;
    while (end < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[end])) != 0) {
      length = 10 * length + static_cast<std::size_t>(mangled[end++] - '0');
    }
    const bool hashed =
        mangled.compare(end, 11, "_GLOBAL__N_") == 0 || mangled.compare(end, 10, "_INTERNAL_") == 0;
    if (end > at && hashed) {
      name += "10_INTERNAL_";
      at = end + length;
    } else {
      name += mangled[at++];
    }
  }
  return name;
}

}  // namespace launches

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  launches::recorder().kernels[host] = launches::without_hashes(name);
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*) {
  return cudaErrorNotSupported;
}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return cudaErrorNotSupported; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return cudaErrorNotSupported;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  launches::record(*config, kernel, arguments);
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *memory == MAP_FAILED ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void*) { return cudaSuccess; }
cudaError_t cudaMemcpy(void*, const void*, std::size_t bytes, cudaMemcpyKind) {
  return launches::record("copy", bytes);
}
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  return launches::record("copy", bytes);
}
cudaError_t cudaMemset(void*, int, std::size_t bytes) { return launches::record("fill", bytes); }
cudaError_t cudaMemsetAsync(void*, int, std::size_t bytes, cudaStream_t) {
  return launches::record("fill", bytes);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
  return cudaErrorNotSupported;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) { return cudaErrorNotSupported; }
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = 0;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t) { return "cudaError"; }
const char* cudaGetErrorString(cudaError_t) { return "of a runtime that only records"; }

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
