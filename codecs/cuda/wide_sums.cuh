// SPDX-License-Identifier: Apache-2.0
// Sums of float64 in the order of lane_sum (codecs/sparse/sparse.hpp).
#pragma once

#include "codecs/cuda/lane.cuh"
#include "codecs/top_k/top_k.hpp"

namespace codecs::cuda {

// The tree of lane_sum over a warp; every lane gets the sum.
__device__ inline double warp_sum(double lane_total) {
#pragma unroll
  for (int half = kWarpLanes / 2; half > 0; half /= 2) {
    lane_total += __shfl_xor_sync(kAllLanes, lane_total, half);
  }
  return lane_total;
}

__device__ inline bool is_finite(double x) { return fabs(x) <= 1.7976931348623157e308; }

inline constexpr int kTensorThreads = static_cast<int>(kTensorLanes);

// The tree of lane_sum over a block of kTensorThreads; thread 0 gets the sums.
template <int kSums>
__device__ void block_sums(double (&x)[kSums]) {
  __shared__ double upper[kSums][kTensorThreads / 2];
  const int thread = static_cast<int>(threadIdx.x);
  for (int half = kTensorThreads / 2; half >= kWarpLanes; half /= 2) {
    for (int i = 0; i < kSums; ++i) {
      if (thread >= half && thread < 2 * half) upper[i][thread - half] = x[i];
    }
    __syncthreads();
    for (int i = 0; i < kSums; ++i) {
      if (thread < half) x[i] += upper[i][thread];
    }
    __syncthreads();
  }
  if (thread >= kWarpLanes) return;
  for (int i = 0; i < kSums; ++i) x[i] = warp_sum(x[i]);
}

}  // namespace codecs::cuda
