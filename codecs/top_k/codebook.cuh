// SPDX-License-Identifier: Apache-2.0
// The passes of a codebook2 encode over the selected values: shift and scale from the chunks'
// moments, codes and the sums of their bins, the codebook from these, the residuals.
#pragma once

#include "codecs/cuda/encode.cuh"
#include "codecs/cuda/wide_sums.cuh"
#include "codecs/top_k/encode.cuh"

namespace codecs::cuda {

// Adds up each of the kTensorThreads lanes of lane_sum where its first chunk is, on several
// multiprocessors: a thread takes a lane.
static __global__ void __launch_bounds__(kWarpLanes)
    fold_moments_kernel(std::size_t chunks, CodebookScratch scratch) {
  const std::size_t lane = std::size_t{blockIdx.x} * kWarpLanes + threadIdx.x;
  double2 sum = make_double2(0, 0);
#pragma unroll 32
  for (std::size_t chunk = lane; chunk < chunks; chunk += kTensorThreads) {
    const double2 moments = scratch.moments[chunk];
    sum.x += moments.x;
    sum.y += moments.y;
  }
  scratch.moments[lane] = sum;
}
static __global__ void __launch_bounds__(kWarpLanes)
    fold_bins_kernel(std::size_t chunks, CodebookScratch scratch) {
  const std::size_t lane = std::size_t{blockIdx.x} * kWarpLanes + threadIdx.x;
  BinSums sum = {};
  uint4 count = make_uint4(0, 0, 0, 0);
#pragma unroll 16
  for (std::size_t chunk = lane; chunk < chunks; chunk += kTensorThreads) {
    const BinSums bins = scratch.bins[chunk];
    const uint4 members = scratch.members[chunk];
#pragma unroll
    for (int j = 0; j < 4; ++j) sum.sums[j] += bins.sums[j];
    count = make_uint4(count.x + members.x, count.y + members.y, count.z + members.z,
                       count.w + members.w);
  }
  scratch.bins[lane] = sum;
  scratch.members[lane] = count;
}

// The float of a rank among all floats, in their order.
__device__ inline float ranked_float(unsigned rank) {
  return __uint_as_float((rank & 0x80000000u) != 0 ? rank ^ 0x80000000u : ~rank);
}

// The least value of code `code` or above, from 1 on, in a codebook without a shift: codes rise with
// values. By a warp, which divides what is left by 33 in each round.
__device__ inline float least_of_code(float scale, std::uint32_t code) {
  unsigned low = ~0xFF800000u, high = 0xFF800000u;  // minus infinity has code 0, infinity 3
  for (int round = 0; round < 7; ++round) {         // 33^7 is more than there are floats
    const unsigned step = (high - low + kWarpLanes) / (kWarpLanes + 1);
    const unsigned rank = low + (threadIdx.x % kWarpLanes + 1) * step;
    const bool reaches =
        rank >= high || codebook_code({.scale = scale}, ranked_float(rank)) >= code;
    const auto fewer = static_cast<unsigned>(__popc(~__ballot_sync(kAllLanes, reaches ? 1 : 0)));
    high = fewer < kWarpLanes ? min(high, low + (fewer + 1) * step) : high;
    low += fewer * step;
  }
  return ranked_float(high);
}

// Of `count` values with these sums.
__device__ inline void store_shift_and_scale(double sum, double squares, double count,
                                             float* header) {
  header[0] = __uint_as_float(kNaNScale);
  header[1] = 1;
  header[6] = 0;
  header[7] = 0;
  if (!is_finite(squares)) return;
  header[0] = mean_of(sum, count);
  const double spread = fmax(squares - __ddiv_rn(sum * sum, count), 0.0);
  const double variance = __ddiv_rn(spread, fmax(count - 1, 1.0));
  const float scale = __double2float_rn(double{kCodebookSigmas} * __dsqrt_rn(variance));
  if (scale > 0 && __float_as_uint(scale) < kInfinityBits) header[1] = scale;
}

// One block. Of `folded` sums: of chunks, or of lanes. Where the codebook will be, it leaves the least
// v - shift of codes 1 to 3.
static __global__ void __launch_bounds__(kTensorThreads)
    shift_and_scale_kernel(SparseShape shape, std::size_t folded, CodebookScratch scratch,
                           std::byte* wire) {
  double sums[2] = {0, 0};
#pragma unroll 8
  for (std::size_t chunk = threadIdx.x; chunk < folded; chunk += kTensorThreads) {
    const double2 moments = scratch.moments[chunk];
    sums[0] += moments.x;
    sums[1] += moments.y;
  }
  block_sums(sums);
  auto* header = reinterpret_cast<float*>(wire);
  if (threadIdx.x == 0) {
    const auto count = static_cast<double>((shape.chunks - 1) * shape.keep + shape.last_kept);
    store_shift_and_scale(sums[0], sums[1], count, header);
  }
  __syncthreads();
  const unsigned warp = threadIdx.x / kWarpLanes;
  if (warp >= 3) return;
  const float least = least_of_code(header[1], warp + 1);
  if (threadIdx.x % kWarpLanes == 0) header[2 + warp] = least;
}

// What top_k_kernel left in scratch.
struct SelectedValues {
  const float* values = nullptr;
  std::size_t keep = 0;
  static constexpr int kBatch = 2;  // that a lane loads before it uses them; 64 are kept
  __device__ std::size_t first(std::size_t chunk) const { return chunk * keep; }
  __device__ float at(std::size_t first, unsigned e) const { return values[first + e]; }
  __device__ void load(std::size_t first, unsigned e, float (&x)[kBatch]) const {
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
      x[i] = values[first + e + static_cast<unsigned>(kWarpLanes * i)];
  }
};

// The even bits of the result are those of x's lower half.
__device__ inline std::uint32_t spread(std::uint32_t x) {
  x = (x | x << 8) & 0x00FF00FFu;
  x = (x | x << 4) & 0x0F0F0F0Fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}

// The codes of 32 entries: their lower bits and their upper.
struct CodeBits {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __device__ std::uint32_t first_word() const {
    return spread(low & 0xFFFFu) | spread(high & 0xFFFFu) << 1;
  }
  __device__ std::uint32_t second_word() const {
    return spread(low >> 16) | spread(high >> 16) << 1;
  }
};

// Of one lane: sums of bins, and their members. Sums are in shared memory: a code is an address there,
// and no sum but its own is added to.
struct LaneBins {
  double* sums = nullptr;     // 4, a warp apart
  std::uint32_t members = 0;  // of codes 1, 2 and 3, 10 bits each

  __device__ void add(std::uint32_t code, double value) {
    sums[kWarpLanes * code] += value;
    members += (1u << (10 * code)) >> 10;
  }
};

// Adds what every lane has to the bins, unless it is beyond the end; the codes of all.
template <bool kInside>
__device__ CodeBits take_codes(const DeviceCodebook& book, float value, bool inside,
                               LaneBins& bins) {
  const float(&least)[4] = book.values;
  const float centred = kInside || inside ? value - book.shift : -INFINITY;
  const bool reached[3] = {centred >= least[0], centred >= least[1],
                           centred >= least[2]};  // NaN: 0
  const std::uint32_t code = reached[2] ? 3u : reached[1] ? 2u : reached[0] ? 1u : 0u;
  bins.add(code, kInside || inside ? double{centred} : 0.0);
  const std::uint32_t one = __ballot_sync(kAllLanes, reached[0] ? 1 : 0);
  const std::uint32_t two = __ballot_sync(kAllLanes, reached[1] ? 1 : 0);
  const std::uint32_t three = __ballot_sync(kAllLanes, reached[2] ? 1 : 0);
  return {(one & ~two) | three, two};
}

// Codes of one chunk and the sums of its bins; a warp takes a chunk.
template <typename Values>
__global__ void __launch_bounds__(kThreadsPerBlock)
    codebook_codes_kernel(SparseShape shape, Values values, CodebookScratch scratch,
                          std::byte* wire) {
  static_assert(kLargestChunk / kWarpLanes < 1u << 10, "a lane's members fit in 10 bits");
  __shared__ double bins[kWarpsPerBlock][4 * kWarpLanes];
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const unsigned lane = threadIdx.x % kWarpLanes;
  const unsigned count = kept_in(shape, chunk);
  const std::size_t start = values.first(chunk);
  const DeviceCodebook book = device_codebook(wire);
  const Record record = code_record(shape, chunk, wire);
  LaneBins own{.sums = bins[threadIdx.x / kWarpLanes] + lane};
#pragma unroll
  for (int j = 0; j < 4; ++j) own.sums[kWarpLanes * j] = 0;
  constexpr unsigned kEntries = kWarpLanes * Values::kBatch, kKept = kWarpLanes * kWarpLanes;
  const unsigned entries = record.count * 16;
  CodeBits kept;  // a lane keeps those of 32 entries
  for (unsigned first = 0; first < entries; first += kEntries) {
    const unsigned turn = lane - first % kKept / kWarpLanes;  // that this lane keeps
    if (first + kEntries <= count) {
      float x[Values::kBatch];
      values.load(start, first + lane, x);
#pragma unroll
      for (unsigned i = 0; i < Values::kBatch; ++i) {
        const CodeBits bits = take_codes<true>(book, x[i], true, own);
        if (turn == i) kept = bits;
      }
    } else {
#pragma unroll 1
      for (unsigned i = 0; i < Values::kBatch; ++i) {
        const unsigned e = first + kWarpLanes * i + lane;
        const float value = e < count ? values.at(start, e) : 0.0f;
        const CodeBits bits = take_codes<false>(book, value, e < count, own);
        if (turn == i) kept = bits;
      }
    }
    if ((first + kEntries) % kKept == 0 || first + kEntries >= entries) {
      const unsigned word = first / kKept * kKept / 16 + 2 * lane;
      if (word < record.count) record.words[word] = kept.first_word();
      if (word + 1 < record.count) record.words[word + 1] = kept.second_word();
    }
  }
  double sums[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) sums[j] = warp_sum(own.sums[kWarpLanes * j]);
  const unsigned ones = __reduce_add_sync(kAllLanes, own.members & 0x3FFu);
  const unsigned twos = __reduce_add_sync(kAllLanes, own.members >> 10 & 0x3FFu);
  const unsigned threes = __reduce_add_sync(kAllLanes, own.members >> 20);
  if (lane != 0) return;
  scratch.bins[chunk] = {{sums[0], sums[1], sums[2], sums[3]}};
  scratch.members[chunk] = make_uint4(count - ones - twos - threes, ones, twos, threes);
}

// One block.
static __global__ void __launch_bounds__(kTensorThreads)
    codebook_kernel(std::size_t folded, CodebookScratch scratch, std::byte* wire) {
  double sums[8] = {};  // of the bins, then their members
#pragma unroll 4
  for (std::size_t chunk = threadIdx.x; chunk < folded; chunk += kTensorThreads) {
    const BinSums bins = scratch.bins[chunk];
    const uint4 members = scratch.members[chunk];
    sums[0] += bins.sums[0];
    sums[1] += bins.sums[1];
    sums[2] += bins.sums[2];
    sums[3] += bins.sums[3];
    sums[4] += members.x;
    sums[5] += members.y;
    sums[6] += members.z;
    sums[7] += members.w;
  }
  block_sums(sums);
  if (threadIdx.x != 0) return;
  auto* header = reinterpret_cast<float*>(wire);
  const bool finite = header[0] == header[0];
  for (int j = 0; j < 4; ++j) header[2 + j] = finite ? mean_of(sums[j], sums[4 + j]) : 0.0f;
}

// A warp takes a chunk.
template <typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    codebook_residual_kernel(SparseShape shape, TopKInput<Value> in, TopKOutput out) {
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const unsigned count = kept_in(shape, chunk);
  const std::size_t first = in.tiles.first(static_cast<unsigned>(chunk));
  const auto* indices = reinterpret_cast<const std::uint32_t*>(out.wire + shape.indices);
  const ValueCoder coder = chunk_coder(shape, out.wire, chunk);
  for (unsigned e = threadIdx.x % kWarpLanes; e < count; e += kWarpLanes) {
    const std::size_t at = chunk * shape.keep + e;
    const unsigned index = out.ranked != nullptr ? out.ranked[at]
                                                 : record_bits(indices + chunk * shape.index_words,
                                                               e, shape.index_bits);
    in.residual.values[first + in.tiles.offset(index)] =
        residual_of(in.residual.feedback, out.scratch.residuals[at], out.scratch.values[at],
                    load_value(shape, out.wire, chunk, coder, e));
  }
}

}  // namespace codecs::cuda
