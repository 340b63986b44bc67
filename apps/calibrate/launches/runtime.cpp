// SPDX-License-Identifier: Apache-2.0
// In place of the functions of libcudart that the kernels' launchers call. Memory is reserved, so that
// addresses have their alignment, and touched only where it is kept.
#include "apps/calibrate/launches/runtime.hpp"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace launches {
namespace {

struct Recorder {
  std::map<const void*, std::string> kernels;
  ParameterSizes sizes;
  std::vector<Launch> launches;
  bool keeps_memory = false;
  std::vector<std::span<const std::byte>> memory;
};

// Kernels are registered before main().
Recorder& recorder() {
  static Recorder one;
  return one;
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
    launch.parameters.push_back(
        hexadecimal({static_cast<const std::byte*>(arguments[i]), sizes->second[i]}));
  }
  recorder().launches.push_back(std::move(launch));
}

std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

bool is_kept(const void* memory) {
  return std::ranges::any_of(recorder().memory, [&](std::span<const std::byte> one) {
    return memory >= one.data() && memory < one.data() + one.size();
  });
}

// What the host copies is there before a kernel runs.
cudaError_t record_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (is_kept(to) && (kind == cudaMemcpyHostToDevice || is_kept(from))) {
    std::memcpy(to, from, bytes);
  }
  if (kind == cudaMemcpyHostToDevice) return cudaSuccess;
  recorder().launches.push_back(
      {.kernel = "copy", .bytes = bytes, .to = address_of(to), .from = address_of(from)});
  return cudaSuccess;
}

cudaError_t record_fill(const void* to, int value, std::size_t bytes) {
  recorder().launches.push_back(
      {.kernel = "fill", .bytes = bytes, .to = address_of(to), .value = value});
  return cudaSuccess;
}

}  // namespace

void expect_parameters(const ParameterSizes& sizes) { recorder().sizes = sizes; }

std::vector<Launch> taken() { return std::exchange(recorder().launches, {}); }

void keep_memory(bool keeps) {
  recorder().keeps_memory = keeps;
  recorder().memory.clear();
}

std::vector<std::span<const std::byte>> kept_memory() { return recorder().memory; }

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) / 16];
    text += kDigits[std::to_integer<unsigned>(byte) % 16];
  }
  return text;
}

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
  launches::Recorder& recorder = launches::recorder();
  *memory = mmap(nullptr, bytes, recorder.keeps_memory ? PROT_READ | PROT_WRITE : PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (*memory == MAP_FAILED) return cudaErrorMemoryAllocation;
  if (recorder.keeps_memory) {
    recorder.memory.emplace_back(static_cast<const std::byte*>(*memory), bytes);
  }
  return cudaSuccess;
}
cudaError_t cudaFree(void*) { return cudaSuccess; }
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return launches::record_copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return launches::record_copy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return launches::record_fill(to, value, bytes);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  return launches::record_fill(to, value, bytes);
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
