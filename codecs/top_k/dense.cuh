// SPDX-License-Identifier: Apache-2.0
// codebook2 of all values: its passes read them from memory, with feedback the residual too, and keep
// nothing but sums. A warp takes a chunk.
#pragma once

#include "codecs/top_k/codebook.cuh"

namespace codecs::cuda {

// What is sent of a chunk's values.
template <bool kFeedback, typename Value>
struct AllValues {
  TopKInput<Value> in = {};

  __device__ std::size_t place(std::size_t chunk, unsigned e) const {
    return in.tiles.first(static_cast<unsigned>(chunk)) + in.tiles.offset(e);
  }
  __device__ float at(std::size_t chunk, unsigned e) const {
    const std::size_t at = place(chunk, e);
    const float value = as_float(in.values[at]);
    if constexpr (!kFeedback) return value;
    const Feedback& rule = in.residual.feedback;
    return __fmaf_rn(rule.carry, in.residual.values[at], rule.gain * value);
  }
};

template <typename Values>
__global__ void __launch_bounds__(kThreadsPerBlock)
    dense_moments_kernel(SparseShape shape, Values values, TopKOutput out) {
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const unsigned count = kept_in(shape, chunk);
  double sum = 0, squares = 0;
  unsigned largest = 0;
#pragma unroll 8
  for (unsigned e = threadIdx.x % kWarpLanes; e < count; e += kWarpLanes) {
    const float value = values.at(chunk, e);
    const double v = value;
    sum += v;
    squares += v * v;
    largest = max(largest, key_of(value));
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (largest >= kInfinityBits && out.nonfinite != nullptr) *out.nonfinite = 1;
  if (threadIdx.x % kWarpLanes == 0) out.scratch.moments[chunk] = make_double2(sum, squares);
}

template <typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    dense_residual_kernel(SparseShape shape, AllValues<true, Value> values, const std::byte* wire) {
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const Residual& residual = values.in.residual;
  const unsigned count = kept_in(shape, chunk);
  const ValueCoder coder = chunk_coder(shape, wire, chunk);
#pragma unroll 4
  for (unsigned e = threadIdx.x % kWarpLanes; e < count; e += kWarpLanes) {
    const std::size_t at = values.place(chunk, e);
    residual.values[at] = residual_of(residual.feedback, residual.values[at], values.at(chunk, e),
                                      load_value(shape, wire, chunk, coder, e));
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
