// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/dgc/kernels.hpp"

namespace codecs::cuda {
namespace {

constexpr int kLoneThreads = 1024;  // of the kernels of one block
constexpr int kLoneWarps = kLoneThreads / kWarpLanes;
constexpr std::size_t kDgcBlockElements = 4096;

// In scratch, before the blocks' counts.
struct DgcProgress {
  float threshold;
  unsigned done;
  unsigned long long count;  // that reach the threshold
};

struct DgcScratch {
  DgcProgress* progress = nullptr;
  unsigned* before = nullptr;     // of each block of elements: those sent by lower ones
  unsigned* nonfinite = nullptr;  // a bit for each element
};

DgcScratch scratch_of(std::size_t elements, std::byte* scratch) {
  auto* const before = reinterpret_cast<unsigned*>(scratch + sizeof(DgcProgress));
  return {reinterpret_cast<DgcProgress*>(scratch), before,
          before + blocks_of(elements, kDgcBlockElements)};
}

// What the kernels after the first see of a tensor.
struct Gathered {
  float* momentum = nullptr;
  float* values = nullptr;
  const unsigned* nonfinite = nullptr;
  std::size_t elements = 0;

  // NaN where the state stays as it was.
  __device__ float candidate(std::size_t i) const {
    const bool stays = (nonfinite[i / kWarpLanes] >> (i % kWarpLanes) & 1u) != 0;
    return stays ? __uint_as_float(kNaNScale) : values[i];
  }
};

__device__ std::uint32_t magnitude_key(float x) { return __float_as_uint(x) & 0x7FFFFFFFu; }

__device__ bool reaches(float value, float threshold) {
  return magnitude_key(value) >= magnitude_key(threshold);
}

template <typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    gather_kernel(DgcTensors<Value> tensors, float momentum, unsigned* words, unsigned* nonfinite) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  const bool inside = i < tensors.elements;
  const float g = inside ? as_float(tensors.gradient[i]) : 0.0f;
  const float u = inside ? __fmaf_rn(momentum, tensors.momentum[i], g) : 0.0f;
  const float v = inside ? tensors.gathered[i] + u : 0.0f;
  const bool stays = magnitude_key(v) >= kInfinityBits;
  const unsigned word = __ballot_sync(kAllLanes, stays);
  if (!inside) return;
  if (i % kWarpLanes == 0) words[i / kWarpLanes] = word;
  if (stays) {
    if (nonfinite != nullptr) *nonfinite = 1;
    return;
  }
  tensors.momentum[i] = u;
  tensors.gathered[i] = v;
}

// The sum over a lone block; every thread gets it.
__device__ unsigned lone_sum(unsigned x) {
  __shared__ unsigned of_warp[kLoneWarps];
  x = __reduce_add_sync(kAllLanes, x);
  __syncthreads();
  if (threadIdx.x % kWarpLanes == 0) of_warp[threadIdx.x / kWarpLanes] = x;
  __syncthreads();
  return __reduce_add_sync(kAllLanes, of_warp[threadIdx.x % kWarpLanes]);
}

// The first threshold, by bisection of the samples' bits. One block.
__global__ void __launch_bounds__(kLoneThreads)
    sample_kernel(Gathered tensor, std::size_t stride, unsigned top, DgcProgress* progress) {
  unsigned threshold = 0;
  for (unsigned bit = 1u << 30; bit > 0; bit >>= 1) {
    unsigned reach = 0;
    for (std::size_t i = threadIdx.x * stride; i < tensor.elements; i += kLoneThreads * stride) {
      reach += magnitude_key(tensor.candidate(i)) >= (threshold | bit) ? 1u : 0u;
    }
    if (lone_sum(reach) >= top) threshold |= bit;
  }
  threshold = max(threshold, __float_as_uint(kDgcLeastThreshold));
  if (threadIdx.x == 0) *progress = {__uint_as_float(threshold), 0u, 0ull};
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    count_kernel(Gathered tensor, DgcProgress* progress) {
  if (progress->done != 0) return;
  const std::size_t first = blockIdx.x * kDgcBlockElements;
  unsigned reach = 0;
  for (std::size_t i = threadIdx.x; i < kDgcBlockElements; i += kThreadsPerBlock) {
    if (first + i >= tensor.elements) break;
    reach += reaches(tensor.candidate(first + i), progress->threshold) ? 1u : 0u;
  }
  __syncwarp();
  reach = __reduce_add_sync(kAllLanes, reach);
  if (threadIdx.x % kWarpLanes == 0) {
    atomicAdd(&progress->count, static_cast<unsigned long long>(reach));
  }
}

// One thread.
__global__ void adapt_kernel(DgcWire wire, float raise, float lower, DgcProgress* progress) {
  if (progress->done != 0) return;
  if (progress->count > wire.most) {
    progress->threshold *= raise;
  } else if (progress->count < wire.least) {
    progress->threshold *= lower;
  } else {
    progress->done = 1;
  }
  progress->count = 0;
}

// A threshold that is NaN became one of infinity.
__device__ float final_threshold(const DgcProgress& progress) {
  const float threshold = progress.threshold;
  return threshold == threshold ? threshold : __uint_as_float(kInfinityBits);
}

// How many of each block of elements are sent.
__global__ void __launch_bounds__(kThreadsPerBlock)
    block_counts_kernel(Gathered tensor, DgcScratch scratch) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const std::size_t first = blockIdx.x * kDgcBlockElements;
  const float threshold = final_threshold(*scratch.progress);
  unsigned reach = 0;
  for (std::size_t i = threadIdx.x; i < kDgcBlockElements; i += kThreadsPerBlock) {
    if (first + i >= tensor.elements) break;
    reach += reaches(tensor.candidate(first + i), threshold) ? 1u : 0u;
  }
  atomicAdd(&sum, reach);
  __syncthreads();
  if (threadIdx.x == 0) scratch.before[blockIdx.x] = sum;
}

// Counts become those of all lower blocks; the wire gets its header and zeros. One block.
__global__ void __launch_bounds__(kLoneThreads)
    offsets_kernel(std::size_t blocks, DgcWire wire, DgcScratch scratch, std::byte* bytes) {
  __shared__ unsigned of_thread[kLoneThreads];
  const std::size_t share = (blocks + kLoneThreads - 1) / kLoneThreads;
  const std::size_t first = threadIdx.x * share;
  unsigned own = 0;
  for (std::size_t i = first; i < first + share && i < blocks; ++i) own += scratch.before[i];
  of_thread[threadIdx.x] = own;
  __syncthreads();
  unsigned before = 0, all = 0;
  for (unsigned t = 0; t < kLoneThreads; ++t) {
    before += t < threadIdx.x ? of_thread[t] : 0u;
    all += of_thread[t];
  }
  for (std::size_t i = first; i < first + share && i < blocks; ++i) {
    const unsigned count = scratch.before[i];
    scratch.before[i] = before;
    before += count;
  }
  auto* words = reinterpret_cast<std::uint32_t*>(bytes);
  const auto capacity = static_cast<unsigned>(wire.capacity);
  for (std::size_t w = threadIdx.x; w < wire.bytes / 4; w += kLoneThreads) {
    words[w] = w == 0 ? min(all, capacity) : 0u;
  }
}

// In the order of the index: the block takes a row of its threads at a time.
__global__ void __launch_bounds__(kThreadsPerBlock)
    send_kernel(Gathered tensor, DgcWire wire, DgcScratch scratch, std::byte* bytes) {
  __shared__ unsigned of_warp[kWarpsPerBlock];
  const float threshold = final_threshold(*scratch.progress);
  const unsigned warp = threadIdx.x / kWarpLanes, lane = threadIdx.x % kWarpLanes;
  unsigned at = scratch.before[blockIdx.x];
  for (std::size_t row = 0; row < kDgcBlockElements; row += kThreadsPerBlock) {
    const std::size_t i = blockIdx.x * kDgcBlockElements + row + threadIdx.x;
    const float v = i < tensor.elements ? tensor.candidate(i) : 0.0f;
    const unsigned sent = __ballot_sync(kAllLanes, i < tensor.elements && reaches(v, threshold));
    if (lane == 0) of_warp[warp] = static_cast<unsigned>(__popc(sent));
    __syncthreads();
    std::size_t place = at + static_cast<unsigned>(__popc(sent & ((1u << lane) - 1u)));
    for (unsigned w = 0; w < kWarpsPerBlock; ++w) {
      place += w < warp ? of_warp[w] : 0u;
      at += of_warp[w];
    }
    if ((sent >> lane & 1u) != 0 && place < wire.capacity) {
      reinterpret_cast<std::int32_t*>(bytes + kDgcHeaderBytes)[place] =
          static_cast<std::int32_t>(i);
      reinterpret_cast<float*>(bytes + wire.values)[place] = v;
      if (v == v) tensor.momentum[i] = tensor.values[i] = 0;
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    scatter_kernel(const std::byte* bytes, DgcWire wire, float* sums) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (i >= *reinterpret_cast<const std::uint32_t*>(bytes)) return;
  const auto index = reinterpret_cast<const std::int32_t*>(bytes + kDgcHeaderBytes)[i];
  sums[index] += reinterpret_cast<const float*>(bytes + wire.values)[i];
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    divide_kernel(float* values, std::size_t elements, float by) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (i < elements) values[i] = __fdiv_rn(values[i], by);
}

template <typename Value>
void encode_dgc(const Dgc& dgc, const DgcTensors<Value>& tensors, const Encoding& to,
                cudaStream_t stream) {
  const DgcWire wire = dgc_wire(dgc, tensors.elements);
  if (tensors.elements == 0) return;
  const DgcScratch scratch = scratch_of(tensors.elements, to.scratch);
  const Gathered gathered{tensors.momentum, tensors.gathered, scratch.nonfinite, tensors.elements};
  const Grid threads{.blocks = blocks_of(tensors.elements, kThreadsPerBlock), .stream = stream};
  const Grid blocks{.blocks = blocks_of(tensors.elements, kDgcBlockElements), .stream = stream};
  const Grid lone{.blocks = 1, .threads = kLoneThreads, .stream = stream};
  launch(gather_kernel<Value>, threads, tensors, dgc.momentum, scratch.nonfinite, to.nonfinite);
  launch(sample_kernel, lone, gathered, dgc.stride, static_cast<unsigned>(wire.top_samples),
         scratch.progress);
  for (int round = 0; round < dgc.rounds; ++round) {
    launch(count_kernel, blocks, gathered, scratch.progress);
    launch(adapt_kernel, {.blocks = 1, .threads = 1, .stream = stream}, wire,
           static_cast<float>(dgc.most), static_cast<float>(dgc.least), scratch.progress);
  }
  launch(block_counts_kernel, blocks, gathered, scratch);
  launch(offsets_kernel, lone, std::size_t{blocks.blocks}, wire, scratch, to.wires);
  launch(send_kernel, blocks, gathered, wire, scratch, to.wires);
}

}  // namespace

std::size_t dgc_scratch_bytes(std::size_t elements) {
  const std::size_t words =
      blocks_of(elements, kDgcBlockElements) + blocks_of(elements, kWarpLanes);
  return sizeof(DgcProgress) + words * sizeof(unsigned);
}

void encode_dgc_async(const Dgc& dgc, const DgcTensors<float>& tensors, const Encoding& to,
                      cudaStream_t stream) {
  encode_dgc(dgc, tensors, to, stream);
}
void encode_dgc_async(const Dgc& dgc, const DgcTensors<Bf16>& tensors, const Encoding& to,
                      cudaStream_t stream) {
  encode_dgc(dgc, tensors, to, stream);
}

void decode_mean_dgc_async(const Dgc& dgc, const Wires& wires, Tensor<float> means,
                           cudaStream_t stream) {
  const DgcWire wire = dgc_wire(dgc, means.elements);
  require(wires.inputs > 0, "a mean is of one wire at least");
  if (means.elements == 0) return;
  check(cudaMemsetAsync(means.values, 0, means.elements * sizeof(float), stream));
  for (int input = 0; input < wires.inputs; ++input) {
    launch(scatter_kernel, {.blocks = blocks_of(wire.capacity, kThreadsPerBlock), .stream = stream},
           wires.bytes + static_cast<std::size_t>(input) * wire.bytes, wire, means.values);
  }
  launch(divide_kernel, {.blocks = blocks_of(means.elements, kThreadsPerBlock), .stream = stream},
         means.values, means.elements, static_cast<float>(wires.inputs));
}

}  // namespace codecs::cuda
