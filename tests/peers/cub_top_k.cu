// SPDX-License-Identifier: Apache-2.0
// The 64 largest of every 4096 values with error feedback, by CUB: a sort of each chunk in one
// block, and a segmented sort of the whole tensor. Prints {name: {median_s, spread_s}} as JSON.
// Usage: cub_top_k ELEMENTS
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <functional>
#include <vector>

namespace {

constexpr int kChunk = 4096, kKeep = 64, kThreads = 256, kItems = kChunk / kThreads;
constexpr float kDecay = 0.95f;
constexpr int kWarmUp = 3, kLaunches = 33;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(3);
}

template <typename T>
T* allocate(std::size_t count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}

struct Sparse {
  std::uint16_t* indices;
  float* values;
};

__global__ void __launch_bounds__(kThreads)
    block_sort(const float* values, float* residual, Sparse sent) {
  using Sort = cub::BlockRadixSort<std::uint32_t, kThreads, kItems, std::uint16_t>;
  __shared__ typename Sort::TempStorage storage;
  __shared__ float sums[kChunk];
  const std::size_t first = std::size_t{blockIdx.x} * kChunk;
  std::uint32_t keys[kItems];
  std::uint16_t indices[kItems];
  for (int i = 0; i < kItems; ++i) {  // neighbours to neighbours: which thread sorts what is free
    const int at = i * kThreads + static_cast<int>(threadIdx.x);
    sums[at] = fmaf(kDecay, residual[first + at], values[first + at]);
    keys[i] = __float_as_uint(fabsf(sums[at]));
    indices[i] = static_cast<std::uint16_t>(at);
  }
  Sort(storage).SortDescending(keys, indices, 0, 31);
  __syncthreads();
  for (int i = 0; i < kItems; ++i) {
    const int rank = static_cast<int>(threadIdx.x) * kItems + i;
    if (rank >= kKeep) break;
    const std::size_t to = std::size_t{blockIdx.x} * kKeep + static_cast<unsigned>(rank);
    sent.indices[to] = indices[i];
    sent.values[to] = sums[indices[i]];
    sums[indices[i]] = 0;
  }
  __syncthreads();
  for (int at = static_cast<int>(threadIdx.x); at < kChunk; at += kThreads) {
    residual[first + at] = sums[at];
  }
}

__global__ void add(const float* values, float* residual, std::uint32_t* keys,
                    std::uint16_t* indices, std::size_t elements) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= elements) return;
  residual[i] = fmaf(kDecay, residual[i], values[i]);
  keys[i] = __float_as_uint(fabsf(residual[i]));
  indices[i] = static_cast<std::uint16_t>(i % kChunk);
}

__global__ void take(const std::uint16_t* sorted, float* residual, Sparse sent,
                     std::size_t chunks) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= chunks * kKeep) return;
  const std::size_t chunk = i / kKeep;
  const std::uint16_t index = sorted[chunk * kChunk + i % kKeep];
  sent.indices[i] = index;
  sent.values[i] = residual[chunk * kChunk + index];
  residual[chunk * kChunk + index] = 0;
}

__global__ void fill(float* values, std::size_t elements, std::uint32_t seed) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= elements) return;
  auto bits = static_cast<std::uint32_t>(i) * 2654435761u + seed;
  bits = (bits ^ (bits >> 16)) * 0x45d9f3bu;
  bits = (bits ^ (bits >> 16)) * 0x45d9f3bu;
  values[i] = normcdfinvf((static_cast<float>((bits ^ (bits >> 16)) >> 8) + 0.5f) * 0x1p-24f);
}

__global__ void read(const uint4* buffer, std::size_t count, unsigned* never) {
  unsigned seen = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kThreads) {
    seen |= buffer[i].x | buffer[i].y | buffer[i].z | buffer[i].w;
  }
  if (seen != 0) *never = seen;
}

unsigned blocks(std::size_t elements) {
  return static_cast<unsigned>((elements + kThreads - 1) / kThreads);
}

struct StartOfChunk {
  __host__ __device__ std::int64_t operator()(std::int64_t chunk) const { return chunk * kChunk; }
};

struct Tensor {
  std::size_t elements;
  float *values, *residual;
  Sparse sent;

  explicit Tensor(std::size_t count)
      : elements(count),
        values(allocate<float>(count)),
        residual(allocate<float>(count)),
        sent{allocate<std::uint16_t>(count / kChunk * kKeep),
             allocate<float>(count / kChunk * kKeep)} {
    reset();
  }
  void reset() const {
    fill<<<blocks(elements), kThreads>>>(values, elements, 1);
    check(cudaMemset(residual, 0, elements * sizeof(float)));
  }
};

// Median and interquartile range with an L2 that holds clean lines of something else.
void report(const char* name, const std::function<void()>& launch, bool last) {
  int l2_bytes = 0;
  check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  const std::size_t vectors = 2 * static_cast<std::size_t>(l2_bytes) / sizeof(uint4) + 1;
  uint4* const flush = allocate<uint4>(vectors);
  check(cudaMemset(flush, 0, vectors * sizeof(uint4)));
  std::vector<cudaEvent_t> events(2 * kLaunches);
  for (cudaEvent_t& event : events) check(cudaEventCreate(&event));
  for (int i = -kWarmUp; i < kLaunches; ++i) {
    read<<<1024, kThreads>>>(flush, vectors, reinterpret_cast<unsigned*>(flush));
    if (i >= 0) check(cudaEventRecord(events[2 * i]));
    launch();
    if (i >= 0) check(cudaEventRecord(events[2 * i + 1]));
  }
  check(cudaDeviceSynchronize());
  std::vector<float> ms(kLaunches);
  for (int i = 0; i < kLaunches; ++i) {
    check(cudaEventElapsedTime(&ms[i], events[2 * i], events[2 * i + 1]));
  }
  std::sort(ms.begin(), ms.end());
  std::printf("\"%s\": {\"median_s\": %.9g, \"spread_s\": %.9g}%s\n", name,
              ms[kLaunches / 2] * 1e-3, (ms[kLaunches * 3 / 4] - ms[kLaunches / 4]) * 1e-3,
              last ? "}" : ",");
  check(cudaFree(flush));
}

// Nothing that stayed in the first chunk is larger than what was sent. After one launch.
void verify(const char* name, const Tensor& tensor, const std::function<void()>& launch) {
  tensor.reset();
  launch();
  check(cudaDeviceSynchronize());
  std::vector<float> stayed(kChunk), sent(kKeep);
  check(cudaMemcpy(stayed.data(), tensor.residual, kChunk * 4, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(sent.data(), tensor.sent.values, kKeep * 4, cudaMemcpyDeviceToHost));
  float largest = 0, smallest = INFINITY;
  for (const float value : stayed) largest = std::max(largest, std::fabs(value));
  for (const float value : sent) smallest = std::min(smallest, std::fabs(value));
  if (largest <= smallest && smallest > 0) return;
  std::fprintf(stderr, "%s: kept %g, sent %g\n", name, largest, smallest);
  std::exit(1);
}

void run(std::size_t elements) {
  const Tensor tensor(elements);
  const std::size_t chunks = elements / kChunk;
  const auto in_blocks = [&] {
    block_sort<<<static_cast<unsigned>(chunks), kThreads>>>(tensor.values, tensor.residual,
                                                            tensor.sent);
  };
  auto* const keys = allocate<std::uint32_t>(elements);
  auto* const keys_out = allocate<std::uint32_t>(elements);
  auto* const indices = allocate<std::uint16_t>(elements);
  auto* const indices_out = allocate<std::uint16_t>(elements);
  const auto starts = thrust::make_transform_iterator(
      thrust::make_counting_iterator(std::int64_t{0}), StartOfChunk{});
  std::size_t scratch_bytes = 0;
  const auto sort = [&](void* scratch) {
    check(cub::DeviceSegmentedRadixSort::SortPairsDescending(
        scratch, scratch_bytes, keys, keys_out, indices, indices_out,
        static_cast<std::int64_t>(elements), static_cast<std::int64_t>(chunks), starts, starts + 1,
        0, 31));
  };
  sort(nullptr);
  auto* const scratch = allocate<std::byte>(scratch_bytes);
  const auto segmented = [&] {
    add<<<blocks(elements), kThreads>>>(tensor.values, tensor.residual, keys, indices, elements);
    sort(scratch);
    take<<<blocks(chunks * kKeep), kThreads>>>(indices_out, tensor.residual, tensor.sent, chunks);
  };
  verify("block sort", tensor, in_blocks);
  verify("segmented sort", tensor, segmented);
  std::printf("{");
  report("block sort", in_blocks, false);
  report("segmented sort", segmented, true);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t elements = count == 2 ? std::strtoull(arguments[1], nullptr, 10) : 0;
  if (elements == 0 || elements % kChunk != 0) {
    std::fprintf(stderr, "usage: cub_top_k ELEMENTS, a multiple of %d\n", kChunk);
    return 2;
  }
  run(elements);
  return 0;
}
