// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/cuda/launch.cuh"
#include "codecs/cuda/memory_passes.hpp"

namespace codecs::cuda {
namespace {

constexpr int kCopyThreads = 512;
constexpr int kPassThreads = 256;
constexpr int kUnroll = 4;  // independent loads of a thread

int device_blocks(int per_multiprocessor) {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return per_multiprocessor * multiprocessors;
}

__global__ void copy_blocks_kernel(const uint4* from, uint4* to, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (kUnroll - 1) * stride < count; i += kUnroll * stride) {
    uint4 held[kUnroll];
    for (int k = 0; k < kUnroll; ++k) held[k] = from[i + k * stride];
    for (int k = 0; k < kUnroll; ++k) to[i + k * stride] = held[k];
  }
  for (; i < count; i += stride) to[i] = from[i];
}

__global__ void sum_of_squares_kernel(const float4* values, std::size_t count, float* sum) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float parts[kUnroll] = {};
  const auto add = [](float& part, const float4& v) {
    part += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  };
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (kUnroll - 1) * stride < count; i += kUnroll * stride) {
    float4 held[kUnroll];
    for (int k = 0; k < kUnroll; ++k) held[k] = values[i + k * stride];
    for (int k = 0; k < kUnroll; ++k) add(parts[k], held[k]);
  }
  for (; i < count; i += stride) add(parts[0], values[i]);
  float mine = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_xor_sync(0xFFFFFFFFu, mine, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

__global__ void scale_kernel(float4* values, std::size_t count, float factor) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kUnroll + threadIdx.x;
  float4 held[kUnroll] = {};
  for (int k = 0; k < kUnroll; ++k) {
    const std::size_t i = first + static_cast<std::size_t>(k) * blockDim.x;
    if (i < count) held[k] = values[i];
  }
  for (int k = 0; k < kUnroll; ++k) {
    const std::size_t i = first + static_cast<std::size_t>(k) * blockDim.x;
    const float4 v = held[k];
    if (i < count) values[i] = {v.x * factor, v.y * factor, v.z * factor, v.w * factor};
  }
}

__device__ void adam_step(const Adam& adam, float g, float& w, float& m, float& v) {
  m = adam.beta1 * m + (1 - adam.beta1) * g;
  v = adam.beta2 * v + (1 - adam.beta2) * g * g;
  const float step = adam.correction1 * m / (sqrtf(adam.correction2 * v) + adam.epsilon);
  w = w - adam.rate * (step + adam.decay * w);
}

struct AdamVectors {
  float4* weights;
  float4* first_moments;
  float4* second_moments;
};

__global__ void adam_kernel(Adam adam, const float4* gradients, AdamVectors state,
                            std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 g = gradients[i];
  float4 w = state.weights[i], m = state.first_moments[i], v = state.second_moments[i];
  adam_step(adam, g.x, w.x, m.x, v.x);
  adam_step(adam, g.y, w.y, m.y, v.y);
  adam_step(adam, g.z, w.z, m.z, v.z);
  adam_step(adam, g.w, w.w, m.w, v.w);
  state.weights[i] = w;
  state.first_moments[i] = m;
  state.second_moments[i] = v;
}

std::size_t vectors(std::size_t bytes) {
  require(bytes % sizeof(uint4) == 0, "a length of whole 16 bytes");
  return bytes / sizeof(uint4);
}

Grid grid_for(std::size_t count, int per_block, cudaStream_t stream) {
  const auto each = static_cast<std::size_t>(per_block);
  return {.blocks = static_cast<unsigned>((count + each - 1) / each),
          .threads = kPassThreads,
          .stream = stream};
}

}  // namespace

void copy_async(const std::byte* from, std::byte* to, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = vectors(bytes);
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(device_blocks(4));
  launch(copy_blocks_kernel, {.blocks = blocks, .threads = kCopyThreads, .stream = stream},
         reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(to), count);
}

void sum_of_squares_async(Tensor<const float> values, float* sum, cudaStream_t stream) {
  const std::size_t count = vectors(values.elements * sizeof(float));
  check(cudaMemsetAsync(sum, 0, sizeof(float), stream));
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(device_blocks(8));
  launch(sum_of_squares_kernel, {.blocks = blocks, .threads = kPassThreads, .stream = stream},
         reinterpret_cast<const float4*>(values.values), count, sum);
}

void scale_async(Tensor<float> values, float factor, cudaStream_t stream) {
  const std::size_t count = vectors(values.elements * sizeof(float));
  if (count == 0) return;
  launch(scale_kernel, grid_for(count, kUnroll * kPassThreads, stream),
         reinterpret_cast<float4*>(values.values), count, factor);
}

void adam_async(const Adam& adam, Tensor<const float> gradients, const AdamState& state,
                cudaStream_t stream) {
  const std::size_t count = vectors(gradients.elements * sizeof(float));
  if (count == 0) return;
  const AdamVectors vectors{reinterpret_cast<float4*>(state.weights),
                            reinterpret_cast<float4*>(state.first_moments),
                            reinterpret_cast<float4*>(state.second_moments)};
  launch(adam_kernel, grid_for(count, kPassThreads, stream), adam,
         reinterpret_cast<const float4*>(gradients.values), vectors, count);
}

}  // namespace codecs::cuda
