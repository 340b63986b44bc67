// SPDX-License-Identifier: Apache-2.0
// The pass of a top-k encode that reads the values: a warp takes one chunk to shared memory, selects,
// and writes the chunk's part of the wire. For codebook2, whose codes wait for statistics of the whole
// tensor, it leaves the selected values and their moments in scratch.
#pragma once

#include "codecs/sparse/records.cuh"
#include "codecs/top_k/select.cuh"
#include "codecs/top_k/sent.cuh"

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

struct TopKOutput {
  std::byte* wire = nullptr;
  unsigned* nonfinite = nullptr;
  CodebookScratch scratch = {};
  std::uint16_t* ranked = nullptr;  // `keep` indices a chunk, where they are to be enumerated
};

// Sums are those of lane_sum.
template <int kChunk>
__device__ ValueCoder magnitude_coder(Element element, unsigned count, Selection<kChunk>& s) {
  double sum = 0;
  for (unsigned e = lane(); e < count; e += kWarpLanes) {
    sum += fabs(double{s.value(s.indices[e])});
  }
  const float all = mean_of(warp_sum(sum), count);
  ValueCoder coder{.element = element, .threshold = all, .low = all, .high = all};
  if (element == Element::sign || __float_as_uint(all) == kNaNScale) return coder;
  double low = 0, high = 0;
  unsigned high_count = 0;
  for (unsigned e = lane(); e < count; e += kWarpLanes) {
    const float magnitude = fabsf(s.value(s.indices[e]));
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
    for (unsigned e = lane(); e < count; e += kWarpLanes) {
      out.ranked[std::size_t{blockIdx.x} * shape.keep + e] = s.indices[e];
    }
    return;
  }
  const Record record = index_record(shape, blockIdx.x, out.wire);
  for (unsigned w = lane(); w < record.count; w += kWarpLanes) {
    record.words[w] = record_word(w, shape.index_bits, count,
                                  [&](unsigned e) { return std::uint32_t{s.indices[e]}; });
  }
}

// A lane's code at a time: words of many short codes would be the work of few lanes.
template <int kChunk>
__device__ void store_codes(const SparseShape& shape, unsigned count, const ValueCoder& coder,
                            Selection<kChunk>& s, std::byte* wire) {
  const Record codes = code_record(shape, blockIdx.x, wire);
  const unsigned bits = shape.code_bits, in_word = 32 / bits;
  for (unsigned w = 0; w < codes.count; w += bits) {
    const unsigned e = w * in_word + lane();
    const std::uint32_t code = e < count ? encode_value(coder, s.value(s.indices[e])) : 0u;
    if (bits == 32) {
      if (e < codes.count) codes.words[e] = code;
    } else if (bits == 16) {
      if (e < 2 * codes.count) {
        reinterpret_cast<std::uint16_t*>(codes.words)[e] = static_cast<std::uint16_t>(code);
      }
    } else {
      const std::uint32_t placed = code << (lane() % in_word * bits);
      for (unsigned i = 0; i < bits && w + i < codes.count; ++i) {
        const std::uint32_t word = __reduce_or_sync(kAllLanes, lane() / in_word == i ? placed : 0u);
        if (lane() == 0) codes.words[w + i] = word;
      }
    }
  }
}

__device__ inline void store_scales(const SparseShape& shape, const ValueCoder& coder,
                                    std::byte* wire) {
  const Record scales = scale_record(shape, blockIdx.x, wire);
  for (unsigned w = lane(); w < scales.count; w += kWarpLanes) {
    const float scale = w == 0 ? coder.low : coder.high;
    scales.words[w] = w < shape.scale_words ? __float_as_uint(scale) : 0u;
  }
}

// Hands the selected values to the later passes of codebook2, and the residuals that they had.
template <int kChunk, bool kFeedback, typename Value>
__device__ void store_candidates(const SparseShape& shape, unsigned count,
                                 const TopKInput<Value>& in, Selection<kChunk>& s,
                                 const CodebookScratch& scratch) {
  const std::size_t first = std::size_t{blockIdx.x} * shape.keep;
  double sum = 0, squares = 0;
  for (unsigned e = lane(); e < count; e += kWarpLanes) {
    const unsigned index = s.indices[e];
    const float value = s.value(index);
    scratch.values[first + e] = value;
    if constexpr (kFeedback) {
      scratch.residuals[first + e] =
          in.residual.values[in.tiles.first(blockIdx.x) + in.tiles.offset(index)];
    }
    const double v = value;
    sum += v;
    squares += v * v;
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (lane() == 0) scratch.moments[blockIdx.x] = make_double2(sum, squares);
}

// In shared memory: what is lost of the selected values. Whether it is finite.
template <int kChunk>
__device__ bool lose_decoded(const ValueCoder& coder, unsigned count, Selection<kChunk>& s) {
  bool finite = true;
  __syncwarp();
  for (unsigned e = lane(); e < count; e += kWarpLanes) {
    float& value = s.value(s.indices[e]);
    // As every decode starts its sum at 0.
    value -= 0.0f + decode_value(coder, encode_value(coder, value));
    finite = finite && key_of(value) < kInfinityBits;
  }
  return finite;
}

// A warp without others: as many as shared memory has room for are on a multiprocessor.
template <int kChunk, bool kFeedback, typename Value>
__global__ void __launch_bounds__(kWarpLanes)
    top_k_kernel(TopKInput<Value> in, SparseShape shape, TopKOutput out) {
  __shared__ Selection<kChunk> s;
  const std::size_t first = in.tiles.first(blockIdx.x);
  const unsigned count = kept_in(shape, blockIdx.x);
  float maxima[kMaxima<kChunk>] = {};
  if (in.tiles.is_whole(first)) {
    load_whole<kChunk, kFeedback>(in, first, maxima, s);
  } else {
    load_parts<kChunk, kFeedback>(in, first, maxima, s);
  }
  __syncwarp();
  constexpr int kZeros = kFeedback || sizeof(Value) == sizeof(float) ? 0 : 16;
  bool finite = select_largest<kChunk, kZeros>(maxima, count, s) < kInfinityBits;
  __syncwarp();
  if (!finite && out.nonfinite != nullptr) *out.nonfinite = 1;
  store_indices<kChunk>(shape, count, s, out);
  if (shape.element == Element::codebook2) {
    store_candidates<kChunk, kFeedback>(shape, count, in, s, out.scratch);
  } else {
    ValueCoder coder{.element = shape.element};
    if (shape.scale_words > 0) {
      coder = magnitude_coder<kChunk>(shape.element, count, s);
      store_scales(shape, coder, out.wire);
    }
    store_codes<kChunk>(shape, count, coder, s, out.wire);
    if constexpr (kFeedback) finite = lose_decoded<kChunk>(coder, count, s);
  }
  if constexpr (kFeedback) {
    const bool read =
        __any_sync(kAllLanes, finite ? 0 : 1) != 0 || !keeps_lost(in.residual.feedback);
    store_residual<kChunk>(in.tiles, in.residual, first, read, s);
  }
}

}  // namespace codecs::cuda
