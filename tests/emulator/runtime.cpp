// SPDX-License-Identifier: Apache-2.0
// The functions of the CUDA runtime that the project calls, for the emulated GPU; those of streams
// are in streams.cpp.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/emulator/block.hpp"
#include "tests/emulator/device_memory.hpp"
#include "tests/emulator/launch.hpp"
#include "tests/emulator/streams.hpp"

namespace emulator {
namespace {

cudaError_t& last_error() {
  static cudaError_t error = cudaSuccess;
  return error;
}

}  // namespace

int compute_capability() {
  static const int emulated = [] {
    const char* const named = std::getenv("EMULATED_COMPUTE_CAPABILITY");
    return named == nullptr ? 90 : std::atoi(named);
  }();
  return emulated;
}

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) last_error() = error;
  return error;
}

cudaError_t launch(const cudaLaunchConfig_t& config, const std::function<void()>& thread) {
  const dim3& blocks = config.gridDim;
  const dim3& threads = config.blockDim;
  const std::uint64_t per_block = std::uint64_t{threads.x} * threads.y * threads.z;
  if (per_block == 0 || per_block > 1024 || threads.z > 64 || blocks.x == 0 || blocks.y == 0 ||
      blocks.z == 0 || blocks.x > 0x7FFFFFFFu || blocks.y > 0xFFFFu || blocks.z > 0xFFFFu) {
    return result(cudaErrorInvalidConfiguration);
  }
  if (config.dynamicSmemBytes != 0) throw Misuse("shared memory of a launch is not emulated");
  return enqueue_kernel(config.stream, [blocks, threads, thread] {
    run_grid(blocks, threads, thread);
    check_guards();
  });
}

}  // namespace emulator

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (emulator::is_capturing()) return emulator::result(cudaErrorStreamCaptureUnsupported);
  *memory = bytes == 0 ? nullptr : emulator::allocate(bytes);
  return emulator::result(bytes == 0 || *memory != nullptr ? cudaSuccess
                                                           : cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* memory) {
  emulator::finish_default_stream();
  return emulator::result(memory == nullptr || emulator::release(memory) ? cudaSuccess
                                                                         : cudaErrorInvalidValue);
}
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return cudaFree(memory); }
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return emulator::result(*memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = emulator::kDeviceBytes - emulator::allocated_bytes();
  *total = emulator::kDeviceBytes;
  return cudaSuccess;
}

// A variable of the device is one of the program.
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind) {
  std::memcpy(static_cast<std::byte*>(const_cast<void*>(symbol)) + offset, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = const_cast<void*>(symbol);
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return emulator::result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrL2CacheSize:
      *value = 1 << 20;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = 2;
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = emulator::kWarpLanes;
      return cudaSuccess;
    default:
      return emulator::result(cudaErrorNotSupported);
  }
}

cudaError_t cudaPeekAtLastError() { return emulator::last_error(); }
cudaError_t cudaGetLastError() { return std::exchange(emulator::last_error(), cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNotSupported:
      return "cudaErrorNotSupported";
    default:
      return "an error of the emulated GPU";
  }
}
