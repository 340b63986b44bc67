// SPDX-License-Identifier: Apache-2.0
// The pass of a top-k encode that reads the values: one block takes one chunk through registers,
// selects, and writes the chunk's part of the wire. For codebook2, whose codes wait for statistics
// of the whole tensor, it leaves the selected values and their moments in scratch.
#pragma once

#include "codecs/feedback/feedback.cuh"
#include "codecs/feedback/kernels.hpp"
#include "codecs/sparse/records.cuh"
#include "codecs/tiles/tiles.cuh"
#include "codecs/top_k/select.cuh"

namespace codecs::cuda {

struct alignas(16) BinSums {
  double sums[4];  // of v - shift
};

// Of codebook2: `keep` values a chunk, the residuals that they had, sums over each chunk and over
// its bins.
struct CodebookScratch {
  double2* moments = nullptr;  // sum v, sum v^2
  BinSums* bins = nullptr;
  uint4* members = nullptr;
  float* values = nullptr;
  float* residuals = nullptr;
};

template <typename Value>
struct TopKInput {
  TileMap tiles = {};
  const Value* values = nullptr;
  Residual residual = {};
};

struct TopKOutput {
  std::byte* wire = nullptr;
  unsigned* nonfinite = nullptr;
  CodebookScratch scratch = {};
  std::uint16_t* ranked = nullptr;  // `keep` indices a chunk, where they are to be enumerated
};

// The values that are to be sent of the tile that starts at `first`, with zeros beyond the end. The
// residual becomes what it is where nothing is sent, and `old` keeps what it was.
template <int kChunk, bool kFeedback, typename Value>
__device__ void load_sent(const TopKInput<Value>& in, std::size_t first,
                          float (&x)[ChunkBlock<kChunk>::kValues], float* old) {
  using Block = ChunkBlock<kChunk>;
  uint4 values[Block::kVectors], residuals[Block::kVectors];
  in.tiles.load(in.values, first, Block::places(), values);
  if constexpr (kFeedback) in.tiles.load(in.residual.values, first, Block::places(), residuals);
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    float* const y = x + 4 * v;
    y[0] = __uint_as_float(values[v].x);
    y[1] = __uint_as_float(values[v].y);
    y[2] = __uint_as_float(values[v].z);
    y[3] = __uint_as_float(values[v].w);
    if constexpr (kFeedback) {
      const uint4 r = residuals[v];
      const float e[4] = {__uint_as_float(r.x), __uint_as_float(r.y), __uint_as_float(r.z),
                          __uint_as_float(r.w)};
      *reinterpret_cast<uint4*>(old + Block::index(4 * v)) = r;
      float left[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        y[i] = __fmaf_rn(in.residual.feedback.carry, e[i], in.residual.feedback.gain * y[i]);
        left[i] = next_residual(in.residual.feedback, e[i], y[i], 0);
      }
      residuals[v] = make_uint4(__float_as_uint(left[0]), __float_as_uint(left[1]),
                                __float_as_uint(left[2]), __float_as_uint(left[3]));
    }
  }
  if constexpr (kFeedback) in.tiles.store(residuals, first, Block::places(), in.residual.values);
}

// What is left of a value that was sent; 0 + decoded, as every decode starts its sum at 0.
__device__ inline float residual_of(const Feedback& feedback, float old, float sent,
                                    float decoded) {
  return next_residual(feedback, old, sent, 0.0f + decoded);
}

// By one warp. Sums are those of lane_sum.
__device__ inline ValueCoder magnitude_coder(Element element, const float* values, unsigned count) {
  const unsigned lane = threadIdx.x % kWarpLanes;
  double sum = 0;
  for (unsigned e = lane; e < count; e += kWarpLanes) sum += fabs(double{values[e]});
  const float all = mean_of(warp_sum(sum), count);
  ValueCoder coder{.element = element, .threshold = all, .low = all, .high = all};
  if (element == Element::sign || __float_as_uint(all) == kNaNScale) return coder;
  double low = 0, high = 0;
  unsigned high_count = 0;
  for (unsigned e = lane; e < count; e += kWarpLanes) {
    const float magnitude = fabsf(values[e]);
    const bool is_high = magnitude >= all;
    high += is_high ? double{magnitude} : 0.0;
    low += is_high ? 0.0 : double{magnitude};
    high_count += is_high ? 1u : 0u;
  }
  high_count = __reduce_add_sync(kAllLanes, high_count);
  coder.low = mean_of(warp_sum(low), count - high_count);
  coder.high = mean_of(warp_sum(high), high_count);
  return coder;
}

template <int kChunk>
__device__ void store_indices(const SparseShape& shape, unsigned count, const Selection<kChunk>& s,
                              const TopKOutput& out) {
  if (out.ranked != nullptr) {
    for (unsigned e = threadIdx.x; e < count; e += ChunkBlock<kChunk>::kThreads) {
      out.ranked[std::size_t{blockIdx.x} * shape.keep + e] = s.indices[e];
    }
    return;
  }
  const Record record = index_record(shape, blockIdx.x, out.wire);
  for (unsigned w = threadIdx.x; w < record.count; w += ChunkBlock<kChunk>::kThreads) {
    record.words[w] = record_word(w, shape.index_bits, count,
                                  [&](unsigned e) { return std::uint32_t{s.indices[e]}; });
  }
}

template <int kChunk>
__device__ void store_codes(const SparseShape& shape, unsigned count, const ValueCoder& coder,
                            const Selection<kChunk>& s, std::byte* wire) {
  const Record codes = code_record(shape, blockIdx.x, wire);
  for (unsigned w = threadIdx.x; w < codes.count; w += ChunkBlock<kChunk>::kThreads) {
    codes.words[w] = record_word(w, shape.code_bits, count,
                                 [&](unsigned e) { return encode_value(coder, s.values[e]); });
  }
  if (shape.scale_words == 0) return;
  const Record scales = scale_record(shape, blockIdx.x, wire);
  for (unsigned w = threadIdx.x; w < scales.count; w += ChunkBlock<kChunk>::kThreads) {
    const float scale = w == 0 ? coder.low : coder.high;
    scales.words[w] = w < shape.scale_words ? __float_as_uint(scale) : 0u;
  }
}

// Hands the selected values to the later passes of codebook2.
template <int kChunk, bool kFeedback>
__device__ void store_candidates(const SparseShape& shape, unsigned count,
                                 const Selection<kChunk>& s, const float* old,
                                 const CodebookScratch& scratch) {
  const std::size_t first = std::size_t{blockIdx.x} * shape.keep;
  for (unsigned e = threadIdx.x; e < count; e += ChunkBlock<kChunk>::kThreads) {
    scratch.values[first + e] = s.values[e];
    if constexpr (kFeedback) scratch.residuals[first + e] = old[s.indices[e]];
  }
  if (threadIdx.x >= kWarpLanes) return;
  double sum = 0, squares = 0;
  for (unsigned e = threadIdx.x; e < count; e += kWarpLanes) {
    const double v = s.values[e];
    sum += v;
    squares += v * v;
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (threadIdx.x == 0) scratch.moments[blockIdx.x] = make_double2(sum, squares);
}

// The coder of the block's chunk, for all of its threads.
template <int kChunk>
__device__ ValueCoder block_coder(const SparseShape& shape, unsigned count,
                                  const Selection<kChunk>& s) {
  __shared__ float scales[3];
  if (shape.scale_words == 0) return {.element = shape.element};
  if (threadIdx.x < kWarpLanes) {
    const ValueCoder coder = magnitude_coder(shape.element, s.values, count);
    if (threadIdx.x == 0) {
      scales[0] = coder.threshold;
      scales[1] = coder.low;
      scales[2] = coder.high;
    }
  }
  __syncthreads();
  return {.element = shape.element, .threshold = scales[0], .low = scales[1], .high = scales[2]};
}

template <int kChunk, bool kFeedback>
inline constexpr int kBlocksPerMultiprocessor = kChunk != 4096 ? 1
                                                : kFeedback    ? kTopKFeedbackBlocks
                                                               : kTopKBlocks;

template <int kChunk, bool kFeedback, typename Value>
__global__ void __launch_bounds__(ChunkBlock<kChunk>::kThreads,
                                  kBlocksPerMultiprocessor<kChunk, kFeedback>)
    top_k_kernel(TopKInput<Value> in, SparseShape shape, TopKOutput out) {
  using Block = ChunkBlock<kChunk>;
  __shared__ Selection<kChunk> s;
  alignas(16) __shared__ float old[kFeedback ? kChunk : 4];
  const std::size_t first = in.tiles.first(blockIdx.x);
  const unsigned count = kept_in(shape, blockIdx.x);
  float x[Block::kValues];
  load_sent<kChunk, kFeedback>(in, first, x, old);
  constexpr int kZeros = kFeedback || sizeof(Value) == sizeof(float) ? 0 : 16;
  select_largest<kChunk, kZeros>(x, in.tiles.valid(first), count, s);
  for (unsigned e = threadIdx.x; e < count; e += Block::kThreads) {
    if (key_of(s.values[e]) >= kInfinityBits && out.nonfinite != nullptr) *out.nonfinite = 1;
  }
  store_indices<kChunk>(shape, count, s, out);
  if (shape.element == Element::codebook2) {
    store_candidates<kChunk, kFeedback>(shape, count, s, old, out.scratch);
    return;
  }
  const ValueCoder coder = block_coder<kChunk>(shape, count, s);
  store_codes<kChunk>(shape, count, coder, s, out.wire);
  if constexpr (kFeedback) {
    for (unsigned e = threadIdx.x; e < count; e += Block::kThreads) {
      const float decoded = decode_value(coder, encode_value(coder, s.values[e]));
      in.residual.values[first + in.tiles.offset(s.indices[e])] =
          residual_of(in.residual.feedback, old[s.indices[e]], s.values[e], decoded);
    }
  }
}

}  // namespace codecs::cuda
