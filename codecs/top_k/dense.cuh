// SPDX-License-Identifier: Apache-2.0
// codebook2 of all values: its passes read them from memory, with feedback the residual too, and keep
// nothing but sums. A warp takes a chunk.
#pragma once

#include "codecs/top_k/codebook.cuh"

namespace codecs::cuda {

// What is sent of a chunk's values.
template <bool kFeedback, typename Value>
struct AllValues {
  // That a lane loads before it uses them.
  static constexpr int kBatch = 8;
  TopKInput<Value> in = {};

  __device__ std::size_t first(std::size_t chunk) const {
    return in.tiles.first(static_cast<unsigned>(chunk));
  }
  __device__ std::size_t place(std::size_t first, unsigned e) const {
    return first + in.tiles.offset(e);
  }
  __device__ float at(std::size_t first, unsigned e) const {
    const std::size_t at = place(first, e);
    if constexpr (!kFeedback) return as_float(in.values[at]);
    return sent(as_float(in.values[at]), in.residual.values[at]);
  }

  // Calls use(i, offset) for a lane's values e, e + 32 and so on: how far they are from first + e.
  template <typename Use>
  __device__ void for_batch(unsigned e, Use use) const {
    if (in.tiles.gap == 0) {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) use(i, static_cast<std::size_t>(kWarpLanes * i));
    } else {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        use(i, in.tiles.offset(e + static_cast<unsigned>(kWarpLanes * i)) - e);
      }
    }
  }
  __device__ void load(std::size_t first, unsigned e, float (&x)[kBatch]) const {
    float old[kBatch] = {};
    load(first, e, x, old);
  }
  // With the residuals.
  __device__ void load(std::size_t first, unsigned e, float (&x)[kBatch],
                       float (&old)[kBatch]) const {
    const Value* const values = in.values + first + e;
    const float* const residuals = kFeedback ? in.residual.values + first + e : nullptr;
    for_batch(e, [&](int i, std::size_t offset) {
      x[i] = as_float(values[offset]);
      if constexpr (kFeedback) old[i] = residuals[offset];
    });
    if constexpr (kFeedback) {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) x[i] = sent(x[i], old[i]);
    }
  }

 private:
  __device__ float sent(float value, float residual) const {
    const Feedback& rule = in.residual.feedback;
    return __fmaf_rn(rule.carry, residual, rule.gain * value);
  }
};

template <typename Values>
__global__ void __launch_bounds__(kThreadsPerBlock)
    dense_moments_kernel(SparseShape shape, Values values, TopKOutput out) {
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const unsigned count = kept_in(shape, chunk);
  const std::size_t first = values.first(chunk);
  double sum = 0, squares = 0;
  const auto add = [&](double v) {
    sum += v;
    squares = __fma_rn(v, v, squares);  // the product of two floats is exact
  };
  unsigned e = threadIdx.x % kWarpLanes;
  for (; e - e % kWarpLanes + kWarpLanes * Values::kBatch <= count;
       e += kWarpLanes * Values::kBatch) {
    float x[Values::kBatch];
    values.load(first, e, x);
#pragma unroll
    for (int i = 0; i < Values::kBatch; ++i) add(x[i]);
  }
  for (; e < count; e += kWarpLanes) add(values.at(first, e));
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  // No sum of squares of floats is too large.
  if (!is_finite(squares) && out.nonfinite != nullptr) *out.nonfinite = 1;
  if (threadIdx.x % kWarpLanes == 0) out.scratch.moments[chunk] = make_double2(sum, squares);
}

template <typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    dense_residual_kernel(SparseShape shape, AllValues<true, Value> values, const std::byte* wire) {
  constexpr int kBatch = AllValues<true, Value>::kBatch;
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const Residual& residual = values.in.residual;
  const unsigned count = kept_in(shape, chunk);
  const std::size_t first = values.first(chunk);
  const ValueCoder coder = chunk_coder(shape, wire, chunk);
  const auto* const codes =
      reinterpret_cast<const std::uint32_t*>(wire + shape.codes) + chunk * shape.code_words;
  const auto kept = [&](unsigned at, float sent, float old) {
    const float decoded = book_value(coder.book, codes[at / 16] >> (at % 16 * 2) & 3u);
    return residual_of(residual.feedback, old, sent, decoded);
  };
  unsigned e = threadIdx.x % kWarpLanes;
  for (; e - e % kWarpLanes + kWarpLanes * kBatch <= count; e += kWarpLanes * kBatch) {
    float x[kBatch], old[kBatch];
    values.load(first, e, x, old);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      x[i] = kept(e + static_cast<unsigned>(kWarpLanes * i), x[i], old[i]);
    }
    float* const kept_at = residual.values + first + e;
    values.for_batch(e, [&](int i, std::size_t offset) { kept_at[offset] = x[i]; });
  }
  for (; e < count; e += kWarpLanes) {
    const std::size_t at = values.place(first, e);
    residual.values[at] = kept(e, values.at(first, e), residual.values[at]);
  }
}

// A block takes a chunk; a thread's vectors are a byte of each wire's codes.
template <int kChunk>
__global__ void __launch_bounds__(ChunkBlock<kChunk>::kThreads)
    dense_sum_kernel(SparseShape shape, Wires wires, TileMap tiles, float* sums) {
  using Block = ChunkBlock<kChunk>;
  const std::size_t chunk = blockIdx.x;
  const unsigned count = kept_in(shape, chunk);
  float x[Block::kValues] = {};
  for (int input = 0; input < wires.inputs; ++input) {
    const std::byte* const wire = wires.bytes + static_cast<std::size_t>(input) * shape.bytes;
    const DeviceCodebook book = device_codebook(wire);
    const auto* codes = reinterpret_cast<const unsigned char*>(wire + shape.codes) +
                        chunk * shape.code_words * sizeof(std::uint32_t);
#pragma unroll
    for (int v = 0; v < Block::kVectors; ++v) {
      const unsigned place = Block::index(4 * v);
      const unsigned four = place < count ? codes[place / 4] : 0u;
#pragma unroll
      for (int i = 0; i < 4; ++i) x[4 * v + i] += book_value(book, four >> 2 * i & 3u);
    }
  }
  uint4 vectors[Block::kVectors];
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    vectors[v] = make_uint4(__float_as_uint(x[4 * v]), __float_as_uint(x[4 * v + 1]),
                            __float_as_uint(x[4 * v + 2]), __float_as_uint(x[4 * v + 3]));
  }
  tiles.store(vectors, tiles.first(blockIdx.x), Block::places(), sums);
}

}  // namespace codecs::cuda
