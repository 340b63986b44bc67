// SPDX-License-Identifier: Apache-2.0
// What a collective's channels are to the kernels beside them: blocks that hold a multiprocessor each
// for a given time, and that copy memory or do not; and a count of cycles. For tests/gpu/overlap.py and rates.py.
#include <cstddef>
#include <cstdint>

namespace {

// Half of a multiprocessor's shared memory and a bit: no second block fits, nor one of a large product.
constexpr int kSharedBytes = 120 * 1024;
constexpr int kThreads = 512;

__device__ std::uint64_t now_ns() {
  std::uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void hold(std::uint64_t duration_ns) {
  const std::uint64_t end_ns = now_ns() + duration_ns;
  while (now_ns() < end_ns) __nanosleep(500);
}

// Each block goes over its own part of the memory again and again. `copied` counts bytes.
__global__ void copy(std::uint64_t duration_ns, const float4* from, float4* to, std::size_t values,
                     unsigned long long* copied) {
  const std::size_t part = values / gridDim.x;
  from += part * blockIdx.x;
  to += part * blockIdx.x;
  const std::uint64_t end_ns = now_ns() + duration_ns;
  constexpr std::size_t kAtOnce = 8;
  unsigned long long bytes = 0;
  for (std::size_t start = 0; now_ns() < end_ns;) {
    float4 held[kAtOnce];
#pragma unroll
    for (std::size_t i = 0; i < kAtOnce; ++i) held[i] = from[start + i * kThreads + threadIdx.x];
#pragma unroll
    for (std::size_t i = 0; i < kAtOnce; ++i) to[start + i * kThreads + threadIdx.x] = held[i];
    bytes += kAtOnce * kThreads * sizeof(float4);
    start += kAtOnce * kThreads;
    if (start + kAtOnce * kThreads > part) start = 0;
  }
  if (threadIdx.x == 0) atomicAdd(copied, bytes);
}

// Of one multiprocessor: {its cycles, the nanoseconds of them}.
__global__ void count(std::uint64_t duration_ns, long long* cycles) {
  const std::uint64_t start_ns = now_ns();
  const long long start = clock64();
  while (now_ns() < start_ns + duration_ns) continue;
  cycles[0] = clock64() - start;
  cycles[1] = static_cast<long long>(now_ns() - start_ns);
}

}  // namespace

// `channels` blocks on `stream` for `duration_ns`; they copy where there is `from`, of `bytes` bytes.
// Returns the CUDA error, 0 if none.
extern "C" int occupy(int channels, std::uint64_t duration_ns, const void* from, void* to,
                      std::size_t bytes, void* copied, void* stream) {
  auto* on = static_cast<cudaStream_t>(stream);
  if (from == nullptr) {
    cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
    hold<<<channels, kThreads, kSharedBytes, on>>>(duration_ns);
  } else {
    cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
    copy<<<channels, kThreads, kSharedBytes, on>>>(duration_ns, static_cast<const float4*>(from),
                                                   static_cast<float4*>(to), bytes / sizeof(float4),
                                                   static_cast<unsigned long long*>(copied));
  }
  return cudaGetLastError();
}

// The clock at which the GPU runs: one thread counts for `duration_ns`. Returns the CUDA error, 0 if none.
extern "C" int count_cycles(std::uint64_t duration_ns, void* cycles, void* stream) {
  count<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(duration_ns,
                                                        static_cast<long long*>(cycles));
  return cudaGetLastError();
}
