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
  __device__ float at(std::size_t chunk, unsigned e) const { return values[chunk * keep + e]; }
};

// Codes of one chunk and the sums of its bins; a warp takes a chunk.
template <typename Values>
__global__ void __launch_bounds__(kThreadsPerBlock)
    codebook_codes_kernel(SparseShape shape, Values values, CodebookScratch scratch,
                          std::byte* wire) {
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const unsigned lane = threadIdx.x % kWarpLanes;
  const unsigned count = kept_in(shape, chunk);
  const DeviceCodebook book = device_codebook(wire);
  const float(&least)[4] = book.values;
  const Record record = code_record(shape, chunk, wire);
  double sums[4] = {0, 0, 0, 0};
  unsigned members[4] = {0, 0, 0, 0};
  for (unsigned first = 0; first < record.count * 16; first += kWarpLanes) {
    const unsigned e = first + lane;
    const float value = e < count ? values.at(chunk, e) : 0.0f;
    const float centred = value - book.shift;
    const std::uint32_t reached = (centred >= least[0] ? 1u : 0u) +
                                  (centred >= least[1] ? 1u : 0u) +
                                  (centred >= least[2] ? 1u : 0u);  // NaN: 0
    const std::uint32_t code = e < count ? reached : 0u;
    const std::uint32_t bits = code << (lane % 16 * 2);
    const std::uint32_t low = __reduce_or_sync(kAllLanes, lane < 16 ? bits : 0u);
    const std::uint32_t high = __reduce_or_sync(kAllLanes, lane < 16 ? 0u : bits);
    const unsigned word = first / 16 + lane;
    if (lane < 2 && word < record.count) record.words[word] = lane == 0 ? low : high;
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      const bool in_bin = e < count && code == j;
      sums[j] += in_bin ? double{centred} : 0.0;
      members[j] += in_bin ? 1u : 0u;
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    sums[j] = warp_sum(sums[j]);
    members[j] = __reduce_add_sync(kAllLanes, members[j]);
  }
  if (lane != 0) return;
  scratch.bins[chunk] = {{sums[0], sums[1], sums[2], sums[3]}};
  scratch.members[chunk] = make_uint4(members[0], members[1], members[2], members[3]);
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
