// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/dgc/kernels.hpp"

namespace codecs::cuda {
namespace {

constexpr int kLoneThreads = 1024;  // of the kernels of one block
constexpr int kLoneWarps = kLoneThreads / kWarpLanes;
constexpr std::size_t kDgcBlockElements = 4096;
constexpr int kDigitBits = 11;  // of a sample's key, found at once
constexpr int kDigits = 1 << kDigitBits;
constexpr int kSamplesPerThread = 8;
constexpr std::size_t kSamplesPerBlock = std::size_t{kSamplesPerThread} * kThreadsPerBlock;
constexpr unsigned kNoSample = 0xFFFFFFFFu;  // no key

// In scratch, before the blocks' counts.
struct DgcProgress {
  float threshold;
  unsigned done;
  unsigned long long count;  // that reach the threshold
  unsigned key;              // digits of the first threshold so far, the others 0
  unsigned above;            // samples whose digits are larger
  unsigned digits[kDigits];  // samples with these digits, by their next one
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
    const float value = values[i];
    const bool stays = (nonfinite[i / kWarpLanes] >> (i % kWarpLanes) & 1u) != 0;
    return stays ? __uint_as_float(kNaNScale) : value;
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

// The sum over the lower threads of a lone block.
__device__ unsigned lone_before(unsigned x) {
  __shared__ unsigned of_warp[kLoneWarps];
  const unsigned warp = threadIdx.x / kWarpLanes, lane = threadIdx.x % kWarpLanes;
  unsigned through = x;
#pragma unroll
  for (unsigned stride = 1; stride < kWarpLanes; stride *= 2) {
    const unsigned lower = __shfl_up_sync(kAllLanes, through, stride);
    if (lane >= stride) through += lower;
  }
  __syncthreads();
  if (lane == kWarpLanes - 1) of_warp[warp] = through;
  __syncthreads();
  return __reduce_add_sync(kAllLanes, lane < warp ? of_warp[lane] : 0u) + through - x;
}

// Counts the samples that have the threshold's digits above `shift` by their digit there.
__global__ void __launch_bounds__(kThreadsPerBlock)
    digits_kernel(Gathered tensor, std::size_t stride, int shift, DgcProgress* progress) {
  __shared__ unsigned counts[kDigits];
  for (int d = static_cast<int>(threadIdx.x); d < kDigits; d += kThreadsPerBlock) counts[d] = 0;
  __syncthreads();
  const unsigned threshold = progress->key;
  unsigned keys[kSamplesPerThread];
  const std::size_t first = blockIdx.x * kSamplesPerBlock + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kSamplesPerThread; ++k) {
    const std::size_t i = (first + k * kThreadsPerBlock) * stride;
    keys[k] = i < tensor.elements ? magnitude_key(tensor.candidate(i)) : kNoSample;
  }
#pragma unroll
  for (int k = 0; k < kSamplesPerThread; ++k) {
    if (keys[k] == kNoSample || (keys[k] ^ threshold) >> shift >> kDigitBits != 0) continue;
    atomicAdd(&counts[keys[k] >> shift & (kDigits - 1u)], 1u);
  }
  __syncthreads();
  for (int d = static_cast<int>(threadIdx.x); d < kDigits; d += kThreadsPerBlock) {
    if (counts[d] != 0) atomicAdd(&progress->digits[d], counts[d]);
  }
}

// The threshold's digit at `shift`: the largest that `top` samples reach. One block.
__global__ void __launch_bounds__(kLoneThreads)
    digit_kernel(int shift, unsigned top, DgcProgress* progress) {
  static_assert(kDigits == 2 * kLoneThreads);
  const unsigned own = 2 * threadIdx.x;
  const unsigned low = progress->digits[own], high = progress->digits[own + 1];
  progress->digits[own] = progress->digits[own + 1] = 0;
  const unsigned above = progress->above;
  const unsigned reach = above + lone_sum(low + high) - lone_before(low + high);
  const unsigned reached = lone_sum((reach >= top ? 1u : 0u) + (reach - low >= top ? 1u : 0u));
  const unsigned digit = max(reached, 1u) - 1u;
  const unsigned larger = lone_sum((own > digit ? low : 0u) + (own + 1 > digit ? high : 0u));
  if (threadIdx.x != 0) return;
  const unsigned key = progress->key | digit << shift;
  progress->key = key;
  progress->above = above + larger;
  progress->threshold = __uint_as_float(max(key, __float_as_uint(kDgcLeastThreshold)));
}

// How many of the block of threads' elements reach the threshold, for thread 0.
__device__ unsigned block_reach(const Gathered& tensor, float threshold) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const std::size_t first = blockIdx.x * kDgcBlockElements + threadIdx.x;
  unsigned reach = 0;
#pragma unroll 8
  for (std::size_t k = 0; k < kDgcBlockElements; k += kThreadsPerBlock) {
    const bool inside = first + k < tensor.elements;
    const float value = inside ? tensor.candidate(first + k) : 0.0f;
    reach += inside && reaches(value, threshold) ? 1u : 0u;
  }
  reach = __reduce_add_sync(kAllLanes, reach);
  if (threadIdx.x % kWarpLanes == 0) atomicAdd(&sum, reach);
  __syncthreads();
  return sum;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    count_kernel(Gathered tensor, DgcProgress* progress) {
  if (progress->done != 0) return;
  const unsigned reach = block_reach(tensor, progress->threshold);
  if (threadIdx.x == 0) atomicAdd(&progress->count, static_cast<unsigned long long>(reach));
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
  const unsigned reach = block_reach(tensor, final_threshold(*scratch.progress));
  if (threadIdx.x == 0) scratch.before[blockIdx.x] = reach;
}

// Counts become those of all lower blocks; the wire, which is zeros, gets its header. One block.
__global__ void __launch_bounds__(kLoneThreads)
    offsets_kernel(std::size_t blocks, DgcWire wire, DgcScratch scratch, std::byte* bytes) {
  const std::size_t share = (blocks + kLoneThreads - 1) / kLoneThreads;
  const std::size_t first = threadIdx.x * share;
  unsigned own = 0;
  for (std::size_t i = first; i < first + share && i < blocks; ++i) own += scratch.before[i];
  const unsigned all = lone_sum(own);
  unsigned before = lone_before(own);
  for (std::size_t i = first; i < first + share && i < blocks; ++i) {
    const unsigned count = scratch.before[i];
    scratch.before[i] = before;
    before += count;
  }
  if (threadIdx.x != 0) return;
  *reinterpret_cast<std::uint32_t*>(bytes) = min(all, static_cast<unsigned>(wire.capacity));
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
  check(cudaMemsetAsync(scratch.progress, 0, sizeof *scratch.progress, stream));
  const std::size_t samples = (tensors.elements - 1) / dgc.stride + 1;
  const Grid sample{.blocks = blocks_of(samples, kSamplesPerBlock), .stream = stream};
  for (int shift = 2 * kDigitBits; shift >= 0; shift -= kDigitBits) {
    launch(digits_kernel, sample, gathered, dgc.stride, shift, scratch.progress);
    launch(digit_kernel, lone, shift, static_cast<unsigned>(wire.top_samples), scratch.progress);
  }
  for (int round = 0; round < dgc.rounds; ++round) {
    launch(count_kernel, blocks, gathered, scratch.progress);
    launch(adapt_kernel, {.blocks = 1, .threads = 1, .stream = stream}, wire,
           static_cast<float>(dgc.most), static_cast<float>(dgc.least), scratch.progress);
  }
  launch(block_counts_kernel, blocks, gathered, scratch);
  check(cudaMemsetAsync(to.wires, 0, wire.bytes, stream));
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
